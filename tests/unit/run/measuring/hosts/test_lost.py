"""A run that loses hosts goes on without them, and says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.launch.launcher import Attempt
from machmeter.layout.elsewhere import NodeCpus
from machmeter.model.plan.launch import Launch, LostHost, Verdict
from machmeter.model.plan.question import NodesRule, Question, Selector
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import Plan, Precision, Request, RunState, SkipCause, Skipped
from machmeter.run.measuring import target
from machmeter.run.measuring.hosts.lost import (
    HostsLostError,
    lost_in,
    on_hosts_left,
    without_hosts,
)
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import Prepared, plan_before_sizing
from machmeter.run.measuring.target import ThisMachine, measured
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import NO_SIZES, Sizes
from machmeter.run.planning.within_budget import without
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.results.result import collect
from machmeter.store.files import write_json
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    FakeLauncher,
    crash,
    good,
    new_folder,
    synthetic_machine,
)

HOSTS = ("n1", "n2", "n3", "n4")
STUDY = Study(
    *("small", "Small", ""),
    (Experiment("network.collective", {"size": (8,), "operation": ("bcast",)}),),
)
LOST = LostHost("n3", "srun: error: launch failed on node n3")
PRECISION = Precision(half_width=0.05, least_launches=3, most_launches=3, budget_seconds=1000.0)
OPTIONS = LayoutOptions(hosts=HOSTS, nodes=(2, 4))


class Losing(FakeLauncher):
    """Loses a host in the `turn`-th launch of four nodes, and starts none of them from then on."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self._turn = turn

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        attempt = super().start(launch, record, limit_seconds)
        of_all = [one for one in self.started if one.spec.layout.nodes == len(HOSTS)]
        if launch.spec.layout.nodes < len(HOSTS) or len(of_all) < self._turn:
            return attempt
        record.unlink()
        result = replace(attempt.result, exit_code=255, output=LOST.said)
        return replace(attempt, result=result, lost_hosts=(LOST,))


def test_a_host_that_cannot_have_a_layout_is_left_out_before_it_starts(tmp_path: Path) -> None:
    launcher, folder = FakeLauncher(), new_folder(tmp_path / "run", STUDY, PRECISION)
    nodes = tuple(
        NodeCpus(n, name, (0, 1) if name != "n3" else (1,)) for n, name in enumerate(HOSTS)
    )
    with pytest.raises(HostsLostError) as raised:
        measure(folder, launcher, PRECISION, planner_of(OPTIONS), ignore_progress, nodes=nodes)
    (lost,) = raised.value.lost
    assert (lost.name, lost.lacks_cpus) == ("n3", True)
    begun, whole = len(launcher.started), (len(HOSTS), 2)
    layouts = [launch.spec.layout for launch in launcher.started]
    assert whole not in [(one.nodes, one.cores_per_node) for one in layouts]
    (kept,) = (one for one in folder.outcomes() if one.lost_hosts)
    assert (kept.verdict, kept.lost_hosts) == (Verdict.FAILED, (lost,))
    request = replace(folder.header().request, layout_options=OPTIONS)
    left = planner_of(without_hosts(request, (lost,)).layout_options)
    fewer = tuple(replace(one, node=min(one.node, 2)) for one in nodes if one.name != "n3")
    measure(folder, launcher, PRECISION, left, ignore_progress, lost=(lost,), nodes=fewer)
    assert folder.state().state is RunState.FINISHED
    assert {one.spec.layout.nodes for one in launcher.started[begun:] if one.round} == {2}


def planner_of(options: LayoutOptions) -> Callable[[Sizes], Plan]:
    return lambda sizes: make_plan(STUDY, synthetic_machine(), options, PRECISION, sizes)


def a_run_that_loses_a_host(path: Path, launcher: FakeLauncher) -> tuple[RunFolder, Request]:
    folder = new_folder(path, STUDY, PRECISION)
    request = replace(folder.header().request, layout_options=OPTIONS)
    with pytest.raises(HostsLostError) as raised:
        measure(folder, launcher, PRECISION, planner_of(OPTIONS), ignore_progress)
    assert folder.state().state is RunState.INTERRUPTED
    left = without_hosts(request, raised.value.lost)
    planner = planner_of(left.layout_options)
    measure(folder, launcher, PRECISION, planner, ignore_progress, lost=raised.value.lost)
    return folder, left


@pytest.mark.parametrize("turn", [1, 3])
def test_a_run_goes_on_with_the_hosts_that_are_left(tmp_path: Path, turn: int) -> None:
    launcher = Losing(turn)
    folder, left = a_run_that_loses_a_host(tmp_path / "run", launcher)
    assert left.layout_options.hosts == ("n1", "n2", "n4")
    assert left.layout_options.nodes == (2,)
    assert folder.state().state is RunState.FINISHED
    of_all = [one for one in launcher.started if one.spec.layout.nodes == 4]
    assert len(of_all) == turn
    accepted = {o.launch for o in folder.outcomes() if o.verdict is Verdict.ACCEPTED}
    by_spec = dict.fromkeys({one.spec.name for one in launcher.started}, 0)
    for one in launcher.started:
        by_spec[one.spec.name] += one.number in accepted
    of_two = {one.spec.name for one in launcher.started if one.spec.layout.nodes == 2}
    assert of_two
    assert {by_spec[name] for name in of_two} == {3}
    plan = folder.plan()
    assert plan is not None
    ended = {spec.name for spec in plan.specs if spec.layout.nodes == 4}
    assert {*(plan.superseded or ())} == ended
    assert ended <= {one.what for one in plan.skipped}


def test_what_the_plan_lacks_for_fewer_hosts_is_added(tmp_path: Path) -> None:
    options = replace(OPTIONS, nodes=(4,))
    folder = new_folder(tmp_path / "run", STUDY, PRECISION)
    launcher = Losing(1)
    with pytest.raises(HostsLostError):
        measure(folder, launcher, PRECISION, planner_of(options), ignore_progress)
    request = replace(folder.header().request, layout_options=options)
    left = without_hosts(request, (LOST,)).layout_options
    measure(folder, launcher, PRECISION, planner_of(left), ignore_progress, lost=(LOST,))
    plan = folder.plan()
    assert plan is not None
    assert {3, 4} <= {spec.layout.nodes for spec in plan.specs}
    assert plan.specs[-1].of_reference
    nodes = {one.point.layout.nodes for one in collect(folder).estimates}
    assert 3 in nodes
    assert 4 not in nodes


def test_the_result_says_which_host_is_lost_and_blames_no_layout(tmp_path: Path) -> None:
    folder, _ = a_run_that_loses_a_host(tmp_path / "run", Losing(2))
    result = collect(folder)
    kinds = [one.kind for one in result.caveats]
    assert kinds.count(CaveatKind.LOST_HOSTS) == 1
    assert {one.point.layout.nodes for one in result.estimates} == {2, 4}
    assert result.precision is not None
    assert result.precision.results == sum(e.point.layout.nodes == 2 for e in result.estimates)
    assert CaveatKind.FAILED_LAUNCHES not in kinds
    assert CaveatKind.FEW_LAUNCHES not in kinds
    assert CaveatKind.GIVEN_UP not in kinds


def test_a_launch_that_fails_on_hosts_that_are_well_is_a_failure(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run", STUDY, PRECISION)

    def behave(launch: Launch, record: Path) -> int:
        return crash(launch, record) if launch.spec.layout.nodes == 4 else good(launch, record)

    measure(folder, FakeLauncher(behave), PRECISION, planner_of(OPTIONS), ignore_progress)
    kinds = [one.kind for one in collect(folder).caveats]
    assert CaveatKind.LOST_HOSTS not in kinds
    assert CaveatKind.GIVEN_UP in kinds


def asked_on_hosts(folder: RunFolder, study: Study, precision: Precision) -> Request:
    """What the run was requested to measure, on all hosts, as its folder has it from then on."""
    header = folder.header()
    request = replace(
        header.request, study=study, precision=precision, layout_options=LayoutOptions(hosts=HOSTS)
    )
    write_json(folder.path / "run.json", replace(header, request=request))
    return request


def measured_on(folder: RunFolder, request: Request, launcher: FakeLauncher, likely: Plan) -> None:
    machine = folder.header().machine
    context = BuildContext({}, folder.path)
    on_this = ThisMachine(request, None, context, lambda _: None)
    measured(folder, Prepared(launcher, machine), on_this, ignore_progress, likely, ())


def test_a_run_that_ended_as_it_lost_a_host_goes_on_with_the_others(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run", STUDY, PRECISION)
    request = asked_on_hosts(folder, STUDY, PRECISION)
    launcher, planner = Losing(2), planner_of(request.layout_options)
    with pytest.raises(HostsLostError):
        measure(folder, launcher, PRECISION, planner, ignore_progress)
    plan = folder.plan()
    assert plan is not None
    assert not plan.superseded
    left = without_hosts(request, lost_in(folder.outcomes()))
    measured_on(folder, left, launcher, plan)
    assert folder.state().state is RunState.FINISHED
    of_three = Counter(o.spec.name for o in launcher.started if o.spec.layout.nodes == 3)
    assert {*of_three.values()} == {PRECISION.most_launches}
    assert sum(one.spec.layout.nodes == 4 for one in launcher.started) == 2


def test_what_the_budget_is_too_short_for_stays_out_where_a_host_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = Question(
        *("Which?", "network.collective", "time"),
        NodesRule(Selector(), even="", named="", apart=""),
    )
    study = Study(
        *("two", "Two", ""),
        (*STUDY.experiments, Experiment("network.barrier")),
        questions=(needed,),
    )
    short = replace(PRECISION, budget_seconds=2.8)
    folder = new_folder(tmp_path / "run", study, short)
    request = asked_on_hosts(folder, study, short)
    plan = plan_before_sizing(request, folder.header().machine)
    assert any(one.cause is SkipCause.BUDGET for one in plan.skipped)
    launcher = Losing(1)
    again = Prepared(launcher, folder.header().machine)
    monkeypatch.setattr(target, "prepare", lambda *_: again)
    measured_on(folder, request, launcher, plan)
    assert folder.state().state is RunState.FINISHED
    launched = {(one.spec.benchmark, one.spec.layout.nodes) for one in launcher.started}
    assert ("network.collective", 3) in launched
    assert ("network.barrier", 3) not in launched


def test_what_has_begun_goes_on_though_the_budget_would_not_begin_it() -> None:
    machine = synthetic_machine()
    of_all = make_plan(STUDY, machine, OPTIONS, PRECISION, NO_SIZES)
    begun = next(spec.name for spec in of_all.specs if spec.layout.nodes == 2)
    options = replace(OPTIONS, hosts=HOSTS[:3], nodes=(2,))
    left = make_plan(STUDY, machine, options, PRECISION, NO_SIZES)
    left = without(left, [Skipped(begun, "too short", SkipCause.BUDGET)])
    plan = on_hosts_left(of_all, left, (LOST,))
    assert begun not in (plan.superseded or ())
    assert begun not in {one.what for one in plan.skipped}


@pytest.mark.parametrize(("name", "of_two"), [("n2", 0), ("n3", 3)])
def test_results_of_hosts_by_number_are_of_no_other_hosts(
    tmp_path: Path, name: str, of_two: int
) -> None:
    """Node 1 would be n2 before its loss, and n3 after it."""
    study = replace(STUDY, experiments=(Experiment("nodes.fma", {"seconds": (1,)}),))
    options = LayoutOptions(hosts=HOSTS, nodes=(2, 4))
    folder = new_folder(tmp_path / "run", study, PRECISION)
    header = folder.header()
    request = replace(header.request, study=study, layout_options=options)
    write_json(folder.path / "run.json", replace(header, request=request))
    launcher, lost = Losing(2), (LostHost(name, "no answer"),)

    def planner(now: Request) -> Callable[[Sizes], Plan]:
        return lambda sizes: make_plan(
            study, synthetic_machine(), now.layout_options, PRECISION, sizes
        )

    with pytest.raises(HostsLostError):
        measure(folder, launcher, PRECISION, planner(request), ignore_progress)
    left = without_hosts(request, lost)
    measure(folder, launcher, PRECISION, planner(left), ignore_progress, lost=lost)
    result = collect(folder)
    plan = result.plan
    ended = {spec.name for spec in plan.specs if spec.layout.nodes > 1 + bool(of_two)}
    assert {*(plan.superseded or ())} == ended
    answering = [
        o for o in result.outcomes if o.verdict is Verdict.ACCEPTED and o.spec not in ended
    ]
    assert sum("2 nodes" in o.spec for o in answering) == of_two
    # Pages name nodes by the hosts that are left.
    assert {one.point.layout.nodes for one in result.estimates} == ({2} if of_two else set())
