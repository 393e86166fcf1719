"""What limits each kernel of a run, as text and as a table."""

from __future__ import annotations

from machmeter.analysis.scaling.roofline import Roof, RoofStanding
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.roofline.marks import Roofline, RoofMark, roofline_of
from machmeter.report.benchmarks.groups.roofline.roofs import memory_text, peak_text
from machmeter.report.benchmarks.section import Section
from machmeter.report.table import Table
from machmeter.text.numbers import count_text
from machmeter.text.ratios import percent_text, ratio_as_share_text
from machmeter.text.results import result_interval_text, value_text, value_with_interval

_ROOFS = {Roof.MEMORY: "memory roof", Roof.PEAK: "peak"}


def share_text(standing: RoofStanding) -> str:
    """`82 % of the memory roof [78, 86]`."""
    found = standing.share
    share = percent_text(found.ratio)
    interval = ratio_as_share_text(found).removeprefix(share)
    return f"{share} of the {_ROOFS[standing.roof]}{interval}"


def share_in_short(standing: RoofStanding) -> str:
    """`82 % of the memory roof`; empty where no interval bounds it."""
    if not standing.share.is_bounded:
        return ""
    return f"{percent_text(standing.share.ratio)} of the {_ROOFS[standing.roof]}"


def roofline_lines(result: RunResult) -> tuple[tuple[str, str], ...]:
    """What the roofs are, and what share of its roof each kernel reaches: titles and texts."""
    found = roofline_of(result)
    if found is None:
        return ()
    below = (mark for mark in found.marks if not found.is_roof(mark))
    shares = "; ".join(f"{mark.name} {share_text(mark.standing)}" for mark in below)
    lines = {
        "Roofs, all cores": f"{peak_text(found.roofs.peak)}; {memory_text(found.roofs.bandwidth)}",
        "Roofs of caches, all cores": _caches_text(found),
        "Fraction of what limits it": shares,
    }
    return tuple((title, text) for title, text in lines.items() if text)


def roofline_tables(section: Section) -> list[Table]:
    """Every kernel of both precisions with its roof; none without a peak and a bandwidth."""
    found = roofline_of(section.result)
    if found is None or not found.marks:
        return []
    threads = count_text(found.roofs.bandwidth.point.layout.threads, "thread", "threads")
    return [
        Table(
            caption=f"What limits each kernel, {threads}",
            columns=(
                *("kernel", "operations per byte", "rate", "95 % interval"),
                *("limit", "share of it", "bytes"),
            ),
            rows=tuple(_row(mark, found) for mark in found.marks),
            numeric=(1, 2, 3),
            note=f"Peak: {peak_text(found.roofs.peak)}. "
            f"Memory: {memory_text(found.roofs.bandwidth)}. {_caches_note(found)}"
            "All measured in this run; a kernel "
            "reaches at most the lower of the peak and its operations per byte times the "
            "bandwidth (Williams et al., CACM 52, 2009). Kernels that the memory would limit "
            "are left out where their data are within the last cache; programs are then set under "
            "the peak, as are those that move more bytes than the memory carries. Bytes are "
            "counted by the model in the last column, not by hardware.",
        )
    ]


def _row(mark: RoofMark, found: Roofline) -> tuple[str, ...]:
    where = mark.standing
    share = ratio_as_share_text(where.share) or percent_text(where.share.ratio)
    return (
        mark.name,
        f"{where.intensity:.3g}",
        value_text(mark.flops),
        result_interval_text(mark.flops),
        _ROOFS[where.roof],
        "it is the limit" if found.is_roof(mark) else share,
        mark.model,
    )


def _caches_text(found: Roofline) -> str:
    return "; ".join(f"{one.name} {value_with_interval(one.bandwidth)}" for one in found.caches)


def _caches_note(found: Roofline) -> str:
    if not found.caches:
        return ""
    return (
        f"Caches, by sweeps with a barrier after each: {_caches_text(found)}; a level no faster "
        "than the next one is left out. "
    )
