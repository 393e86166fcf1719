"""Benchmarks of every node of a cluster by itself, all at the same time."""

from __future__ import annotations

from machmeter.benchmarks.compute import BLAS_LIBRARY, CLOCK, RATE
from machmeter.benchmarks.memory.access import SHORTEST_LINE_BYTES, STREAM_GRANULE_BYTES
from machmeter.benchmarks.programs import MPI_PROGRAM
from machmeter.model.benchmark import (
    AUTO,
    AutoRule,
    Benchmark,
    Direction,
    Formula,
    Metric,
    Parameter,
    ParameterKind,
    RankSweep,
    ThreadSweep,
)
from machmeter.model.display import ChartKind, Display, Headline, Pick, Selection, TableKind
from machmeter.model.layout import Binding, WaitPolicy
from machmeter.model.units import RATIO, SECONDS, STREAM_BYTES_PER_SECOND

NODE = Parameter(
    "node",
    ParameterKind.NODE,
    (AUTO,),
    "the node by its number, from 0 in the order of the hosts; auto is every node",
    auto=AutoRule.NODES,
    phrase="node {}",
)
"""Which node a result is of: points that differ in it alone are measured at the same time."""

_ALONE = (
    "Every node measures itself, all at the same time, one process with a thread on every core; "
    "names that are one machine take turns. "
)


def _best_and_worst(title: str, metric: str) -> Display:
    return Display(
        headlines=(
            Headline(
                title=f"{title}, {{place}}",
                select=Selection(metrics=(metric,)),
                pick=Pick.WORST_AND_BEST_NODE,
            ),
        ),
        charts=(ChartKind.NODE_MAP, ChartKind.NODE_DISTRIBUTION),
        tables=(TableKind.NODE_RANKS, TableKind.NODE_QUANTILES),
    )


def _seconds(usual: int) -> Parameter:
    return Parameter(
        *("seconds", ParameterKind.COUNT, (usual,), "how long it lasts"),
        minimum=1,
        maximum=600,
        phrase="{} s",
    )


NODE_STREAM = Benchmark(
    name="nodes.stream",
    title="Memory bandwidth of every node",
    summary=_ALONE + "Triad over arrays larger than every cache, as memory.stream sweeps them with "
    "temporal stores; then by the threads of each NUMA domain alone, of which the slowest counts.",
    program=MPI_PROGRAM,
    parameters=(
        NODE,
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of each array; auto is four times the last-level caches as measured",
            minimum=STREAM_GRANULE_BYTES,
            multiple=STREAM_GRANULE_BYTES,
            least_per_thread=STREAM_GRANULE_BYTES,
            auto=AutoRule.CACHES_ARRAY,
        ),
    ),
    metrics=(
        Metric(
            "bandwidth",
            "Bandwidth, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            amount="stream_bytes",
        ),
        Metric(
            "domain_bandwidth",
            "Bandwidth of the slowest NUMA domain by itself, STREAM bytes",
            STREAM_BYTES_PER_SECOND,
            Direction.HIGHER,
            Formula.RATE,
            series=("domain_seconds",),
            amount="domain_bytes",
            primary=False,
        ),
    ),
    display=_best_and_worst("Memory bandwidth", "bandwidth"),
    arrays=3,
    seconds_per_point=0.5,
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.PASSIVE,),
    modeled={},
)

NODE_LATENCY = Benchmark(
    name="nodes.latency",
    title="Memory latency of every node",
    summary=_ALONE + "Dependent loads in random order over memory beyond every cache, as "
    "memory.latency chases them, by one thread.",
    program=MPI_PROGRAM,
    parameters=(
        NODE,
        Parameter(
            "size",
            ParameterKind.SIZE,
            (AUTO,),
            "bytes of the working set; auto is four times the last-level caches as measured",
            minimum=2 * SHORTEST_LINE_BYTES,
            multiple=SHORTEST_LINE_BYTES,
            auto=AutoRule.CACHES_ARRAY,
        ),
    ),
    metrics=(Metric("latency", "Load latency", SECONDS, Direction.LOWER, Formula.TIME),),
    display=_best_and_worst("Memory latency", "latency"),
    seconds_per_point=0.5,
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.PASSIVE,),
    modeled={},
)

NODE_FMA = Benchmark(
    name="nodes.fma",
    title="Floating-point rate of every node",
    summary=_ALONE + "Fused multiply-adds by the widest registers for seconds, and the clock of "
    "the cores meanwhile, as compute.sustained measures them.",
    program=MPI_PROGRAM,
    parameters=(
        NODE,
        _seconds(20),
    ),
    metrics=(RATE, CLOCK),
    display=_best_and_worst("Floating-point rate", "flops"),
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.PASSIVE,),
    modeled={},
)

NODE_GEMM = Benchmark(
    name="nodes.gemm",
    title="Product of matrices on every node",
    summary=_ALONE + "C := s A B of square matrices in double precision by a BLAS, one after the "
    "other for seconds, as compute.gemm multiplies them, and the clock of one core after each. The "
    "last one is checked with random vectors (Freivalds, IFIP 1977).",
    program=MPI_PROGRAM,
    parameters=(
        NODE,
        BLAS_LIBRARY,
        Parameter(
            "order",
            ParameterKind.COUNT,
            (AUTO,),
            "rows and columns of each matrix; auto is 1536 times the cube root of the cores, so "
            "that a product takes about as long on nodes of any size",
            minimum=1,
            maximum=2**20,
            auto=AutoRule.ORDER_OF_NODE,
            bytes_each=3 * 8,
            power=2,
        ),
        _seconds(20),
    ),
    metrics=(RATE, CLOCK),
    display=_best_and_worst("Product of matrices", "flops"),
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.DEFAULT,),
    modeled={},
)

NODE_SYNC = Benchmark(
    name="nodes.sync",
    title="OpenMP barrier of every node",
    summary=_ALONE + "Overhead of a barrier of all threads over the same work without it, as "
    "threads.sync measures it.",
    program=MPI_PROGRAM,
    parameters=(NODE,),
    metrics=(
        Metric(
            "overhead",
            "Overhead of a barrier",
            SECONDS,
            Direction.LOWER,
            Formula.OVERHEAD,
            series=("test", "reference"),
        ),
    ),
    display=_best_and_worst("OpenMP barrier", "overhead"),
    seconds_per_point=0.5,
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.DEFAULT,),
    modeled={},
)

NODE_NOISE = Benchmark(
    name="nodes.noise",
    title="Noise of the operating system on every node",
    summary=_ALONE + "Steps of fixed work that all threads begin together (fixed work quanta: "
    "Sottile and Minnich, Cluster 2004), of 1 ms: how much longer than usual they take, each as "
    "long as the thread that is disturbed most, compared with its own median.",
    program=MPI_PROGRAM,
    parameters=(
        NODE,
        _seconds(5),
    ),
    metrics=(
        Metric(
            "stretch",
            "Steps over undisturbed ones",
            RATIO,
            Direction.LOWER,
            Formula.AMOUNT,
            amount="stretch",
        ),
    ),
    display=_best_and_worst("Steps over undisturbed ones", "stretch"),
    ranks=RankSweep.EACH_NODE,
    threads=ThreadSweep.ALL,
    bindings=(Binding.CLOSE,),
    wait_policies=(WaitPolicy.PASSIVE,),
    modeled={},
)

NODES = (NODE_STREAM, NODE_LATENCY, NODE_FMA, NODE_GEMM, NODE_SYNC, NODE_NOISE)
