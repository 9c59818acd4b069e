"""Public names that no study speaks for, and why: what claims nothing, and what is not simulated."""

from __future__ import annotations

from collections.abc import Mapping

from proband.words import Target

_NOTHING = Target("claims-nothing", "gives no interval and no test of its own")
_INSIDE = Target("inside", "holds what others are made of; what is made of it is tried")
_WEIGHTS = Target(
    "agrees-with-r", "agrees with R's survey package to the digit; its coverage is not simulated"
)
_CHECK = Target("check-of-input", "a check of data, not of an algorithm; its level is not simulated")
_NOT_YET = Target("not-simulated", "not simulated")
_COUNTS = Target("closed-form", "a bound in closed form of independent trials, which enumeration checks")
_ITSELF = Target("simulates", "is itself the simulation")


def _named(names: str, why: Target) -> dict[str, Target]:
    return dict.fromkeys(names.split(), why)


UNTRIED: Mapping[str, Target] = {
    **_named(
        "cluster_statistics experiment_over feret_categories pool_over protocols.epd_verdict protocols.splitter rank read_embeddings "
        "read_results read_scores read_study run save_figure scored_pairs set_overlap trial_choices write_scores Survey.within",
        _NOTHING,
    ),
    **_named("IntervalFound Options Value", _INSIDE),
    **_named(
        "Survey.calibrated Survey.poststratified Survey.raked Survey.variance Survey.with_replicate_weights",
        _WEIGHTS,
    ),
    **_named("AuditFinding FitCheck OrientationCheck Unevenness protocols.losses", _CHECK),
    **_named("Orders SizeEffect WhatIf protocols.what_if", _NOT_YET),
    **_named("plan_error_rate ErrorRatePlan", _COUNTS),
    **_named("coverage compare_halves", _ITSELF),
}
"""Every such name, with why."""
