"""Benchmarks of sparse linear algebra."""

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
    ThreadSweep,
)
from machmeter.model.display import (
    ChartKind,
    Counted,
    Display,
    Headline,
    LayoutFilter,
    Limit,
    LimitKind,
    Pick,
    Selection,
    TableKind,
)
from machmeter.model.units import FLOPS, MATRIX_BYTES_PER_SECOND, RATIO, SECONDS

MATRICES = ("banded", "ramp", "power-law", "random")
SCHEDULES = ("static", "dynamic", "guided", "balanced")

SPMV = Benchmark(
    name="sparse.spmv",
    title="Sparse matrix times vector",
    summary="Compressed rows in double precision, by matrix and by how the rows are shared out; "
    "balanced: a partition into equal nonzeros made beforehand, each part first touched by its "
    "owner.",
    program=NODE_PROGRAM,
    parameters=(
        Parameter(
            "matrix",
            ParameterKind.MATRIX,
            MATRICES,
            "a generated matrix, or the path of a Matrix Market file",
            choices=MATRICES,
        ),
        Parameter(
            "schedule",
            ParameterKind.CHOICE,
            SCHEDULES,
            "how rows go to threads",
            choices=SCHEDULES,
        ),
        Parameter(
            "nonzeros",
            ParameterKind.COUNT,
            (AUTO,),
            "nonzeros of a generated matrix, about; auto makes it larger than every cache",
            minimum=1000,
            maximum=2**31 - 1,
            auto=AutoRule.CACHES_NONZEROS,
            counted=("nonzero", "nonzeros"),
            bytes_each=12,
        ),
    ),
    metrics=(
        Metric(
            "flops",
            "Rate",
            FLOPS,
            Direction.HIGHER,
            Formula.RATE,
            amount="flops",
        ),
        Metric(
            "bandwidth",
            "Compulsory traffic",
            MATRIX_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="bytes",
            primary=False,
        ),
        Metric(
            "imbalance",
            "Imbalance, slowest thread over mean",
            RATIO,
            Direction.LOWER,
            Formula.QUOTIENT,
            series=("slowest_thread", "mean_thread"),
            primary=False,
        ),
        Metric(
            "partition_time",
            "Making the partition",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("partition_seconds",),
            amount="partitions",
            primary=False,
        ),
        Metric(
            "placement_time",
            "Partition and copy to the parts' owners",
            SECONDS,
            Direction.LOWER,
            Formula.TIME,
            series=("placement_seconds",),
            amount="partitions",
            primary=False,
        ),
    ),
    display=Display(
        counted=Counted(
            bytes="bandwidth",
            model="compulsory bytes: matrix, row offsets and vectors once each",
            flops="flops",
            each=("matrix",),
            largest=("nonzeros",),
            name="sparse product, {matrix}",
        ),
        limit=Limit(LimitKind.SWEEP, of="memory.stream"),
        headlines=(
            Headline(
                title="Sparse product, {schedule}",
                select=Selection(
                    prefer=(("matrix", "power-law"),), layouts=(LayoutFilter.MOST_THREADS,)
                ),
                by="schedule",
                values=("static", "balanced"),
                pick=Pick.BEST,
                hide=("schedule", "nonzeros"),
            ),
        ),
        charts=(ChartKind.SPARSE_PRODUCTS,),
        tables=(TableKind.SPARSE_PRODUCTS,),
    ),
    seconds_per_point=0.05,
    threads=ThreadSweep.POWERS,
    shows_samples=True,
)

SPARSE = (SPMV,)
