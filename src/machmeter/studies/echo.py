"""Study `echo`: many codes on one shared memory, after Younge et al. (IPDPSW 2016)."""

from __future__ import annotations

from machmeter.benchmarks.codes.set import CODE_SET
from machmeter.benchmarks.compute import FMA
from machmeter.benchmarks.lu import LU
from machmeter.benchmarks.memory.assembly import ASSEMBLY
from machmeter.model.benchmark import ThreadSweep, Value
from machmeter.model.layout import Binding
from machmeter.model.plan.question import (
    LARGEST,
    SMALLEST,
    Band,
    BetterRule,
    EfficiencyRule,
    PublishedStatement,
    Question,
    Resource,
    Selector,
    ShareRule,
)
from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.codes import CODES_STUDY, EFFICIENCY, PRINTED, codes_experiments

_ALL: dict[str, Value] = {"smt": SMALLEST, "threads_per_rank": LARGEST}
_ALL_CLOSE: dict[str, Value] = {**_ALL, "binding": "close"}

_PRINTED_READS = PublishedStatement(
    "echo",
    "Trinity assembled {echo/trinity-reads} reads of 100 bp there; its times are not printed",
)
_SOURCE = "Younge et al. 2016: an assembly by Trinity whose stages hold all in one shared memory"
_ASSEMBLY_QUESTIONS = (
    Question(
        text="Assembly in memory: do the threads of one process scale over all cores?",
        benchmark=ASSEMBLY.name,
        metric="rate",
        rule=EfficiencyRule(
            Selector({"handover": "memory"}, {"binding": "close", "threads_per_rank": LARGEST}),
            Selector({"handover": "memory"}, {"binding": "close", "threads_per_rank": SMALLEST}),
            EFFICIENCY,
        ),
        each=("table",),
        requires={Resource.CORES: 2},
        source=_SOURCE,
        published=(_PRINTED_READS,),
    ),
    Question(
        text="Assembly in memory: is one table that all threads fill faster than parts that each "
        "owns?",
        benchmark=ASSEMBLY.name,
        metric="rate",
        rule=BetterRule(
            Selector({"table": "shared", "handover": "memory"}, _ALL_CLOSE),
            Selector({"table": "owned", "handover": "memory"}, _ALL_CLOSE),
            yes="count in one table",
            no="sort into parts first, each for one thread",
            same="either will do",
        ),
        source=_SOURCE,
    ),
    Question(
        text="Assembly in memory: is it faster than stages that read and write files in /dev/shm?",
        benchmark=ASSEMBLY.name,
        metric="rate",
        rule=BetterRule(
            Selector({"handover": "memory"}, _ALL_CLOSE),
            Selector({"handover": "tmpfs"}, _ALL_CLOSE),
            yes="keep what stages hand over in memory: no file is written, none parsed",
            no="files in /dev/shm cost nothing here",
            same="separate programs may hand over by files in /dev/shm",
        ),
        each=("table",),
        source=_SOURCE,
    ),
)

ECHO = Study(
    name="echo",
    title="What does one large shared memory do for many codes?",
    summary="A set of OpenMP codes and an assembly over the threads of one process, beside what "
    "the cores and the memory can: the study of two shared-memory machines by Younge et al. "
    "(IPDPSW 2016). Codes of SPEC are not used: each code is of the same kind as one of them "
    "(docs/compare.md).",
    experiments=(
        Experiment(
            "compute.fma",
            {"precision": ("double",)},
            threads=ThreadSweep.ENDS,
            bindings=(Binding.CLOSE,),
            seconds_per_point=0.03,
        ),
        Experiment(
            "memory.stream",
            {"kernel": ("triad",), "stores": ("temporal", "nontemporal")},
            threads=ThreadSweep.POWERS,
            bindings=(Binding.CLOSE, Binding.SPREAD),
            seconds_per_point=0.06,
        ),
        # All launches of it take about a tenth of the budget on two cores.
        Experiment(
            LU.name,
            threads=ThreadSweep.ALL,
            bindings=(Binding.CLOSE,),
            seconds_per_point=0.1,
        ),
        Experiment(ASSEMBLY.name, bindings=(Binding.CLOSE,)),
        *codes_experiments(),
    ),
    questions=(
        *CODES_STUDY.questions,
        *_ASSEMBLY_QUESTIONS,
        Question(
            text="What share of the measured peak does an LU factorization reach?",
            benchmark=LU.name,
            metric="flops",
            rule=ShareRule(
                Selector({"order": LARGEST}, _ALL),
                Selector({"precision": "double"}, _ALL_CLOSE),
                FMA.name,
                (
                    Band(
                        0.0,
                        "below half",
                        "see what larger orders would reach; compare the BLAS with compute.gemm",
                    ),
                    Band(0.5, "half or more", "see what larger orders would reach"),
                    Band(0.75, "three quarters or more", "keep this library"),
                ),
            ),
            each=("library",),
            source="Younge et al. 2016: 82.4 % of a data sheet's peak, 16 nodes of Echo",
            published=(
                PublishedStatement(
                    "echo", "{echo/hpl-efficiency} of the data sheet's peak, 16 nodes"
                ),
            ),
        ),
    ),
    published=PRINTED,
    budget_seconds=480.0,
    code_set=CODE_SET,
)
