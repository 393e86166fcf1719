"""A run of `machmeter explore` made up for tests: every layout of two ranks and threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from machmeter.analysis.rules.select import TopologyFacts
from machmeter.benchmarks.explore import COMMAND, FOLDER, RANKS
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import LaunchSpec
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.comparison import DroppedOut
from machmeter.model.results.run import ResourceUse, RunResult
from machmeter.studies.explore import explore_study
from tests.support import questions
from tests.support.made_up.estimates import made_up
from tests.support.synthetic.run import make_run

SET, NONE_SET, ONE_RANK, ALONE = "2 x 1", "nothing set", "1 x 2", "1 x 1"
SECONDS: Mapping[str, float] = {ALONE: 2.0, ONE_RANK: 1.2, NONE_SET: 1.001, SET: 1.0}
_USUAL = Layout(wait_policy=WaitPolicy.DEFAULT)
_LAYOUTS = {
    SET: replace(_USUAL, ranks_per_node=2),
    NONE_SET: replace(_USUAL, ranks_per_node=2, binding=Binding.DEFAULT),
    ONE_RANK: replace(_USUAL, threads_per_rank=2),
    ALONE: _USUAL,
}
_VALUES = {COMMAND: "./solver", FOLDER: "/work"}


def make_explored(
    seconds: Mapping[str, float] = SECONDS,
    dropped: Sequence[str] = (),
    used: Mapping[str, ResourceUse] | None = None,
    spread: float = 0.01,
    layouts: Mapping[str, Layout] = _LAYOUTS,
    options: LayoutOptions = LayoutOptions(),  # noqa: B008 - frozen
) -> RunResult:
    """The run of a program of ranks with these wall times by layout.

    dropped: layouts that dropped out of its race; used: what layouts used; layouts: by the names of
    `seconds`; options: as requested.
    """
    command = Command(("./solver",), "/work", 60.0)
    study = explore_study(command, RANKS, _VALUES, options)
    estimates = tuple(
        made_up(RANKS.name, dict(_VALUES), layouts[name], "wall", value, spread)
        for name, value in seconds.items()
    )
    specs = tuple(
        LaunchSpec(
            name,
            RANKS.program.name,
            RANKS.name,
            one.point.layout,
            (one.point,),
            1.0,
            command=command,
        )
        for name, one in zip(seconds, estimates, strict=True)
    )
    points = {one.name: one.points[0] for one in specs}
    facts = TopologyFacts({}, {}, dropped_out=frozenset(points[name] for name in dropped))
    run = make_run()
    request = replace(run.header.request, study=study, names=(study.name,))
    return replace(
        run,
        header=replace(run.header, request=request),
        plan=replace(run.plan, specs=specs, questions=study.questions),
        estimates=estimates,
        findings=questions.findings(study.questions, estimates, facts),
        dropped_out=tuple(DroppedOut(name, 5, SET) for name in dropped),
        resource_use=tuple((used or {}).values()),
    )
