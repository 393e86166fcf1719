"""The fastest layout of a program is launched without binding too, next to itself with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, PointRecord
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import Plan, Precision
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.tally import Tally
from machmeter.run.measuring.unbound import unbound_spec
from machmeter.run.planning.plan import REFERENCE_END, REFERENCE_START, reference_spec
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    STUDY,
    FakeLauncher,
    new_folder,
    record_lines,
    small_spec,
    synthetic_machine,
)

ROUNDS = 10
PRECISION = Precision(least_launches=ROUNDS, most_launches=ROUNDS, budget_seconds=1e6, race=True)
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
        self.launcher = FakeLauncher(self.timed)
        self.study = EXPLORED
        self.options = LayoutOptions()
        self.path = path

    def timed(self, launch: Launch, record: Path) -> int:
        if self.interrupted_after and launch.number > self.interrupted_after:
            raise KeyboardInterrupt
        record.write_bytes(b"".join(self._line(launch, one) for one in record_lines(launch)))
        return 0

    def _line(self, launch: Launch, line: bytes) -> bytes:
        if launch.spec.command is None or msgspec.json.decode(line)["kind"] != "point":
            return line
        made = msgspec.json.decode(line, type=PointRecord)
        factor = factor_of(launch.spec.layout, self.times)
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
        specs = (
            replace(small_spec(name, layout=layout), command=COMMAND)
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
AS_FAST_UNBOUND = {**FASTER_BOUND, "unbound": 1.0}
FASTER_UNBOUND = {**FASTER_BOUND, "unbound": 0.7}


@pytest.mark.parametrize("times", [FASTER_BOUND, FASTER_UNBOUND])
def test_the_fastest_is_launched_unbound_until_one_of_both_is_shown_to_be_slower(
    tmp_path: Path, times: Mapping[str, float]
) -> None:
    explored = Explored(tmp_path / "run", times)
    result = collect(explored.run())
    assert explored.counts[UNBOUND] == LEAST_ROUNDS
    assert explored.counts["two"] == ROUNDS + LEAST_ROUNDS
    assert explored.counts["usual"] == ROUNDS
    slower = UNBOUND if times["unbound"] > 1 else "two"
    assert {one.name for one in result.dropped_out} == {"one", slower}
    assert CaveatKind.FEW_LAUNCHES not in {one.kind for one in result.caveats}
    # What follows the rounds of all is in rounds of its own, each of both.
    rounds = [o.round for o in result.outcomes if o.spec == UNBOUND]
    assert rounds == [o.round for o in result.outcomes if o.spec == "two"][ROUNDS:]
    assert min(rounds) > max(o.round for o in result.outcomes if o.spec == "usual")
    assert explored.launcher.started[-1].spec.name == REFERENCE_END


def test_equally_fast_ones_are_launched_as_often_as_any(tmp_path: Path) -> None:
    explored = Explored(tmp_path / "run", AS_FAST_UNBOUND)
    explored.run()
    assert explored.counts[UNBOUND] == ROUNDS


@pytest.mark.parametrize("after", [20, 28, 30])
def test_an_interrupted_run_goes_on_as_it_would_have(tmp_path: Path, after: int) -> None:
    whole = Explored(tmp_path / "whole", FASTER_BOUND)
    whole.run()
    explored = Explored(tmp_path / "run", FASTER_BOUND)
    explored.interrupted_after = after
    with pytest.raises(KeyboardInterrupt):
        explored.run()
    explored.interrupted_after = 0
    result = collect(explored.run())
    accepted = Counter(o.spec for o in result.outcomes if not o.interrupted)
    assert {name: accepted[name] for name in whole.counts} == whole.counts
    assert [spec.name for spec in result.plan.specs].count(UNBOUND) == 1


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
    spec = unbound_spec(plan, tally, request, synthetic_machine())
    assert (spec is not None) is follows
    assert spec is None or (spec.group, spec.layout.binding) == ("one", Binding.NONE)
