"""Small programs that stand for applications with nested parallelism."""

from __future__ import annotations

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    ParameterRole,
    Subject,
    ThreadSweep,
)
from machmeter.model.display import (
    ChartKind,
    Counted,
    Definition,
    Display,
    Headline,
    LayoutFilter,
    Pick,
    Selection,
    TableKind,
)
from machmeter.model.layout import Binding
from machmeter.model.units import BYTES, COUNTED_BYTES_PER_SECOND, FLOPS, SECONDS, SHARE


def _headlines(name: str, amounts: tuple[str, ...], hide: tuple[str, ...]) -> tuple[Headline, ...]:
    """The largest problem under the best split, and on one thread."""
    return (
        Headline(
            title=f"{name}, best split",
            select=Selection(largest=amounts),
            pick=Pick.BEST,
            hide=hide,
        ),
        Headline(
            title=f"{name}, one thread",
            select=Selection(largest=amounts, layouts=(LayoutFilter.ONE_THREAD,)),
            pick=Pick.BEST,
            hide=hide,
        ),
    )


_SHARES = Definition(
    "Share of a part",
    "Of the time of all outer threads, as the program marks it; in the rest they wait for each "
    "other, or take and give back memory.",
)


def _counted(
    name: str, amounts: tuple[str, ...], model: str, *, precision: str = "double"
) -> Counted:
    return Counted(
        bytes="bandwidth",
        model=f"counted bytes: {model}",
        flops="flops",
        data="data",
        largest=amounts,
        name=name,
        precision=precision,
    )


def _metrics(title: str, *shares: tuple[str, str]) -> tuple[Metric, ...]:
    """The time, what it counts, and shares of the time of all outer threads."""
    counted = (
        Metric(
            name,
            of,
            unit,
            direction,
            Formula.RATE if is_rate else Formula.AMOUNT,
            amount=amount,
            primary=False,
        )
        for name, of, unit, direction, is_rate, amount in (
            ("flops", "Floating-point rate", FLOPS, Direction.HIGHER, True, "flops"),
            (
                "bandwidth",
                "Counted traffic",
                COUNTED_BYTES_PER_SECOND,
                Direction.HIGHER,
                True,
                "bytes",
            ),
            ("data", "Data of all threads", BYTES, Direction.LOWER, False, "data_bytes"),
        )
    )
    parts = (
        Metric(name, of, SHARE, Direction.HIGHER, Formula.AMOUNT, amount=name, primary=False)
        for name, of in shares
    )
    return (Metric("time", title, SECONDS, Direction.LOWER, Formula.TIME), *counted, *parts)


RETRIEVAL = Benchmark(
    name="apps.retrieval",
    title="Image retrieval",
    subject=Subject.APPLICATIONS,
    summary="For each query image the nearest of a database by a weighted sum of distances (after "
    "FIRE in Schmidl et al. 2010): outer teams over queries, inner teams over the database of "
    "8 KiB an image.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "queries",
            ParameterKind.COUNT,
            (18,),
            "query images",
            counted=("query", "queries"),
            minimum=1,
            maximum=100_000,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "images",
            ParameterKind.COUNT,
            (1000,),
            "images of the database",
            counted=("image", "images"),
            minimum=10,
            maximum=10_000_000,
            bytes_each=8192,
            role=ParameterRole.WORK,
        ),
    ),
    metrics=_metrics("Time of all queries", ("search_share", "Searching")),
    display=Display(
        headlines=_headlines("Image retrieval", ("queries", "images"), ("images",)),
        charts=(ChartKind.SPLITS,),
        definitions=(_SHARES,),
        counted=_counted(
            "Image retrieval",
            ("queries", "images"),
            "every image once for each query, from cache where the database fits",
            precision="single",
        ),
    ),
    seconds_per_point=0.1,
    threads=ThreadSweep.SPLITS,
    bindings=(Binding.SPREAD,),
)

HEATFLOW = Benchmark(
    name="apps.heatflow",
    title="Heat flow",
    subject=Subject.APPLICATIONS,
    summary="Independent directional derivatives of a heat-flow problem, each an assembly and an "
    "iterative solve (after SHEMAT-Suite in Schmidl et al. 2010): outer teams over derivatives, "
    "inner teams inside one. Each outer team works on nine arrays of cells^3 doubles (2.5 MB for "
    "32 cells), all read the conductivities and temperatures (0.5 MB).",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "derivatives",
            ParameterKind.COUNT,
            (AUTO,),
            "directional derivatives; auto: one, as many as a domain has cores, two waves and one",
            minimum=1,
            maximum=100_000,
            counted=("derivative", "derivatives"),
            auto_most_per_thread=4,
            auto=AutoRule.WAVES,
            role=ParameterRole.WORK,
        ),
        Parameter(
            "arrays",
            ParameterKind.CHOICE,
            ("inside", "slices"),
            "private arrays allocated inside the parallel region, or slices of one global array",
            choices=("inside", "slices"),
        ),
        Parameter(
            "cells",
            ParameterKind.COUNT,
            (32,),
            "cells of the grid along each of three edges",
            minimum=4,
            maximum=1024,
            role=ParameterRole.WORK,
        ),
    ),
    metrics=_metrics(
        "Time of all derivatives", ("assembly_share", "Assembly"), ("solve_share", "Solving")
    ),
    display=Display(
        headlines=_headlines("Heat flow", ("derivatives", "cells"), ("cells",)),
        charts=(ChartKind.SPLITS, ChartKind.WAVES),
        tables=(TableKind.WAVES,),
        definitions=(_SHARES,),
        counted=_counted(
            "Heat flow",
            ("derivatives", "cells"),
            "every array of an iteration once where it is read or written",
        ),
    ),
    seconds_per_point=0.1,
    threads=ThreadSweep.SPLITS,
    bindings=(Binding.SPREAD,),
)

APPS = (RETRIEVAL, HEATFLOW)
