"""A run is read from files that somebody may have edited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from machmeter.model.errors import MachmeterError
from machmeter.model.layout import Assignment
from machmeter.model.plan.launch import LaunchSpec, Verdict
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.run import RunState
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import FakeLauncher, new_folder, run_to_end

Line = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return run_to_end(new_folder(tmp_path / "run"), FakeLauncher())


def edit(folder: RunFolder, number: int, change: Callable[[list[Line]], None]) -> None:
    path = folder.record_path(number)
    lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    change(lines)
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"quanta_seconds": [[0.0, 1e-4]]}, "a quantum is not a positive time"),
        ({"cpus": [0, 1]}, "2 CPUs but quanta of 1"),
    ],
)
def test_noise_that_cannot_be_is_left_out_and_told_once(
    folder: RunFolder, change: Line, words: str
) -> None:
    whole = collect(folder)
    for number in (1, 2):
        edit(folder, number, lambda lines: lines[0]["noise"][0].update(change))
    damaged = collect(folder)
    assert damaged.estimates == whole.estimates
    assert sum(n.quanta for n in damaged.noise) == sum(n.quanta for n in whole.noise) - 40
    (told,) = {one.text for one in damaged.caveats} - {one.text for one in whole.caveats}
    assert words in told


def test_a_program_that_says_no_toolchain_has_no_build(folder: RunFolder) -> None:
    for number in folder.launch_numbers():
        edit(folder, number, lambda lines: lines[0].update(toolchain=None, clock=None))
    result = collect(folder)
    assert (result.toolchain, result.kernel_hashes) == (None, {})
    assert result.estimates
    assert CaveatKind.SEVERAL_BUILDS not in {one.kind for one in result.caveats}


def test_a_record_of_another_launch_is_rejected(folder: RunFolder) -> None:
    first, last = (
        outcome.launch
        for outcome in sorted(collect(folder).outcomes, key=lambda one: (one.spec, one.launch))[-2:]
    )
    folder.record_path(last).write_bytes(folder.record_path(first).read_bytes())
    changed = collect(folder)
    (outcome,) = (one for one in changed.outcomes if one.launch == last)
    assert outcome.verdict is Verdict.REJECTED
    assert f"requested {outcome.spec.split()[0]}, launch {last}, seed" in outcome.reasons[1]
    assert all(last not in one.launch_numbers for one in changed.estimates)


def test_a_placement_that_was_edited_is_rejected(folder: RunFolder) -> None:
    number = folder.launch_numbers()[-1]

    def elsewhere(lines: list[Line]) -> None:
        lines[0]["places"][0].update(cpu=1, cpus=[1])

    edit(folder, number, elsewhere)
    outcome = collect(folder).outcomes[-1]
    assert outcome.verdict is Verdict.REJECTED
    assert "verified when it was accepted" in outcome.reasons[0]


def test_launches_whose_files_were_removed_are_told(folder: RunFolder) -> None:
    numbers = folder.launch_numbers()
    for number in (2, 4, 5, numbers[-1]):
        (folder.path / "launches" / f"{number:05d}.launch.json").unlink()
    text = next(one.text for one in collect(folder).caveats if "missing" in one.text)
    assert text == f"the files of 4 launches are missing: 2, 4 to 5, {numbers[-1]}"


def test_a_launch_that_lost_its_cpus_is_rejected(folder: RunFolder) -> None:
    number = folder.launch_numbers()[-1]
    launch = folder.launch(number)
    for assignment in (Assignment(()), Assignment(launch.assignment.cpus, ((0,), (1,), (2,)))):
        folder.write_launch(msgspec.structs.replace(launch, assignment=assignment))
        outcome = collect(folder).outcomes[-1]
        assert outcome.verdict is Verdict.REJECTED
        assert "assigned to other ranks" in outcome.reasons[1]


def test_a_launch_whose_outcome_was_removed_is_told(folder: RunFolder) -> None:
    last = folder.launch_numbers()[-1]
    for number in (3, last):
        (folder.path / "launches" / f"{number:05d}.outcome.json").unlink()
    for state, missing in (
        (RunState.FINISHED, (range(3, 4), range(last, last + 1))),
        (RunState.RUNNING, (range(3, 4),)),
    ):
        folder.write_state(msgspec.structs.replace(folder.state(), state=state))
        assert folder.missing_launches() == missing


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seconds", [-1.0, 5e-324, 1e-315, 1e307])
def test_a_record_with_impossible_samples_is_named(folder: RunFolder, seconds: float) -> None:
    number = folder.launch_numbers()[-1]

    def impossible(lines: list[Line]) -> None:
        for samples in lines[1]["series"].values():
            samples[0] = seconds

    edit(folder, number, impossible)
    with pytest.raises(MachmeterError, match=f"launch {number} of the run in .*not what") as told:
        collect(folder)
    assert "sample 0 of series" in told.value.message


@pytest.mark.parametrize("seconds", [1e307, -1e307])
def test_a_launch_of_impossible_length_is_named(folder: RunFolder, seconds: float) -> None:
    outcome = folder.outcome(2)
    assert outcome is not None
    folder.write_outcome(msgspec.structs.replace(outcome, wall_seconds=seconds))
    with pytest.raises(MachmeterError, match=r"launch 2 of the run in .*1e\+307 s"):
        collect(folder)


def test_a_run_of_impossible_length_is_named(folder: RunFolder) -> None:
    folder.write_state(msgspec.structs.replace(folder.state(), wall_seconds=1.7e308))
    with pytest.raises(MachmeterError, match=r"the run in .*1\.7e\+308 s"):
        collect(folder)


def test_an_outcome_in_another_launch_s_place_is_named(folder: RunFolder) -> None:
    launches = folder.path / "launches"
    (launches / "00002.outcome.json").write_bytes((launches / "00001.outcome.json").read_bytes())
    with pytest.raises(MachmeterError, match=r"launch 2 of the run in .*different launches"):
        collect(folder)


def test_a_plan_without_its_reference_is_told(folder: RunFolder) -> None:
    plan = msgspec.json.decode((folder.path / "plan.json").read_bytes())
    plan["specs"] = [spec for spec in plan["specs"] if spec["role"] == "points"]
    (folder.path / "plan.json").write_bytes(msgspec.json.encode(plan))
    with pytest.raises(MachmeterError, match="is not what this version of machmeter writes"):
        collect(folder)


def test_hosts_and_transports_are_those_of_the_launches(tmp_path: Path) -> None:
    study = Study("net", "", "", (Experiment("network.latency"),))
    folder = run_to_end(new_folder(tmp_path / "net", study), FakeLauncher())
    (spec,) = [spec for spec in _planned(folder) if spec.of_points]
    numbers = [n for n in folder.launch_numbers() if folder.launch(n).spec == spec]
    for number in numbers:
        edit(folder, number, lambda lines: lines[0].update(transport={"btl": "sm"}))
    result = collect(folder)
    assert list(result.transports.values()) == [{"btl": "sm"}]
    assert len(result.rank_hosts) == 2
    (curve,) = result.protocols
    assert curve.metric == "latency"
    assert curve.point.benchmark == "network.latency"
    assert curve.regions[0].first_bytes == 0
    assert curve.regions[-1].last_bytes == 4 * 2**20


def test_what_hosts_of_nodes_differ_in_is_kept_for_each_node(tmp_path: Path) -> None:
    study = Study("nodes", "", "", (Experiment("nodes.latency"),))
    folder = run_to_end(new_folder(tmp_path / "nodes", study, hosts=("n1", "n2")), FakeLauncher())
    said = [
        {"name": "n1", "kernel": "6.1", "governor": "performance"},
        {"name": "n2", "kernel": "6.12", "governor": "performance"},
    ]
    spec = next(spec for spec in _planned(folder) if spec.of_points)
    for number in folder.launch_numbers():
        if folder.launch(number).spec == spec:
            edit(folder, number, lambda lines: lines[0].update(hosts=said))
    assert collect(folder).node_attributes == {"kernel": {0: "6.1", 1: "6.12"}}


def _planned(folder: RunFolder) -> tuple[LaunchSpec, ...]:
    plan = folder.plan()
    assert plan is not None
    return plan.specs
