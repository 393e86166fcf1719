"""Results beside their defaults: pairs of the same point but for the one thing compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from machmeter.analysis.stats.comparison import compare_estimates
from machmeter.model.results.comparison import Comparison
from machmeter.model.results.estimate import Estimate
from machmeter.report.benchmarks.selection import first_choices
from machmeter.text.labels import distinguishing_label, point_columns, point_phrases
from machmeter.text.numbers import NOTHING
from machmeter.text.ratios import comparison_text

VariantPair = tuple[Estimate, Estimate]
"""A variant, and the default that it is compared with."""
_Key = tuple[tuple[str, str], ...]


def variant_pairs(estimates: Sequence[Estimate], *names: str) -> list[VariantPair]:
    """Each result that differs from the default in `names`, with that default.

    names: of `point_columns`. Default is the first declared value of a parameter that is a choice,
    else the first one found. A result without its default is left out.
    """
    if not estimates:
        return []
    first = {name: point_columns(estimates[0].point).get(name, "") for name in names}
    choices = first_choices(estimates[0].point.benchmark)
    default = {name: str(choices.get(name, first[name])) for name in names}
    bases: dict[_Key, Estimate] = {}
    others: list[tuple[_Key, Estimate]] = []
    for one in estimates:
        known = point_columns(one.point)
        rest = tuple((n, text) for n, text in known.items() if n not in names)
        key = (("metric", one.metric), *rest)
        if all(known.get(name, default[name]) == default[name] for name in names):
            bases[key] = one
        else:
            others.append((key, one))
    return [(one, bases[key]) for key, one in others if key in bases]


def ratio_of(one: Estimate, base: Estimate) -> Comparison | None:
    """Paired ratio of two results, above 1 is better; None where launches say nothing of it."""
    if not (one.resolved and base.resolved and one.value > 0 and base.value > 0):
        return None
    found = compare_estimates(one, base, paired=True)
    return None if not found.is_bounded or found.degrees == 0 else found


def ratios_of(pairs: Iterable[VariantPair]) -> list[tuple[Estimate, Comparison]]:
    """Every variant that has a ratio to its default."""
    ratios = [(one, ratio_of(one, base)) for one, base in pairs]
    return [(one, found) for one, found in ratios if found is not None]


def pair_ratio_text(one: Estimate, base: Estimate) -> str:
    """`1.31x [1.28, 1.34]`: how `one` compares with `base`; a dash where it cannot."""
    found = ratio_of(one, base)
    return NOTHING if found is None else comparison_text(found)


def variant_of(pair: VariantPair) -> str:
    """What a variant has and its default has not, as text: `cold buffers`."""
    one, base = (point_phrases(e.point) for e in pair)
    return ", ".join(text for name, text in one.items() if text != base.get(name))


def variant_names(pairs: Sequence[VariantPair], without: Sequence[str] = ()) -> dict[int, str]:
    """Names of variants by `id` of their results: the variant, and what else differs."""
    varied = tuple(
        name
        for one, base in pairs
        for name, text in point_phrases(one.point).items()
        if text != point_phrases(base.point).get(name)
    )
    rest = distinguishing_label([one for one, _ in pairs], (*without, *varied), alone="")
    return {
        id(pair[0]): ", ".join(part for part in (variant_of(pair), rest(pair[0])) if part)
        for pair in pairs
    }
