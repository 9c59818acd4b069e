"""Protocols that can be declared, run, audited and compared (EPD: Mery, Zhao and Bowyer 2016)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proband._lazy import lazily

if TYPE_CHECKING:
    from proband.protocols.audit.losses import losses as losses
    from proband.protocols.cards.card import ProtocolCard as ProtocolCard
    from proband.protocols.cards.paired import paired_test as paired_test
    from proband.protocols.epd import epd_verdict as epd_verdict
    from proband.protocols.notation import Protocol as Protocol
    from proband.protocols.running.data import FeatureTable as FeatureTable
    from proband.protocols.running.prediction_files import compare_predictions as compare_predictions
    from proband.protocols.running.running import run_protocol as run_protocol
    from proband.protocols.running.what_if import what_if as what_if
    from proband.protocols.splits.splits import Splitter as Splitter, splitter as splitter

__getattr__, __dir__ = lazily(
    __name__,
    {
        "notation": "Protocol",
        "splits.splits": "Splitter splitter",
        "running.data": "FeatureTable",
        "running.running": "run_protocol",
        "running.what_if": "what_if",
        "audit.losses": "losses",
        "cards.card": "ProtocolCard",
        "cards.paired": "paired_test",
        "running.prediction_files": "compare_predictions",
        "epd": "epd_verdict",
    },
)
