"""Study `codes`: a set of OpenMP codes in one process each, over threads, for one score."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.scores.code_sets import LEAST_EFFICIENCY
from machmeter.benchmarks.codes.set import CODE_SET, CODES, Code
from machmeter.model.benchmark import SCALING, RankSweep, ThreadSweep, Value
from machmeter.model.errors import UsageError
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
)
from machmeter.model.plan.study import Experiment, Study

EFFICIENCY = (
    Band(0.0, "hardly", "use fewer threads: the others add next to nothing"),
    Band(
        LEAST_EFFICIENCY,
        "partly",
        "each further thread adds less than the one before, and costs as much",
    ),
    Band(0.7, "yes", "use all cores"),
)
"""Bands of the efficiency of threads."""
_SOURCE = "Younge et al. 2016: which codes of a suite scale over the threads of one large system"
_PAGE = "slide SPEC OMP Results"
_CLOSE: dict[str, Value] = {"binding": "close"}
_SPREAD: dict[str, Value] = {"binding": "spread"}


def _questions(code: Code) -> tuple[Question, ...]:
    name, title = code.benchmark.name, code.benchmark.title
    return (
        Question(
            text=f"{title}: do the threads of one process scale over all cores?",
            benchmark=name,
            metric="rate",
            rule=EfficiencyRule(
                Selector(layout={**_CLOSE, "threads_per_rank": LARGEST}),
                Selector(layout={**_CLOSE, "threads_per_rank": SMALLEST}),
                EFFICIENCY,
            ),
            each=(SCALING,),
            requires={Resource.CORES: 2},
            source=_SOURCE,
            published=(PublishedStatement("echo", code.printed, page=_PAGE),) * bool(code.printed),
        ),
        Question(
            text=f"{title}: are threads that are spread over the machine faster than close ones?",
            benchmark=name,
            metric="rate",
            rule=BetterRule(
                Selector(layout=_SPREAD),
                Selector(layout=_CLOSE),
                yes="spread the threads: OMP_PROC_BIND=spread",
                no="keep the threads close: OMP_PROC_BIND=close",
                same="either will do",
            ),
            each=("threads_per_rank", SCALING),
            requires={Resource.DOMAINS: 2},
            source=_SOURCE,
        ),
    )


PRINTED = (
    PublishedStatement(
        "echo",
        "SPEC OMP2012, all {echo/codes} codes: {echo/spec-omp} against {uv1000/spec-omp} of the UV "
        "1000",
    ),
    PublishedStatement(
        "echo",
        "adjusted, the {echo/codes-comparable} codes that differ little: {echo/spec-omp-adjusted} "
        "against {uv1000/spec-omp-adjusted}",
    ),
    PublishedStatement(
        "echo",
        "by arithmetic on these, the five left out: {echo/spec-omp-others} against "
        "{uv1000/spec-omp-others}: it dropped what Echo runs best; which codes is not printed",
    ),
)
"""The printed scores, and what follows from them."""


def codes_experiments() -> tuple[Experiment, ...]:
    """Every code of the set in one process, from one thread to all cores."""
    return tuple(
        Experiment(
            code.benchmark.name,
            threads=ThreadSweep.POWERS,
            bindings=(Binding.CLOSE, Binding.SPREAD),
            ranks=RankSweep.ONE,
        )
        for code in CODES
    )


def at_size(experiments: Sequence[Experiment], size: str) -> tuple[Experiment, ...]:
    """Experiments with the parameters that codes of the set have at that size.

    Raises UsageError where the set has no such size.
    """
    sizes = tuple(dict.fromkeys(name for code in CODES for name in code.sizes))
    if size not in sizes:
        raise UsageError(f"codes have no size {size!r}", f"choose: {', '.join(sizes)}")
    of_code = {code.benchmark.name: code.sizes.get(size, {}) for code in CODES}
    return tuple(
        replace(
            one,
            parameters={
                **one.parameters,
                **{name: (value,) for name, value in of_code.get(one.benchmark, {}).items()},
            },
        )
        for one in experiments
    )


def strong_in_one_process(experiments: Sequence[Experiment]) -> tuple[Experiment, ...]:
    """Experiments of codes whose work grows with ranks alone keep it: in one process a weak point
    of theirs would be a strong one by another name."""
    of_ranks = {
        code.benchmark.name
        for code in CODES
        if not any(one.grows for one in code.benchmark.parameters)
    }
    return tuple(
        replace(one, parameters={name: v for name, v in one.parameters.items() if name != SCALING})
        if one.benchmark in of_ranks and one.ranks is RankSweep.ONE
        else one
        for one in experiments
    )


CODES_STUDY = Study(
    name="codes",
    title="How fast are many codes on the shared memory of this machine, by one score?",
    summary="A set of OpenMP codes in one process each, over threads, close and spread: "
    "`compare BASE RUN --score spec` makes one number of them.",
    experiments=codes_experiments(),
    questions=tuple(question for code in CODES for question in _questions(code)),
    budget_seconds=240.0,
    published=PRINTED,
    code_set=CODE_SET,
)
