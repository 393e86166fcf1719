"""Charts and tables of messages: time by size with its protocols, bandwidth and rate."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.stats.fields import extreme
from machmeter.model.display import Along, CurveChart, Selection
from machmeter.model.results.estimate import Estimate
from machmeter.model.units import format_bytes
from machmeter.report.benchmarks.curves import curve_charts
from machmeter.report.benchmarks.groups.protocols import (
    NamedCurves,
    protocol_layers,
    protocols_of,
    rest_of,
)
from machmeter.report.benchmarks.pivot_tables import pivot
from machmeter.report.benchmarks.section import Section
from machmeter.report.benchmarks.selection import of_metric, plain_choices, size
from machmeter.report.drawing.chart import Chart
from machmeter.report.drawing.panel import Channel, Panel
from machmeter.report.table import Table
from machmeter.report.views.axis import PAIRS, SIZE, WINDOW
from machmeter.text.labels import distinguishing_label, names_of, point_columns

_PRECISION_BELOW = "below, half the 95 % interval in percent of the value."


def message_charts(section: Section) -> list[Chart]:
    """Time of a message over its size with the protocols found."""
    plain = plain_choices(section.estimates)
    lines = _named_curves(section, plain)
    alone = len(lines) == 1 == len(names_of(plain, distinguishing_label(plain, SIZE.replaces)))

    def layers(x: Channel, factor: float) -> list[Panel]:
        return protocol_layers(lines, x, factor, alone=alone)

    declared = CurveChart(
        name="network-latency",
        title="Time of one message by its size",
        description="Half of the round trip time over the message size on logarithmic axes, with "
        "the lines and switches of the protocols found by fit; below, half the 95 % interval "
        "in percent.",
        value="one way",
        select=Selection(plain=True),
        note="Dashed: the protocols found by fit." if lines else "",
    )
    return curve_charts(declared, section, layers)


def _named_curves(section: Section, drawn: Sequence[Estimate]) -> NamedCurves:
    """Protocols of the curves that are drawn, by the names of those."""
    name = distinguishing_label(drawn, SIZE.replaces)
    by_rest = {_rest(e): name(e) for e in drawn}
    keyed = [(tuple(rest_of(curve).items()), curve) for curve in protocols_of(section)]
    return {by_rest[key]: curve for key, curve in keyed if key in by_rest}


def _rest(estimate: Estimate) -> tuple[tuple[str, str], ...]:
    return tuple((n, t) for n, t in point_columns(estimate.point).items() if n != "size")


_RESULTS = (("bandwidth", "Bandwidth"), ("message_rate", "Message rate"))


def stream_charts(section: Section) -> list[Chart]:
    """Bandwidth and message rate over pairs and windows, where there are several."""
    return [*_over_pairs(section), *_over_windows(section)]


def _ends(estimates: Sequence[Estimate]) -> tuple[Estimate, ...]:
    """Rates of the smallest, bandwidths of the largest message that ran on several pairs."""
    several = {e.point.layout.ranks for e in estimates}
    sizes = {s for s in map(size, estimates) if len(several) == len(_ranks_of(estimates, s))}
    sizes = sizes or set(map(size, estimates))
    return tuple(
        e
        for e in estimates
        if size(e) == (min(sizes - {0} or sizes) if e.metric == "message_rate" else max(sizes))
    )


def _ranks_of(estimates: Sequence[Estimate], at: int) -> set[int]:
    return {e.point.layout.ranks for e in estimates if size(e) == at}


def _over_pairs(section: Section) -> list[Chart]:
    charts = []
    for metric, title in _RESULTS:
        found = [e for e in _ends(section.estimates) if e.metric.startswith(metric)]
        if not found:
            continue
        at = format_bytes(size(found[0]))
        declared = CurveChart(
            name=f"network-{metric.replace('_', '-')}-pairs",
            title=f"{title} of many pairs, {at}",
            description=f"{title} of messages of {at} over the number of pairs, all at once, on "
            f"logarithmic axes; {_PRECISION_BELOW}",
            value=title.lower(),
            select=Selection(
                metrics=tuple(dict.fromkeys(e.metric for e in found)),
                plain=True,
                vary=("direction",),
            ),
            along=(Along.PAIRS,),
            note="Of several pairs the slowest sets the time of all.",
        )
        charts += curve_charts(declared, replace(section, estimates=tuple(found)))
    return charts


def _over_windows(section: Section) -> list[Chart]:
    rates = of_metric(section.estimates, "message_rate")
    several = [s for s in sorted(set(map(size, rates))) if WINDOW.varies(_of_size(rates, s))]
    if not several:
        return []
    at = next((s for s in several if s), several[0])
    declared = CurveChart(
        name="network-message-rate-windows",
        title=f"Message rate by messages outstanding, {format_bytes(at)}",
        description=f"Message rate of messages of {format_bytes(at)} over the window of "
        f"outstanding messages on logarithmic axes; {_PRECISION_BELOW}",
        value="message rate",
        select=Selection(
            metrics=("message_rate",), where=(("size", at),), plain=True, vary=("direction",)
        ),
        along=(Along.WINDOW,),
    )
    return curve_charts(declared, section)


def stream_tables(section: Section) -> list[Table]:
    """Bandwidth and rate by pairs, and rate by messages outstanding."""
    found = section.estimates
    tables: list[Table] = []
    for metric, title in _RESULTS:
        rates = [e for e in found if e.metric.startswith(metric)]
        if PAIRS.varies(rates):
            sizes = {size(e) for e in rates if e.point.layout.ranks > 2}
            rates = [e for e in rates if size(e) in sizes]
            tables += pivot(f"{title} by pairs", rates, PAIRS)
    every = extreme(of_metric(found, "message_rate"), "ranks", min)
    several = {s for s in map(size, every) if WINDOW.varies(_of_size(every, s))}
    tables += pivot("Message rate by window", [e for e in every if size(e) in several], WINDOW)
    return tables


def _of_size(estimates: Sequence[Estimate], at: int) -> list[Estimate]:
    return [e for e in estimates if size(e) == at]
