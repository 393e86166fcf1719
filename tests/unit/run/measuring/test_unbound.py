"""The fastest layout of a program is launched without binding too, next to itself with it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.launch.launcher import Attempt
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, LaunchRole, LostHost, PointRecord, Verdict
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import Plan, Precision, RunState
from machmeter.run.measuring import session
from machmeter.run.measuring.hosts.lost import HostsLostError
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.tally import Tally
from machmeter.run.measuring.unbound import unbound_trio
from machmeter.run.planning.plan import (
    REFERENCE_END,
    REFERENCE_START,
    make_plan,
    reference_spec,
)
from machmeter.run.planning.sizing import Sizes
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    STUDY,
    FakeLauncher,
    FakeTime,
    new_folder,
    record_lines,
    small_spec,
    synthetic_machine,
)

ROUNDS = 10
PRECISION = Precision(least_launches=ROUNDS, most_launches=ROUNDS, budget_seconds=1e6, race=True)
FEW = Precision(half_width=0.05, least_launches=2, most_launches=3, budget_seconds=1e6)
COMMAND = Command(("/bin/true",), "/", 60.0)
EXPLORED = replace(STUDY, experiments=(Experiment("memory.latency", command=COMMAND),))
ONE, TWO = Layout(), Layout(threads_per_rank=2)
USUAL = Layout(threads_per_rank=4, binding=Binding.DEFAULT)
LAYOUTS = {"one": ONE, "two": TWO, "usual": USUAL}
UNBOUND = "memory.latency (1 node, 1 x 2, none, 4 KiB pages, active wait)"


def factor_of(layout: Layout, times: Mapping[str, float]) -> float:
    named = {layout: name for name, layout in LAYOUTS.items()}
    return times[named.get(layout, "unbound")]


class Explored:
    """A run of made-up launches of three layouts and what follows from them."""

    def __init__(self, path: Path, times: Mapping[str, float], precision: Precision = PRECISION):
        self.times, self.precision = times, precision
        self.interrupted_after = 0
        self.failing = 0
        self.clock = FakeTime()
        self.launcher = FakeLauncher(self.timed)
        self.study = EXPLORED
        self.options = LayoutOptions()
        self.path = path
        self.nodes = 1

    def timed(self, launch: Launch, record: Path) -> int:
        if self.interrupted_after and launch.number > self.interrupted_after:
            raise KeyboardInterrupt
        if self.failing and launch.round > ROUNDS and launch.spec.name == "usual":
            self.failing -= 1
            return 1
        self.clock.passes(0.5)
        record.write_bytes(b"".join(self._line(launch, one) for one in record_lines(launch)))
        return 0

    def _line(self, launch: Launch, line: bytes) -> bytes:
        if launch.spec.command is None or msgspec.json.decode(line)["kind"] != "point":
            return line
        made = msgspec.json.decode(line, type=PointRecord)
        factor = factor_of(replace(launch.spec.layout, nodes=1), self.times)
        series = {name: tuple(factor * one for one in all_) for name, all_ in made.series.items()}
        return msgspec.json.encode(replace(made, series=series)) + b"\n"

    def run(self) -> RunFolder:
        folder = RunFolder(self.path) if self.path.exists() else self._new()
        measure(folder, self.launcher, self.precision, lambda _: self.plan(), ignore_progress)
        return folder

    def _new(self) -> RunFolder:
        folder = new_folder(self.path, self.study, self.precision)
        header = folder.header()
        request = replace(header.request, layout_options=self.options)
        (self.path / "run.json").write_bytes(msgspec.json.encode(replace(header, request=request)))
        return RunFolder(self.path)

    def plan(self) -> Plan:
        machine = synthetic_machine()
        several = f" on {self.nodes}" * (self.nodes > 1)
        specs = (
            replace(
                small_spec(name + several, layout=replace(layout, nodes=self.nodes)),
                command=COMMAND,
            )
            for name, layout in LAYOUTS.items()
        )
        ends = (reference_spec(machine, name) for name in (REFERENCE_START, REFERENCE_END))
        start, end = ends
        return Plan((start, *specs, end), self.precision)

    @property
    def counts(self) -> Counter[str]:
        return Counter(x.spec.name for x in self.launcher.started if x.spec.command is not None)


FASTER_BOUND = {"one": 3.0, "two": 1.0, "usual": 2.0, "unbound": 1.5}
"""Two threads gain, and so does pinning them."""
FASTER_UNBOUND = {**FASTER_BOUND, "unbound": 0.7}
TRIO = {"two", "usual", UNBOUND}


def rounds_of(folder: RunFolder) -> dict[int, set[str]]:
    """What was launched and accepted in each round."""
    found: dict[int, set[str]] = defaultdict(set)
    for number in folder.launch_numbers():
        outcome = folder.outcome(number)
        assert outcome is not None
        if outcome.round and outcome.verdict is Verdict.ACCEPTED:
            found[outcome.round].add(outcome.spec)
    return found


@pytest.mark.parametrize("times", [FASTER_BOUND, FASTER_UNBOUND])
def test_the_fastest_is_launched_unbound_next_to_itself_and_nothing_set(
    tmp_path: Path, times: Mapping[str, float]
) -> None:
    explored = Explored(tmp_path / "run", times)
    folder = explored.run()
    result = collect(folder)
    every = [names for _, names in sorted(rounds_of(folder).items())]
    assert every[ROUNDS:] == [TRIO] * LEAST_ROUNDS
    assert not any(UNBOUND in names for names in every[:ROUNDS])
    assert explored.launcher.started[-1].spec.name == REFERENCE_END
    # It is no candidate of the race, and has a result like any layout.
    assert {one.name for one in result.dropped_out} == {"one"}
    assert len(result.estimates) == len(LAYOUTS) + 1
    assert CaveatKind.FEW_LAUNCHES not in {one.kind for one in result.caveats}


@pytest.mark.parametrize("after", [20, 28, 30, 31, 33, 34, 40, 45, 46])
def test_an_interrupted_run_goes_on_as_it_would_have(tmp_path: Path, after: int) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.interrupted_after = after
    with pytest.raises(KeyboardInterrupt):
        explored.run()
    explored.interrupted_after = 0
    folder = explored.run()
    complete = [names for names in rounds_of(folder).values() if names >= TRIO]
    assert len(complete) == LEAST_ROUNDS
    result = collect(folder)
    assert [spec.role for spec in result.plan.specs].count(LaunchRole.UNBOUND) == 1
    assert result.outcomes[-1].spec == REFERENCE_END


def test_what_is_nearly_as_fast_gets_no_second_one_when_it_is_resumed(tmp_path: Path) -> None:
    """By the launches of the rounds after the race the other one is the fastest."""
    explored = Explored(tmp_path / "run", {**FASTER_BOUND, "one": 1.0001})
    explored.interrupted_after = 10 + 3 * ROUNDS + 3
    with pytest.raises(KeyboardInterrupt):
        explored.run()
    plan = RunFolder(explored.path).plan()
    assert plan is not None
    (unbound,) = (spec for spec in plan.specs if spec.role is LaunchRole.UNBOUND)
    explored.interrupted_after = 0
    explored.times = {**explored.times, unbound.group: 9.0}
    result = collect(explored.run())
    assert [spec.role for spec in result.plan.specs].count(LaunchRole.UNBOUND) == 1
    fastest = min(result.estimates, key=lambda one: one.value)
    assert fastest.point.layout != LAYOUTS[unbound.group]


def test_rounds_in_which_one_was_disturbed_are_made_again(tmp_path: Path) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.failing = 2
    folder = explored.run()
    complete = [names for names in rounds_of(folder).values() if names >= TRIO]
    assert len(complete) == LEAST_ROUNDS
    assert explored.counts[UNBOUND] == LEAST_ROUNDS + 2


@pytest.mark.parametrize(("budget", "follows"), [(22, False), (40, True)])
def test_nothing_follows_where_the_budget_ends_with_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float, follows: bool
) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    monkeypatch.setattr(session, "time", explored.clock)
    explored.precision = replace(PRECISION, budget_seconds=budget)
    explored.run()
    assert (UNBOUND in explored.counts) is follows
    assert min(explored.counts.values()) >= LEAST_ROUNDS


@pytest.mark.parametrize(
    "times",
    [
        {"one": 3.0, "two": 2.0, "usual": 1.0},
        {"one": 3.0, "two": 1.0, "usual": 1.0},
    ],
)
def test_nothing_follows_where_nothing_set_is_not_slower(
    tmp_path: Path, times: Mapping[str, float]
) -> None:
    explored = Explored(tmp_path / "run", times)
    explored.run()
    assert set(explored.counts) == set(LAYOUTS)


def test_nothing_follows_where_bindings_were_requested(tmp_path: Path) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.options = LayoutOptions(bindings=(Binding.CLOSE,))
    explored.run()
    assert set(explored.counts) == set(LAYOUTS)


def test_nothing_follows_in_a_study_of_several(tmp_path: Path) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.study = replace(EXPLORED, experiments=2 * EXPLORED.experiments)
    explored.run()
    assert set(explored.counts) == set(LAYOUTS)


def test_nothing_follows_in_a_study_whose_results_cannot_be_compared(tmp_path: Path) -> None:
    """Over several numbers of nodes its benchmarks have metrics of their own."""
    machine, options = synthetic_machine(), LayoutOptions(hosts=("n1", "n2"), nodes=(1, 2))
    of_network = Study(
        *("network", "Network", ""),
        (
            Experiment("network.latency", {"size": (8,)}),
            Experiment("network.bandwidth", {"size": (8,)}),
        ),
    )
    folder = new_folder(tmp_path / "run", of_network, FEW)
    request = replace(folder.header().request, layout_options=options)

    def planner(sizes: Sizes) -> Plan:
        return make_plan(of_network, machine, options, FEW, sizes)

    measure(folder, FakeLauncher(), FEW, planner, ignore_progress)
    assert folder.state().state is RunState.FINISHED
    plan = folder.plan()
    assert plan is not None
    assert {spec.layout.nodes for spec in plan.specs if spec.of_points} == {1, 2}
    tally = Tally(FEW)
    for outcome in folder.outcomes():
        spec = folder.launch(outcome.launch).spec
        tally.add(spec, outcome, folder.record(outcome.launch))
    assert unbound_trio(plan, tally, request, machine) is None


def test_nothing_follows_where_too_few_rounds_show_anything(tmp_path: Path) -> None:
    few = replace(PRECISION, least_launches=LEAST_ROUNDS - 1, most_launches=LEAST_ROUNDS - 1)
    explored = Explored(tmp_path / "run", FASTER_BOUND, few)
    explored.run()
    assert set(explored.counts) == set(LAYOUTS)


@pytest.mark.parametrize(("threads", "follows"), [((1,), False), ((1, 2), True)])
def test_one_thread_of_one_process_is_as_good_as_unbound_where_nothing_is_set(
    tmp_path: Path, threads: tuple[int, ...], follows: bool
) -> None:
    explored = Explored(tmp_path / "run", {"one": 1.0, "two": 3.0, "usual": 2.0, "unbound": 1.0})
    folder = explored.run()
    plan, request = explored.plan(), folder.header().request
    tally = Tally(PRECISION)
    for number in folder.launch_numbers():
        outcome = folder.outcome(number)
        assert outcome is not None
        tally.add(folder.launch(number).spec, outcome, folder.record(number))
    request = replace(request, layout_options=LayoutOptions(threads=threads))
    trio = unbound_trio(plan, tally, request, synthetic_machine())
    assert (trio is not None) is follows
    assert trio is None or (trio.fastest.name, trio.unbound.layout.binding) == ("one", Binding.NONE)


class LosingOne(FakeLauncher):
    """Loses a host in what is launched on four of them without binding."""

    def start(self, launch: Launch, record: Path, limit_seconds: float) -> Attempt:
        attempt = super().start(launch, record, limit_seconds)
        if launch.spec.role is not LaunchRole.UNBOUND or launch.spec.layout.nodes < 4:
            return attempt
        record.unlink()
        result = replace(attempt.result, exit_code=255)
        return replace(attempt, result=result, lost_hosts=(LostHost("n3", "no answer"),))


def test_where_a_host_is_lost_then_all_layouts_are_measured_without_it(tmp_path: Path) -> None:
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.launcher, explored.nodes = LosingOne(explored.timed), 4
    with pytest.raises(HostsLostError) as raised:
        explored.run()
    explored.nodes = 3
    measure(
        *(RunFolder(explored.path), explored.launcher, explored.precision),
        *(lambda _: explored.plan(), ignore_progress),
        lost=raised.value.lost,
    )
    roles = Counter(
        (one.spec.role, one.spec.layout.nodes)
        for one in explored.launcher.started
        if one.spec.command is not None
    )
    assert roles[LaunchRole.POINTS, 3] >= 2 * ROUNDS
    assert roles[LaunchRole.UNBOUND, 3] == LEAST_ROUNDS
    assert roles[LaunchRole.UNBOUND, 4] == 1
    result = collect(RunFolder(explored.path))
    assert result.state is RunState.FINISHED
