"""Charts of messages between two ranks: latency, its protocols and variants; overlap."""

from __future__ import annotations

import altair as alt

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.curve_charts import Words, curve_chart, share_chart, twin_chart
from machmeter.report.benchmarks.protocols import Curves, protocol_layers, protocols_of, rest_of
from machmeter.report.benchmarks.selection import (
    number,
    of_metric,
    plain_choices,
    size,
    values_of,
    where,
)
from machmeter.report.benchmarks.variant_pairs import LATENCY_VARIANTS, twins_of
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.panels import Panel
from machmeter.text.labels import SIZE, WORK, distinguishing_label, names_of, point_columns

_DASHED = "Dashed: none and all hidden. Values outside are shown as measured."


def message_charts(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Time of a message over its size with the protocols found, and what variants of it cost."""
    plain = plain_choices(estimates)
    lines = _named_curves(result, plain)
    alone = len(lines) == 1 == len(names_of(plain, distinguishing_label(plain, SIZE)))
    dashed = "Dashed: the protocols found by fit." if lines else ""

    def layers(x: alt.X, factor: float) -> list[Panel]:
        return protocol_layers(lines, x, factor, alone=alone)

    words = Words(
        "network-latency",
        "Time of one message by its size",
        "Half of the round trip time over the message size on logarithmic axes, with the lines "
        "and switches of the protocols found by fit; below, the 95 % interval in percent.",
        "one way",
        dashed,
    )
    variants = Words(
        "network-latency-variants",
        "Other ways to send a message, over the plain one",
        "Ratio of the plain blocking ping-pong to each variant over the message size: above 1 is "
        "faster than the plain one; with 95 % bands.",
        "plain time / time",
        "Above 1: faster than the plain one, of the same size in the same launches.",
    )
    drawn = twin_chart(variants, twins_of(estimates, *LATENCY_VARIANTS), SIZE)
    return [*curve_chart(words, plain, SIZE, layers=layers), *drawn]


def _named_curves(result: RunResult, drawn: tuple[Estimate, ...]) -> Curves:
    """Protocols of the curves that are drawn, by the names of those."""
    if not drawn:
        return {}
    name = distinguishing_label(drawn, SIZE)
    by_rest = {_rest(e): name(e) for e in drawn}
    curves = protocols_of(result, drawn[0].point.benchmark)
    keyed = [(tuple(rest_of(curve).items()), curve) for curve in curves]
    return {by_rest[key]: curve for key, curve in keyed if key in by_rest}


def _rest(estimate: Estimate) -> tuple[tuple[str, str], ...]:
    return tuple((n, t) for n, t in point_columns(estimate.point).items() if n != "size")


def overlap_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Share of work and of communication hidden: over the message size, and over the work."""
    over_size = Words(
        "network-overlap",
        "Overlap of communication and work",
        "Share of the communication and share of the work hidden over the message size with "
        "95 % bands, sender and receiver apart.",
        "",
        _DASHED,
    )
    over_work = Words(
        "network-overlap-work",
        "Overlap by the amount of work, largest message",
        "Share of the communication and share of the work hidden over the work in percent of the "
        "communication time, for the largest message, with 95 % bands.",
        "",
        _DASHED,
    )
    works = sorted({number(e, "work_percent") for e in estimates})
    usual = min(works, key=lambda w: abs(w - 100), default=0)
    at_usual = [e for e in estimates if number(e, "work_percent") == usual]
    charts = share_chart(over_size, _parts(at_usual), SIZE, ("side",))
    if len(works) > 1:
        largest = max(map(size, estimates))
        at_largest = [e for e in estimates if size(e) == largest]
        charts += share_chart(over_work, _parts(at_largest), WORK, ("side",))
    return charts


def _parts(estimates: list[Estimate]) -> list[tuple[str, tuple[Estimate, ...]]]:
    """Each definition and each side by itself."""
    return [
        (f"{name.replace('_', ' ')}, {side}", where(of_metric(estimates, name), "side", side))
        for name in ("communication_hidden", "work_hidden")
        for side in values_of(estimates, "side")
    ]


def availability_charts(_result: RunResult, estimates: tuple[Estimate, ...]) -> list[Chart]:
    """Share of a message's time that is left for work, by its size, sender and receiver."""
    words = Words(
        "network-availability",
        "Host availability by message size",
        "Share of a message's time that is left for work over the message size, sender and "
        "receiver apart, with 95 % bands.",
        "",
        "Dashed: nothing and all of the time is left. Values outside are shown as measured.",
    )
    parts = [
        (f"left for work, {side}", where(estimates, "side", side))
        for side in values_of(estimates, "side")
    ]
    return share_chart(words, parts, SIZE, ("side",))
