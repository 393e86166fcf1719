"""The figures of the benchmarks over pairs of places that matter."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.ancestors import Kinship, by_ancestor
from machmeter.report.benchmarks.figure import Headline
from machmeter.report.benchmarks.selection import of_metric, parameter, size, usual, where
from machmeter.text.labels import parameter_text
from machmeter.text.numbers import count_text


def pages(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """One word read of pages of the largest set: own, and of the farthest place."""
    plain = usual(estimates)
    words = where(where(where(plain, "visit", "read"), "extent", "word"), "order", "dependent")
    known = words or plain
    largest = max(map(size, known), default=0)
    at_largest = [e for e in known if size(e) == largest]
    return _ends(result, at_largest, "Page visit", f"set of {parameter_text('size', largest)}")


def matrix(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """Latency of the nearest and the farthest memory, bandwidth of the farthest."""
    latencies = usual(of_metric(estimates, "latency"))
    bandwidths = usual(of_metric(estimates, "bandwidth"))
    figures = _ends(result, latencies, "Latency", "", domains=True)
    return figures + _ends(result, bandwidths, "Read bandwidth", "", domains=True)[-1:]


def pairs(result: RunResult, estimates: tuple[Estimate, ...]) -> list[Headline]:
    """One way between the nearest and the farthest two cores, by the first protocol."""
    if not estimates:
        return []
    protocol = parameter(estimates[0], "protocol")
    return _ends(result, where(estimates, "protocol", protocol), "Core to core", str(protocol))


def _ends(
    result: RunResult,
    estimates: Sequence[Estimate],
    title: str,
    text: str,
    domains: bool = False,
) -> list[Headline]:
    """The median pair of those with the closest and with the farthest ancestor."""
    kin = by_ancestor(result.header.machine.topology, estimates, domains)
    if not kin:
        return []
    ends = (kin[0],) if len(kin) == 1 else (kin[0], kin[-1])
    return [
        Headline(f"{title}, {one.ancestor.kind}", _among(one, text), one.typical) for one in ends
    ]


def _among(kin: Kinship, text: str) -> str:
    distance = kin.ancestor.distance
    parts = (
        f"median of {count_text(len(kin.estimates), 'pair', 'pairs')}",
        "" if distance is None else f"distance {distance}",
        text,
    )
    return ", ".join(part for part in parts if part)
