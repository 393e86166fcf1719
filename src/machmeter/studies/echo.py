"""Study `echo`: many codes on one shared memory, after Younge et al. (IPDPSW 2016)."""

from __future__ import annotations

from machmeter.benchmarks.codes.set import CODE_SET
from machmeter.model.benchmark import ThreadSweep
from machmeter.model.layout import Binding
from machmeter.model.plan.study import Experiment, Study
from machmeter.studies.codes import CODES_STUDY, PRINTED, codes_experiments

ECHO = Study(
    name="echo",
    title="What does one large shared memory do for many codes?",
    summary="A set of OpenMP codes over the threads of one process, beside what the cores and the "
    "memory can: the study of two shared-memory machines by Younge et al. (IPDPSW 2016). Codes of "
    "SPEC are not used: each code is of the same kind as one of them (docs/compare.md).",
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
        *codes_experiments(),
    ),
    questions=CODES_STUDY.questions,
    published=PRINTED,
    budget_seconds=300.0,
    code_set=CODE_SET,
)
