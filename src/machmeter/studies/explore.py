"""The study of one program of a user's: under which layout is it fastest?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from machmeter.benchmarks.explore import COMMAND
from machmeter.model.benchmark import Benchmark, ThreadSweep
from machmeter.model.layout import Binding
from machmeter.model.plan.command import Command
from machmeter.model.plan.question import Band, BestRule, EfficiencyRule, Question, Selector
from machmeter.model.plan.study import Experiment, LayoutOptions, Study

NAME = "explore"
BUDGET_SECONDS = 600.0
_QUESTION = "Which layout is fastest?"
_QUESTION_OF_RANKS = "Which ranks and threads are fastest?"
_QUESTION_OF_THREADS = "Which number of threads is fastest?"
_USUAL = LayoutOptions()
# Of the speedup for each added node; the bounds are machmeter's own.
_OVER_NODES = (
    Band(0.0, "hardly", "run on fewer nodes"),
    Band(0.5, "partly", "more nodes shorten a run, and cost more node hours"),
    Band(0.8, "yes", "run on all of them"),
)
# Fields of layouts by the options that make them axes: what nobody names is as it is by default.
_FURTHER = {
    "wait_policy": ("wait_policies",),
    "allocator": ("allocators",),
    "smt": ("smt", "modes"),
    "reserved_cores": ("reserved_cores", "modes"),
    "oversubscribe": ("oversubscribe",),
}


def explore_study(
    command: Command, benchmark: Benchmark, values: Mapping[str, str], options: LayoutOptions
) -> Study:
    """The study of a program under the layouts of `benchmark`, which has it alone.

    One question: the layout of ranks and threads in which the first metric is best, beside what
    people have who set nothing. values: of the parameters of the benchmark; options: those that
    name more than ranks and threads make axes.
    """
    of_ranks = benchmark.program.has_ranks
    text = values.get(COMMAND, benchmark.title)
    metric = benchmark.metrics[0]
    further = _further_axes(options)
    axes = (*(("ranks_per_node",) if of_ranks else ()), "threads_per_rank", "binding", *further)
    return Study(
        name=NAME,
        title=f"How should {text} run here?",
        summary=f"{metric.title} of one program under every split of the cores into ranks and "
        "threads, beside the launcher's own layout.",
        experiments=(
            Experiment(
                benchmark.name,
                parameters={name: (value,) for name, value in values.items()},
                command=command,
            ),
        ),
        questions=_questions(
            _QUESTION if further else _QUESTION_OF_RANKS if of_ranks else _QUESTION_OF_THREADS,
            benchmark,
            BestRule(
                candidate=Selector(),
                axes=axes,
                baseline=Selector(layout={"binding": Binding.DEFAULT.value}),
            ),
            options.nodes,
        ),
        budget_seconds=BUDGET_SECONDS,
        benchmarks=(benchmark,),
    )


def explore_proxy(benchmark: Benchmark, options: LayoutOptions) -> Study:
    """The study of one proxy under every split of the cores into ranks and threads.

    One question, as of a program; a program of machmeter's is always placed, so that the layout of
    those who set nothing is none of them. options: as of `explore_study`.
    """
    further = _further_axes(options)
    return Study(
        name=NAME,
        title=f"How should {benchmark.title} run here?",
        summary=f"{benchmark.metrics[0].title} of {benchmark.name} under every split of the cores "
        "into ranks and threads.",
        experiments=(Experiment(benchmark.name, threads=ThreadSweep.POWERS),),
        questions=_questions(
            _QUESTION if further else _QUESTION_OF_RANKS,
            benchmark,
            BestRule(
                candidate=Selector(),
                axes=("ranks_per_node", "threads_per_rank", *further),
                otherwise="share out the cores like this",
                same="these layouts are equally fast: use the fewest ranks",
            ),
            options.nodes,
        ),
        budget_seconds=BUDGET_SECONDS,
    )


def _questions(
    text: str, benchmark: Benchmark, rule: BestRule, nodes: Sequence[int]
) -> tuple[Question, ...]:
    """The question of a program; of several numbers of nodes that of each, and what more gain."""
    metric = benchmark.metrics[0].name
    if len(nodes) < 2:
        return (Question(text, benchmark.name, metric, rule, leads=True),)
    of_each = [
        Question(
            f"{text.removesuffix('?')} on {number} node{'s' * (number != 1)}?",
            *(benchmark.name, metric),
            replace(
                rule,
                axes=("nodes", *rule.axes),
                candidate=Selector(layout={"nodes": number}),
                baseline=rule.baseline
                and replace(rule.baseline, layout={**rule.baseline.layout, "nodes": number}),
            ),
            leads=True,
        )
        for number in sorted(nodes)
    ]
    fewest, *more = sorted(nodes)
    return (
        *of_each,
        *(
            Question(
                f"Is it worth running on {number} nodes instead of {fewest}?",
                *(benchmark.name, metric),
                EfficiencyRule(
                    Selector(layout={"nodes": number}),
                    Selector(layout={"nodes": fewest}),
                    _OVER_NODES,
                    rule.axes,
                ),
            )
            for number in more
        ),
    )


def _further_axes(options: LayoutOptions) -> tuple[str, ...]:
    return tuple(
        name
        for name, fields in _FURTHER.items()
        if any(getattr(options, field) != getattr(_USUAL, field) for field in fields)
    )
