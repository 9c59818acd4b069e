"""Charts of two error rates against each other, for verification and open-set searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from proband import words
from proband.distributions import normal_cdf
from proband.inference.verification.open_set import SearchEstimates, SearchRates
from proband.inference.verification.results import Verification
from proband.measures.verification import SUPPORTED
from proband.report.charts.error_curves import ErrorCurve, Limit
from proband.report.charts.palette import places_of
from proband.report.charts.scales import Kind, deviate, in_powers, rate_label, round_up
from proband.report.charts.spec import Axis, Chart, Errors, listed, some
from proband.words import count, counted, digits, fixed, level

Limits = tuple[tuple[float, float], tuple[float, float]]
_HOW = (
    f"Hatched, thin lines and hollow dots: fewer than {SUPPORTED} errors of a kind. Curves end at a single error "
    "(dotted)."
)
_ABOVE = f"thin lines and hollow dots: fewer than {SUPPORTED} errors; dotted: a single error"


@dataclass(frozen=True)
class _ErrorKind:
    """Names of two error rates, their errors, and the comparisons counted."""

    x: str
    y: str
    errors: tuple[str, str]
    positive: str
    negative: str
    compared: str


_VERIFICATION = _ErrorKind(
    "false match rate (FMR)",
    "false non-match rate (FNMR)",
    ("false matches", "false non-matches"),
    "genuine",
    "impostor",
    "comparisons",
)
_SEARCH = _ErrorKind(
    "false positive identification rate (FPIR)",
    "false negative identification rate (FNIR)",
    ("false positives", "misses"),
    "mated",
    "non-mated",
    "searches",
)


def error_curve(result: Verification) -> ErrorCurve:
    """The curve of one algorithm, with the intervals at its operating points."""
    fmr, fnmr = result.rates.curve
    counts = result.rates.counts
    limits = sorted(
        Limit(point.target_fmr, point.fnmr.low, point.fnmr.high, point.fnmr.supported)
        for point in result.points
        if point.target_fmr is not None
    )
    eer = result.eer.value
    curve = ErrorCurve(result.algorithm, fmr, fnmr, counts.n_impostor, counts.n_genuine, eer=eer)
    return _with_limits(curve, limits) if len(limits) > 1 else curve


def search_points(result: SearchEstimates, rank: int) -> list[SearchRates]:
    """The operating points of searches that return up to `rank` candidates."""
    return [at for at in result.points if at.counts.rank == rank]


def search_curve(result: SearchEstimates, rank: int = 1) -> ErrorCurve:
    """The errors of searches as a curve, with FPIR in place of FMR and FNIR in place of FNMR."""
    searches = result.searches
    frame = searches.curve(rank).sort("threshold", descending=searches.larger_is_closer)
    fpir, fnir = (frame[name].to_numpy() for name in ("fpir", "fnir"))
    curve = ErrorCurve(searches.algorithm, fpir, fnir, len(searches.best), len(searches.mate))
    held = [(at.fpir, at.fnir_at_threshold) for at in search_points(result, rank)]
    supported = [fpir.supported and fnir.supported for fpir, fnir in held]
    limits = [
        Limit(fpir.value, fnir.low, fnir.high, sure)
        for (fpir, fnir), sure in zip(held, supported, strict=True)
    ]
    return _with_limits(curve, limits)


def _with_limits(curve: ErrorCurve, limits: Sequence[Limit]) -> ErrorCurve:
    """The same curve with intervals at some of its rates."""
    if not limits:
        return curve
    at, low, high, supported = map(np.array, zip(*limits, strict=True))
    return replace(curve, band_fmr=at, low=low, high=high, supported=supported)


def det(
    curves: Sequence[ErrorCurve],
    id: str = "det",
    title: str = "Detection error trade-off",
    confidence_level: float = 0.95,
) -> Chart:
    """Chart FNMR against FMR on axes of normal deviates and on logarithmic ones, with the equal error rates.

    Curves are exact steps, thin where fewer than 30 errors are behind them (the rule of 30), and end at a single error. An
    equal error rate with fewer than 30 errors of either kind is a hollow dot, and an algorithm without errors a triangle in
    the corner that its curve is beyond.
    """
    across, (bottom, top) = _det_limits(some(curves))
    highest = max((float(np.max(curve.high)) for curve in curves if curve.high is not None), default=0.0)
    told = [
        f"{curve.name} {'no errors' if curve.flawless else fixed(curve.crossing)}"
        for curve in sorted(curves, key=lambda curve: curve.crossing)
    ]
    dots = tuple(() if curve.flawless else ((curve.crossing, curve.crossing),) for curve in curves)
    beside = ", drawn side by side around the FMR if there are several" if len(curves) > 1 else ""
    bars = f"Dots: equal error rates. Bars: {level(confidence_level)} intervals of FNMR at the target FMRs{beside}."
    limits = across, (bottom, max(top, round_up(highest)))
    chart = _chart(id, title, curves, dots, _VERIFICATION, ("probit", "log"), limits)
    chart = _listed(chart, [curve.crossing for curve in curves], "equal error rate (EER)")
    return replace(
        chart,
        description=f"{chart.description} Equal error rate: {listed(told)}.",
        marks=Errors(tuple(curves), dots, _VERIFICATION.errors, diagonal=True, apart=True),
        notes=(_HOW, bars),
        see="False non-match rate at each false match rate; lower is better.",
    )


def roc(
    curves: Sequence[ErrorCurve], id: str = "roc", title: str = "Receiver operating characteristic"
) -> Chart:
    """Chart the true accept rate against a logarithmic axis of FMR.

    The legend states the true accept rate at the lowest power of ten with at least 30 false matches for every curve.
    """
    lowest = 1 / max(one.n_impostor for one in some(curves))
    at = _common(curves)
    dots = tuple(((at, curve.fnmr_at(at)),) if at else () for curve in curves)
    chart = _chart(id, title, curves, dots, _VERIFICATION, ("log",), ((lowest, 1.0), (0.5, 1.0)))
    x = chart.axes[0][0]
    y = Axis("true accept rate (1 − FNMR)", "linear", 1 - _reach(curves), 1.0, "rate")
    marks = Errors(tuple(curves), dots, _VERIFICATION.errors, complement=True)
    chart = replace(chart, axes=((x, y),), marks=marks)
    return _listed(chart, [1 - curve.fnmr_at(at) for curve in curves], "true accept rate at FMR", at)


def search(
    curves: Sequence[ErrorCurve],
    id: str = "search",
    title: str = "Open-set identification",
    dots: Sequence[Sequence[tuple[float, float]]] = (),
) -> Chart:
    """Chart FNIR against FPIR on logarithmic axes and on normal deviates, for searches of people who may not be enrolled.

    The printed legend states FNIR at the lowest power of ten with at least 30 false positives for every curve.

    Parameters
    ----------
    dots
        Points to mark on each curve. Default: the points of the legend.
    """
    at = _common(some(curves))
    marked = tuple(map(tuple, dots)) or tuple(((at, curve.fnmr_at(at)),) if at else () for curve in curves)
    lowest = min(max(float(curve.fnmr[-1]) / 2, 1 / curve.n_genuine) for curve in curves)
    limits = (1 / max(one.n_impostor for one in curves), 1.0), (min(lowest, 0.5), 1.0)
    chart = _chart(id, title, curves, marked, _SEARCH, ("log", "probit"), limits)
    return _listed(chart, [curve.fnmr_at(at) for curve in curves], "FNIR at FPIR", at)


def searches(
    results: Sequence[SearchEstimates],
    id: str = "search",
    title: str = "Open-set identification",
    *,
    rank: int = 1,
) -> Chart:
    """Chart searches that return up to `rank` candidates, with the intervals at their operating points."""
    first = some(results)[0]
    curves = [search_curve(one, rank) for one in results]
    points = [[at.counts for at in search_points(result, rank)] for result in results]
    dots = [[(one.fpir, one.fnir) for one in own] for own in points]
    chart = search(curves, id, title, dots)
    said = (
        f"{chart.description} {counted(first.searches.n_enrolled, 'person', 'people')} enrolled; up to {counted(rank, 'candidate')} "
        "returned."
    )
    told = [(own[0], curve.name) for own, curve in zip(points, curves, strict=True) if own]
    if told:
        parts = [
            f"{name} {fixed(point.fnir)} at an FPIR of {digits(point.fpir)}"
            for point, name in sorted(told, key=lambda pair: pair[0].fnir)
        ]
        said += f" FNIR: {listed(parts)}."
    bars = f"Dots and bars: operating points with {level(first.confidence_level)} intervals of FNIR."
    see = (
        "Share of searches for enrolled people that miss them, at each false positive rate; lower is better."
    )
    return replace(chart, description=said, notes=(_HOW, bars), answers=first.answers, see=see)


def _chart(
    id: str,
    title: str,
    curves: Sequence[ErrorCurve],
    dots: tuple[tuple[tuple[float, float], ...], ...],
    kind: _ErrorKind,
    scales: Sequence[Kind],
    limits: Limits,
) -> Chart:
    positive, negative = (
        number_range([getattr(one, n) for one in curves]) for n in ("n_genuine", "n_impostor")
    )
    names = [curve.name for curve in curves]
    best_first = [curve.name for curve in sorted(curves, key=lambda curve: curve.crossing)]
    looks = places_of(names, best_first)
    return Chart(
        id,
        title,
        f"{positive} {kind.positive} {kind.compared} and {negative} {kind.negative} {kind.compared}.",
        tuple((_axis(kind.x, one, *limits[0]), _axis(kind.y, one, *limits[1])) for one in scales),
        Errors(tuple(curves), dots, kind.errors),
        tuple(names),
        places=tuple(looks[name] for name in names),
        above=f"{positive} {kind.positive} and {negative} {kind.negative} {kind.compared}\n{_ABOVE}",
    )


def _axis(label: str, scale: Kind, low: float, high: float) -> Axis:
    """A little below the lowest rate, up to the highest, which normal deviates never reach."""
    if scale == "log":
        return Axis(label, "log", 0.7 * low, high, "rate")
    return Axis(label, "probit", float(normal_cdf(deviate(low) - 0.1)), min(high, 0.99), "rate")


def _listed(chart: Chart, rates: Sequence[float], heading: str, at: float | None = None) -> Chart:
    """Give a printed legend rates, of an error rate where they are at one; without it, names alone."""
    assert isinstance(chart.marks, Errors)
    names = [f"{one.name}: no errors" if one.flawless else one.name for one in chart.marks.curves]
    if at == 0:
        return replace(chart, labels=tuple(names))
    if at is not None:
        heading += f" {rate_label(at, powers=in_powers(chart.axes[0][0].low))}"
    labels = tuple(f"{rate}  {name}" for rate, name in zip(aligned(rates), names, strict=True))
    return replace(chart, heading=heading, labels=labels)


def number_range(values: Sequence[int]) -> str:
    """A number, or the range of several."""
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def aligned(rates: Sequence[float]) -> list[str]:
    """Rates in per cent to stand below one another, the lowest with two digits."""
    lowest = min((100 * rate for rate in rates if rate > 0), default=1.0)
    decimals = min(max(1 - int(np.floor(np.log10(lowest))), 2), 5)
    return [f"{one}%" for one in words.aligned([100 * rate for rate in rates], decimals)]


def _common(curves: Sequence[ErrorCurve]) -> float:
    """The lowest power of ten that 30 errors of every curve support; 0 if there is none."""
    needed = max(curve.supported_fmr for curve in curves)
    return next((10.0**k for k in range(-12, 0) if 10.0**k >= needed * (1 - 1e-9)), 0.0)


def _det_limits(curves: Sequence[ErrorCurve]) -> Limits:
    """Where the axes of a DET begin and end: all that curves show, but not far beyond one half."""
    most = round_up(max(0.6, *(min(1.2 * curve.crossing, 0.99) for curve in curves)))
    right = round_up(max(0.4, *(min(curve.fmr_at(0.5 / curve.n_genuine), most) for curve in curves)))
    top = round_up(max(0.4, *(min(curve.fnmr_at(1 / curve.n_impostor), max(most, 0.95)) for curve in curves)))
    left = min(max(1 / curve.n_impostor, curve.fmr_at(top) / 2) for curve in curves)
    bottom = min(max(1 / curve.n_genuine, curve.fnmr_at(right) / 2) for curve in curves)
    return (min(left, 0.05), right), (min(bottom, 0.05), top)


def _reach(curves: Sequence[ErrorCurve]) -> float:
    """How far below 1 true accept rates go: those that are supported or, where none are, all."""
    starts = [curve.supported_fmr if curve.supported_fmr < 0.1 else 1 / curve.n_impostor for curve in curves]
    worst = max(curve.fnmr_at(start) for curve, start in zip(curves, starts, strict=True))
    return next((one for one in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7) if one > 1.15 * worst), 1.0)
