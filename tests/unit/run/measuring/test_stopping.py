"""A race of layouts: the slower ones are launched no more, and a resumed race goes on the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.race.dropping import LEAST_ROUNDS, Rounds, race
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, LaunchSpec, PointRecord
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.comparison import DroppedOut
from machmeter.model.results.run import Plan, Precision
from machmeter.run.compare.run_as_machine import run_as_machine
from machmeter.run.measuring import stopping
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.stopping import Race
from machmeter.run.measuring.tally import Tally
from machmeter.run.planning.plan import REFERENCE_END, REFERENCE_START, reference_spec
from machmeter.run.planning.sizing import Sizes
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    FakeLauncher,
    new_folder,
    record_lines,
    small_spec,
    synthetic_machine,
)

ROUNDS = 12
PRECISION = Precision(least_launches=ROUNDS, most_launches=ROUNDS, budget_seconds=1e6, race=True)
TIMES = {"default": 1.5, "best": 1.0, "tied": 1.0, "slow": 2.0, "slowest": 4.0}


def spec_of(name: str) -> LaunchSpec:
    binding = Binding.DEFAULT if name == "default" else Binding.NONE
    spec = small_spec(name, layout=Layout(binding=binding))
    return replace(spec, command=Command(("/bin/true",), "/", 60.0))


def plan_of(precision: Precision = PRECISION) -> Plan:
    ends = (reference_spec(synthetic_machine(), name) for name in (REFERENCE_START, REFERENCE_END))
    return Plan((*map(spec_of, TIMES), *ends), precision)


def timed(launch: Launch, record: Path) -> int:
    """What takes the time of its layout."""
    record.write_bytes(b"".join(_in_its_time(launch, line) for line in record_lines(launch)))
    return 0


def _in_its_time(launch: Launch, line: bytes) -> bytes:
    factor = TIMES.get(launch.spec.name)
    if factor is None or msgspec.json.decode(line)["kind"] != "point":
        return line
    made = msgspec.json.decode(line, type=PointRecord)
    series = {name: tuple(factor * one for one in all_) for name, all_ in made.series.items()}
    return msgspec.json.encode(replace(made, series=series)) + b"\n"


def raced(path: Path, launcher: FakeLauncher, precision: Precision = PRECISION) -> RunFolder:
    folder = RunFolder(path) if path.exists() else new_folder(path, precision=precision)

    def planner(_sizes: Sizes) -> Plan:
        return plan_of(precision)

    measure(folder, launcher, precision, planner, ignore_progress)
    return folder


def counts(launcher: FakeLauncher) -> Counter[str]:
    return Counter(launch.spec.name for launch in launcher.started if launch.spec.name in TIMES)


def test_the_slower_ones_are_launched_no_more_and_the_default_is(tmp_path: Path) -> None:
    launcher = FakeLauncher(timed)
    result = collect(raced(tmp_path / "run", launcher))
    assert counts(launcher) == {
        **dict.fromkeys(("default", "best", "tied"), ROUNDS),
        **dict.fromkeys(("slow", "slowest"), LEAST_ROUNDS),
    }
    assert {one.name: one.round for one in result.dropped_out} == {
        "slow": LEAST_ROUNDS,
        "slowest": LEAST_ROUNDS,
    }


def test_layouts_of_each_number_of_nodes_have_a_race_of_their_own(tmp_path: Path) -> None:
    """Else all of one node would drop out against those of two."""
    of_two = {"best", "slow"}

    def placed(spec: LaunchSpec) -> LaunchSpec:
        layout = replace(spec.layout, nodes=2 if spec.name in of_two else 1)
        points = tuple(replace(point, layout=layout) for point in spec.points)
        return replace(spec, layout=layout, points=points)

    folder, tally = raced(tmp_path / "run", FakeLauncher(timed)), Tally(PRECISION)
    placed_specs = [placed(spec_of(name)) for name in TIMES]
    for outcome in folder.outcomes():
        spec = next((one for one in placed_specs if one.name == outcome.spec), None)
        if spec is not None:
            tally.add(spec, outcome, folder.record(outcome.launch))
    dropped = stopping.dropped_out(placed_specs, tally, ())
    assert {one.name: one.behind for one in dropped} == {"slow": "best", "slowest": "tied"}


def test_what_an_older_version_did_not_observe_is_shown_and_not_ranked(tmp_path: Path) -> None:
    def unseen(launch: Launch, record: Path) -> int:
        lines = [line for line in record_lines(launch) if b'"kind":"observed"' not in line]
        lines[0] = msgspec.json.encode(msgspec.json.decode(lines[0]) | {"format": 3}) + b"\n"
        record.write_bytes(b"".join(lines))
        return 0

    def some_unseen(launch: Launch, record: Path) -> int:
        return (unseen if launch.spec.name == "best" else timed)(launch, record)

    seen = collect(raced(tmp_path / "seen", FakeLauncher(timed)))
    result = collect(raced(tmp_path / "unseen", FakeLauncher(some_unseen)))
    assert {one.point for one in result.estimates} == {one.point for one in seen.estimates}
    assert (seen.not_observed, result.not_observed) == ((), ("best",))
    kinds = [{one.kind for one in of.caveats} for of in (seen, result)]
    assert [CaveatKind.NOT_OBSERVED in one for one in kinds] == [False, True]
    (best,) = (spec for spec in result.plan.specs if spec.name == "best")
    compared = [{one.point for one in run_as_machine(of).estimates} for of in (seen, result)]
    assert compared[0] - compared[1] == set(best.points)


def test_without_a_race_every_layout_is_launched_equally_often(tmp_path: Path) -> None:
    launcher = FakeLauncher(timed)
    precision = replace(PRECISION, race=False)
    assert collect(raced(tmp_path / "run", launcher, precision)).dropped_out == ()
    assert counts(launcher) == dict.fromkeys(TIMES, ROUNDS)


def test_a_race_is_evaluated_once_a_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(
        values: Mapping[str, Rounds], *, higher_is_better: bool, kept: Collection[str] = ()
    ) -> tuple[DroppedOut, ...]:
        calls.append(sum(map(len, values.values())))
        return race(values, higher_is_better=higher_is_better, kept=kept)

    monkeypatch.setattr(stopping, "race", counted)
    raced(tmp_path / "run", FakeLauncher(timed))
    assert len(calls) <= ROUNDS + 1
    assert calls[-1] == 3 * ROUNDS + 2 * LEAST_ROUNDS


def test_within_a_round_nobody_drops_out(tmp_path: Path) -> None:
    """Where a round is half done, some have a launch more than others."""
    folder = raced(tmp_path / "run", FakeLauncher(timed))
    result = collect(folder)
    tally = Tally(PRECISION)
    rule = Race(PRECISION, tally, [spec_of(name) for name in TIMES], ())
    for outcome in result.outcomes:
        if outcome.spec in TIMES:
            spec = folder.launch(outcome.launch).spec
            tally.add(spec, outcome, folder.record(outcome.launch))
    rule.begin_round(LEAST_ROUNDS)
    assert all(rule.wants_more(spec_of(name), LEAST_ROUNDS) for name in TIMES)
    rule.begin_round(LEAST_ROUNDS + 1)
    left = {name for name in TIMES if rule.wants_more(spec_of(name), LEAST_ROUNDS)}
    assert left == {"default", "best", "tied"}


@pytest.mark.parametrize("after", [18, 33, 40])
def test_a_race_that_was_interrupted_goes_on_as_it_would_have(tmp_path: Path, after: int) -> None:
    whole = FakeLauncher(timed)
    raced(tmp_path / "whole", whole)

    def interrupted(launch: Launch, record: Path) -> int:
        if launch.number > after:
            raise KeyboardInterrupt
        return timed(launch, record)

    first, second = FakeLauncher(interrupted), FakeLauncher(timed)
    with pytest.raises(KeyboardInterrupt):
        raced(tmp_path / "run", first)
    result = collect(raced(tmp_path / "run", second))
    assert {one.name for one in result.dropped_out} == {"slow", "slowest"}
    accepted = Counter(o.spec for o in result.outcomes if not o.interrupted and o.spec in TIMES)
    assert accepted == counts(whole)
