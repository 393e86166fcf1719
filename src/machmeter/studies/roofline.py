"""Study `roofline`: what the cores of a node reach, and what limits a program there."""

from __future__ import annotations

from machmeter.benchmarks.compute import FMA
from machmeter.model.benchmark import RankSweep, ThreadSweep, Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BestRule,
    BetterRule,
    EfficiencyRule,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    ShareRule,
)
from machmeter.model.plan.study import Experiment, Study, StudyApplication

_ALL: dict[str, Value] = {"smt": SMALLEST, "threads_per_rank": 0}
_CORES = {Resource.CORES: 2}
_TWO_A_CORE: dict[str, Value] = {"smt": 2, "threads_per_rank": 0}
_SECOND_THREADS = {Resource.HARDWARE_THREADS: 2}
_PEAK = Selector({"precision": "double"}, {**_ALL, "binding": "close"})
# The order that two cores have among those of `auto`, as more do.
_PRODUCT: dict[str, Value] = {"order": 2048, "precision": "double"}

ROOFLINE = Study(
    name="roofline",
    title="What do the cores of this node reach, and what limits a program?",
    summary="Peak floating-point rate by register width, matrix products by the BLAS, and memory "
    "bandwidth over threads: the roofline of the node, and what limits kernels on it.",
    experiments=(
        Experiment("compute.fma"),
        Experiment("compute.gemm"),
        # What the second hardware thread of each core adds.
        Experiment(
            "compute.fma",
            {"precision": ("double",)},
            threads=ThreadSweep.ALL,
            bindings=(Binding.CLOSE,),
            smt=2,
        ),
        Experiment(
            "compute.gemm",
            {name: (value,) for name, value in _PRODUCT.items()},
            threads=ThreadSweep.ALL,
            smt=2,
        ),
        Experiment(
            "memory.stream",
            {"kernel": ("triad", "read"), "stores": ("temporal", "nontemporal")},
        ),
        # From an array of half the last caches to 2 KiB of each MiB of them.
        Experiment(
            "memory.stream",
            {"kernel": ("read",), "stores": ("temporal",)},
            divisors={"size": tuple(2**power for power in range(3, 12))},
            threads=ThreadSweep.ALL,
            bindings=(Binding.CLOSE,),
            pages=False,
            seconds_per_point=0.02,
        ),
        Experiment("sparse.spmv", {"matrix": ("banded",), "schedule": ("static",)}),
    ),
    budget_seconds=180.0,
    applications=(
        StudyApplication(
            "hpcc",
            RankSweep.ALL,
            questions=(
                Question(
                    text="What share of the measured peak does HPL reach at N = 1440?",
                    benchmark="app.hpcc",
                    metric="hpl",
                    rule=ShareRule(
                        Selector(),
                        _PEAK,
                        FMA.name,
                        (
                            Band(0.0, "below half"),
                            Band(0.5, "half or more"),
                            Band(0.75, "three quarters or more"),
                        ),
                        "flops",
                    ),
                    source="Younge et al. 2016: 82.4 % of a data sheet's peak, 16 nodes of Echo",
                    published=(
                        PublishedStatement(
                            "echo",
                            "{echo/hpl-efficiency} of the data sheet's peak, 16 nodes",
                        ),
                    ),
                ),
            ),
        ),
    ),
    questions=(
        Question(
            text="Does the BLAS reach the peak?",
            benchmark="compute.gemm",
            metric="flops",
            rule=ShareRule(
                Selector({"order": LARGEST, "precision": "double"}, _ALL),
                _PEAK,
                FMA.name,
                (
                    Band(
                        0.0,
                        "no",
                        "compare other libraries: --set library=openblas,system,/PATH/libblas.so",
                    ),
                    Band(0.8, "mostly", "keep this library"),
                    Band(0.95, "yes", "keep this library"),
                ),
            ),
            each=("library",),
        ),
        Question(
            text="Which register width has the highest peak?",
            benchmark=FMA.name,
            metric="flops",
            rule=BestRule(
                _PEAK,
                ("width",),
                advice={
                    "512-bit": "compile with 512-bit registers (GCC: -mprefer-vector-width=512)",
                    "256-bit": "compile for this processor (GCC: -march=native)",
                },
                same="no width gains: choose by what the compiler does",
            ),
        ),
        Question(
            text="Does the peak scale with cores?",
            benchmark=FMA.name,
            metric="flops",
            rule=EfficiencyRule(
                _PEAK,
                Selector({"precision": "double"}, {"threads_per_rank": 1, "binding": "close"}),
                (
                    Band(0.0, "no", "cores share units or power: use fewer, or one thread a core"),
                    Band(0.7, "partly", "expect a lower clock with all cores busy"),
                    Band(0.9, "yes", "use all cores for arithmetic"),
                ),
            ),
            each=("width",),
            requires=_CORES,
        ),
        Question(
            text="Does SMT raise the peak?",
            benchmark=FMA.name,
            metric="flops",
            rule=BetterRule(
                Selector(_PEAK.parameters, {**_TWO_A_CORE, "binding": "close"}),
                _PEAK,
                yes="use both hardware threads of each core for arithmetic",
                no="use one thread a core for arithmetic",
                same="use one thread a core for arithmetic: a second one gains nothing",
                shared_fields=("cores_per_node",),
            ),
            each=("width",),
            requires=_SECOND_THREADS,
        ),
        Question(
            text="Does SMT speed up matrix products?",
            benchmark="compute.gemm",
            metric="flops",
            rule=BetterRule(
                Selector(_PRODUCT, _TWO_A_CORE),
                Selector(_PRODUCT, _ALL),
                yes="give the BLAS both hardware threads of each core",
                no="give the BLAS one thread a core",
                same="give the BLAS one thread a core: a second one gains nothing",
                shared_fields=("cores_per_node",),
            ),
            each=("library",),
            requires=_CORES | _SECOND_THREADS,
        ),
        Question(
            text="With how many cores is memory bandwidth highest?",
            benchmark="memory.stream",
            metric="stream_bandwidth",
            rule=BestRule(
                Selector(
                    {"kernel": "triad", "stores": "nontemporal"},
                    {"binding": "close", "page_bytes": LARGEST},
                ),
                ("threads_per_rank",),
                Selector(layout=_ALL),
                otherwise="use that many threads where memory is the limit",
                same="any of these numbers of threads will do where memory is the limit",
            ),
            requires=_CORES,
        ),
    ),
)
