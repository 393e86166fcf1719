"""Figures beside their plain twins: the same circumstances but for the one that is compared."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import is_unbounded
from machmeter.report.benchmarks.selection import first_choices, size
from machmeter.report.drawing.axes import Row
from machmeter.report.drawing.panels import short
from machmeter.text.labels import Axis, Name, distinguishing_label, point_columns, point_phrases
from machmeter.text.numbers import ratio_interval

NOTHING = "–"
LATENCY_VARIANTS = ("pattern", "way", "data", "buffers")

VariantPair = tuple[Estimate, Estimate]
_Key = tuple[tuple[str, str], ...]


def twins_of(estimates: Sequence[Estimate], *names: str) -> list[VariantPair]:
    """Each figure that differs from the plain one in `names`, with that plain one.

    names: of parameters and of `words.layout_columns`. Plain is the catalogue's first value of a
    parameter that is a choice, else the first one found. A figure without a twin is left out.
    """
    if not estimates:
        return []
    first = {name: point_columns(estimates[0].point).get(name, "") for name in names}
    choices = first_choices(estimates[0].point.benchmark)
    plain = {name: str(choices.get(name, first[name])) for name in names}
    bases: dict[_Key, Estimate] = {}
    others: list[tuple[_Key, Estimate]] = []
    for one in estimates:
        known = point_columns(one.point)
        rest = tuple((n, text) for n, text in known.items() if n not in names)
        key = (("metric", one.metric), *rest)
        if all(known.get(name, plain[name]) == plain[name] for name in names):
            bases[key] = one
        else:
            others.append((key, one))
    return [(one, bases[key]) for key, one in others if key in bases]


def ratio_of(one: Estimate, base: Estimate) -> Comparison | None:
    """Paired ratio of two figures, above 1 is better; None where launches say nothing of it."""
    if not (one.resolved and base.resolved and one.value > 0 and base.value > 0):
        return None
    found = compare_estimates(one, base, paired=True)
    return None if is_unbounded(found.high) or found.degrees == 0 else found


def ratio_text(one: Estimate, base: Estimate) -> str:
    """`1.31x [1.28, 1.34]`: how `one` compares with `base`; a dash where it cannot."""
    found = ratio_of(one, base)
    return NOTHING if found is None else _bare(found)


def variant_of(twin: VariantPair) -> str:
    """What a figure has and its plain twin has not, in words: `cold buffers`."""
    one, base = (point_phrases(e.point) for e in twin)
    return ", ".join(text for name, text in one.items() if text != base.get(name))


def twin_names(
    twins: Sequence[VariantPair], *axes: Axis, but: tuple[str, ...] = ()
) -> dict[int, str]:
    """Names of the figures that have twins, by `id`: the variant, and what else differs."""
    varied = tuple(
        name
        for one, base in twins
        for name, text in point_phrases(one.point).items()
        if text != point_phrases(base.point).get(name)
    )
    rest = distinguishing_label([one for one, _ in twins], *axes, but=(*but, *varied), alone="")
    return {
        id(twin[0]): ", ".join(part for part in (variant_of(twin), rest(twin[0])) if part)
        for twin in twins
    }


def comparison_text(found: Comparison) -> str:
    """A ratio with its interval and, where there is one, its verdict."""
    verdict = "" if found.verdict is ComparisonVerdict.UNRESOLVED else f" {found.verdict.value}"
    return f"{_bare(found)}{verdict}"


def _bare(found: Comparison) -> str:
    return ratio_interval(found.ratio, found.low, found.high)


def twin_rows(twins: Sequence[VariantPair], axis: Axis, name: Name) -> tuple[Row, ...]:
    """Rows of curves along an axis: the ratio of each figure to its twin with its interval."""
    return tuple(_row(axis.of(one), name(one), found) for one, found in _known(twins))


def twin_dots(twins: Sequence[VariantPair], category: Name, name: Name) -> tuple[Row, ...]:
    """As `twin_rows`, by category, each row with its `size` in bytes."""
    return tuple(
        _row(category(one), name(one), found) | {"size": size(one)} for one, found in _known(twins)
    )


def _known(twins: Sequence[VariantPair]) -> list[tuple[Estimate, Comparison]]:
    ratios = [(one, ratio_of(one, base)) for one, base in twins]
    return [(one, found) for one, found in ratios if found is not None]


def _row(x: int | str, series: str, found: Comparison) -> Row:
    return {
        "x": x,
        "series": series,
        "value": short(found.ratio),
        "low": short(found.low),
        "high": short(found.high),
        "resolved": True,
        "label": comparison_text(found),
    }
