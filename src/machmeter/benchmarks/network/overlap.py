"""Benchmarks of messages behind work: what is hidden, and what is left for work."""

from __future__ import annotations

from machmeter.benchmarks.network.messages import LARGEST_MESSAGE
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
)
from machmeter.model.display import (
    Along,
    CurveChart,
    CurveForm,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    PivotTable,
    Selection,
)
from machmeter.model.units import SHARE

_SIDE = Parameter(
    "side",
    ParameterKind.CHOICE,
    ("send", "receive"),
    "the side that works",
    choices=("send", "receive"),
)
WORK_PERCENT = Parameter(
    "work_percent",
    ParameterKind.COUNT,
    (100,),
    "work as a share of the communication time, percent",
    minimum=1,
    maximum=10_000,
    phrase="work {} % of communication",
)
# Both definitions of overlap, of the same three series.
HIDDEN = (
    Metric(
        "work_hidden",
        "Share of work hidden",
        SHARE,
        Direction.HIGHER,
        Formula.WORK_HIDDEN,
        series=("total", "work", "communication"),
    ),
    Metric(
        "communication_hidden",
        "Share of communication hidden",
        SHARE,
        Direction.HIGHER,
        Formula.COMMUNICATION_HIDDEN,
        series=("total", "work", "communication"),
    ),
)

HIDDEN_MEANS = Definition(
    "Hidden",
    "Share of the work hidden: 1 - (total - communication) / work (Austin et al. 2013). Share of "
    "the communication hidden: 1 - (total - work) / communication (OSU, IMB). They are equal only "
    "where work takes as long as communication. Neither is cut at 0 or 100 %.",
)
_DASHED = "Dashed: none and all hidden. Values outside are shown as measured."


def share_tables(along: Along = Along.SIZE) -> tuple[PivotTable, ...]:
    """Both definitions of overlap."""
    return tuple(
        PivotTable(
            title=f"Share of {what} hidden by {{along}}",
            select=Selection(metrics=(metric,)),
            along=(along,),
        )
        for what, metric in (("communication", "communication_hidden"), ("work", "work_hidden"))
    )


OVERLAP = Benchmark(
    name="network.overlap",
    title="Overlap of communication and work",
    summary="A non-blocking message against calibrated work: the share of the work hidden (Austin "
    "et al., CUG 2013) and the share of the communication hidden (as OSU and IMB define it).",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (16384, 65536, 262144, 1048576, 4194304),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        _SIDE,
        WORK_PERCENT,
    ),
    metrics=HIDDEN,
    display=Display(
        headlines=(
            Headline(
                title="Communication hidden, {side}",
                select=Selection(
                    metrics=("communication_hidden",),
                    layouts=(LayoutFilter.USUAL,),
                    largest=("size",),
                ),
                by="side",
                hide=("side", "work_percent"),
            ),
        ),
        charts=(
            CurveChart(
                name="network-overlap",
                title="Overlap of communication and work",
                description="Share of the communication and share of the work hidden over the "
                "message size with 95 % bands, sender and receiver apart.",
                value="{metric}, {side}",
                select=Selection(
                    metrics=("communication_hidden", "work_hidden"), prefer=(("work_percent", 100),)
                ),
                form=CurveForm.SHARES,
                panels=("metric", "side"),
                note=_DASHED,
            ),
            CurveChart(
                name="network-overlap-work",
                title="Overlap by the amount of work, largest message",
                description="Share of the communication and share of the work hidden over the work "
                "in percent of the communication time, for the largest message, with 95 % bands.",
                value="{metric}, {side}",
                select=Selection(
                    metrics=("communication_hidden", "work_hidden"), largest=("size",)
                ),
                along=(Along.WORK,),
                form=CurveForm.SHARES,
                panels=("metric", "side"),
                note=_DASHED,
            ),
        ),
        tables=share_tables(),
        definitions=(HIDDEN_MEANS,),
    ),
    seconds_per_point=0.05,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    modeled={"nodes": (2,)},
)

AVAILABILITY = Benchmark(
    name="network.availability",
    title="Host availability",
    summary="The share of a message's time that is left for work (after Sandia's SMB): work of "
    "many lengths between start and wait, in random order; where two fitted lines say that work no "
    "longer hides, over the time of the message alone.",
    program=MPI_PROGRAM,
    parameters=(
        Parameter(
            "size",
            ParameterKind.SIZE,
            (1024, 8192, 16384, 32768, 131072, 1048576),
            "bytes of one message",
            maximum=LARGEST_MESSAGE,
        ),
        _SIDE,
    ),
    metrics=(
        Metric(
            "availability",
            "Host availability",
            SHARE,
            Direction.HIGHER,
            Formula.AVAILABILITY,
            series=("total", "work", "base"),
        ),
    ),
    display=Display(
        headlines=(
            Headline(
                title="Host availability, {side}",
                select=Selection(largest=("size",)),
                by="side",
                hide=("side",),
            ),
        ),
        charts=(
            CurveChart(
                name="network-availability",
                title="Host availability by message size",
                description="Share of a message's time that is left for work over the message "
                "size, sender and receiver apart, with 95 % bands.",
                value="left for work, {side}",
                form=CurveForm.SHARES,
                panels=("side",),
                note="Dashed: nothing and all of the time is left. Values outside are shown as "
                "measured.",
            ),
        ),
        tables=(PivotTable(title="Host availability by size"),),
        definitions=(
            Definition(
                "Availability",
                "Work between start and wait is varied in random order, and the total time is "
                "fitted by two lines, flat while work hides and rising after; availability is "
                "1 - overhead / base. Sandia's SMB stops at the first time over 1.5 times the "
                "base. It is not cut at 0.",
            ),
        ),
    ),
    seconds_per_point=0.1,
    ranks=RankSweep.PAIR,
    least_ranks=2,
    most_ranks=2,
    modeled={"nodes": (2,)},
)

OVERLAPS = (OVERLAP, AVAILABILITY)
