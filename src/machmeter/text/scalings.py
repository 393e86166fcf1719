"""How the figures of a machine scale, each named in words."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.scaling.fit import LEAST_GAIN, scaling_of
from machmeter.analysis.scaling.series import Series, series_of
from machmeter.benchmarks.catalogue import BENCHMARKS, is_primary
from machmeter.model.layout import Layout
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.scaling import NormalTerm, Scaling, ScalingAxis
from machmeter.text.labels import parameter_phrase
from machmeter.text.layouts import layout_columns
from machmeter.text.plain import plain
from machmeter.text.scaling_words import uncapitalized

_COUNTED = {
    ScalingAxis.THREADS: ("threads per rank",),
    ScalingAxis.INNER_THREADS: ("threads per rank", "inner threads"),
    ScalingAxis.RANKS: ("ranks per node", "nodes"),
    ScalingAxis.NODES: ("nodes",),
    ScalingAxis.CORES: ("nodes", "ranks per node", "threads per rank", "inner threads"),
    ScalingAxis.DEVICES: ("nodes", "ranks per node", "threads per rank", "inner threads"),
}


def series_to_show(
    estimates: Sequence[Estimate],
    *,
    benchmark: str = "",
    metric: str = "",
    weak: bool = False,
    every: bool = False,
) -> tuple[Series, ...]:
    """The series of a machine.

    benchmark: the name of one, or how it begins; metric: the name of one; every: also of metrics
    that follow from others, as the bytes on the bus do from those of STREAM.
    """
    of_benchmark = (one for one in estimates if one.point.benchmark.startswith(benchmark))
    if metric:
        return series_of((one for one in of_benchmark if one.metric == metric), weak=weak)
    kept = (one for one in of_benchmark if every or is_primary(one.point.benchmark, one.metric))
    return series_of(kept, weak=weak)


def scalings_of(
    series: Sequence[Series],
    terms: Sequence[NormalTerm | None] = (),
    *,
    least_gain: float = LEAST_GAIN,
    to: int = 0,
) -> tuple[Scaling, ...]:
    """Every series with its laws; terms: what Extra-P chose for each (empty: it was not asked).

    least_gain, to: as of `analysis.scaling.fit.scaling_of`.
    """
    chosen = tuple(terms) or (None,) * len(series)
    return tuple(
        scaling_of(one, circumstances, name=name, least_gain=least_gain, to=to, term=term)
        for one, circumstances, name, term in zip(
            series, map(_circumstances, series), names_of(series), chosen, strict=True
        )
    )


def names_of(series: Sequence[Series]) -> tuple[str, ...]:
    """What each series is called: its figure, and what tells it from others of that figure."""
    words = [_words(one) for one in series]
    names = []
    for one, own in zip(series, words, strict=True):
        alike = [
            w for other, w in zip(series, words, strict=True) if _figure(other) == _figure(one)
        ]
        varying = [text for n, text in own.items() if any(w.get(n) != text for w in alike)]
        names.append(": ".join(part for part in (_title(one), ", ".join(varying)) if part))
    return tuple(names)


def _figure(series: Series) -> tuple[str, str, ScalingAxis]:
    first = series.estimates[0]
    return first.point.benchmark, first.metric, series.axis


def _title(series: Series) -> str:
    first = series.estimates[0]
    titles = {b.name: b.title for b in BENCHMARKS}
    workload = first.point.benchmark.partition(".")[2]
    what = titles.get(first.point.benchmark, workload)
    return plain(f"{what}, {uncapitalized(first.title)}", 80)


def _words(series: Series) -> dict[str, str]:
    """Every circumstance that the series have in common, by name."""
    point = series.estimates[-1].point
    parameters = {
        name: plain(parameter_phrase(name, value), 60)
        for name, value in point.parameters
        if name in series.circumstances
    }
    # More ranks than cores are told by the counts, in the notes.
    counted = {*_COUNTED[series.axis], "oversubscribed"}
    layout = layout_columns(point.layout, point.variant)
    # A parameter may have the name of a part of the layout, and says more (`pages`).
    told = {n: f"{n} {text}" for n, text in layout.items() if n not in {*counted, *parameters}}
    return parameters | told


def _circumstances(series: Series) -> dict[str, str]:
    """Parameters, and what of the layout is not as usual."""
    usual = {name: f"{name} {text}" for name, text in layout_columns(Layout()).items()}
    return {n: text for n, text in _words(series).items() if text != usual.get(n)}
