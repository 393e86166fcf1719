"""The study of one program of a user's: under which layout is it fastest?"""

from __future__ import annotations

import shlex

from machmeter.benchmarks.explore import COMMAND, FOLDER, PROCESS, RANKS, WALL
from machmeter.model.layout import Binding
from machmeter.model.plan.command import Command
from machmeter.model.plan.question import BestRule, Question, Selector
from machmeter.model.plan.study import Experiment, Study

NAME = "explore"
BUDGET_SECONDS = 600.0


def explore_study(command: Command, *, of_ranks: bool) -> Study:
    """The study of `command`; of_ranks: whether an MPI starts it.

    One question: the layout of ranks and threads in which its wall time is shortest, beside what
    people have who set nothing.
    """
    benchmark = RANKS if of_ranks else PROCESS
    text = shlex.join(command.words)
    axes = ("ranks_per_node", "threads_per_rank") if of_ranks else ("threads_per_rank",)
    return Study(
        name=NAME,
        title=f"How should {text} run here?",
        summary="Wall time of one program under every split of the cores into ranks and threads, "
        "beside the launcher's own layout.",
        experiments=(
            Experiment(
                benchmark.name,
                parameters={COMMAND: (text,), FOLDER: (command.folder,)},
                command=command,
            ),
        ),
        questions=(
            Question(
                text="Which ranks and threads are fastest?"
                if of_ranks
                else "Which number of threads is fastest?",
                benchmark=benchmark.name,
                metric=WALL.name,
                rule=BestRule(
                    candidate=Selector(),
                    axes=(*axes, "binding"),
                    baseline=Selector(layout={"binding": Binding.DEFAULT.value}),
                    same="set nothing: no layout is faster than the default",
                ),
                leads=True,
            ),
        ),
        budget_seconds=BUDGET_SECONDS,
        benchmarks=(benchmark,),
    )
