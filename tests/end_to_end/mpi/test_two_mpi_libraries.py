"""The same points under two MPI libraries, launch by launch in turn, from one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from machmeter.store.run_folder import RunFolder
from tests.support.processes.machmeter_command import (
    MachmeterCommand,
    assert_refused,
    tiny,
    verdicts,
)


@pytest.fixture
def command(command_beside_others: MachmeterCommand) -> MachmeterCommand:
    return command_beside_others


def test_both_libraries_measure_the_same_points_in_the_same_rounds(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    words = (*tiny("network.latency", "size=8,64KiB"), "--mpi", "mpich", "--mpi", "openmpi")
    done = command.run(*words, "--output", tmp_path / "run", "--json", seconds=580)
    assert done.returncode == 0, done.stdout + done.stderr
    estimates = json.loads(done.stdout)["estimates"]
    points = {
        (one["point"]["variant"]["mpi"], one["point"]["parameters"][-1][1]) for one in estimates
    }
    assert {mpi for mpi, _ in points} == {"mpich", "openmpi"}
    assert len(estimates) == 4
    assert {tuple(one["rounds"]) for one in estimates} == {(1, 2)}
    said = {one["point"]["variant"]["mpi"]: "" for one in estimates}
    yields: dict[str, list[float]] = {name: [] for name in said}
    folder = RunFolder.open(tmp_path / "run")
    for path in sorted((folder.path / "launches").glob("*.jsonl")):
        header, *_, closing = map(json.loads, path.read_text().splitlines())
        if header["benchmark"] == "network.latency":
            name = folder.launch(header["launch"]).spec.variant.mpi
            said[name] = header["toolchain"]["mpi_library"]
            yields[name].append(closing["yields_per_message"])
    assert "MPICH" in said["mpich"]
    assert "Open MPI" in said["openmpi"]
    # MPICH's wheel yields at each poll, whether or not another rank waits for the CPU.
    assert min(yields["mpich"]) > max(yields["openmpi"])
    for spec, ended in verdicts(tmp_path / "run").items():
        assert set(ended) == {"accepted"}, spec


@pytest.mark.full
def test_a_library_that_is_measured_alone_has_two_launches_of_another_for_comparison(
    command: MachmeterCommand, tmp_path: Path
) -> None:
    words = (*tiny("network.latency", "size=8,64"), "--mpi", "openmpi")
    done = command.run(*words, "--output", tmp_path / "run", "--json", seconds=580)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    other = result["header"]["machine"]["software"]["other_mpi"]
    (spec,) = [one for one in result["plan"]["specs"] if one["role"] == "library"]
    assert spec["variant"]["mpi"] == other != ""
    assert verdicts(tmp_path / "run")[spec["name"]] == ["accepted", "accepted"]
    assert {one["point"]["variant"]["mpi"] for one in result["estimates"]} == {""}
    assert len(result["estimates"]) == 2
    assert "Open MPI" in result["toolchain"]["mpi_library"]
    # They are no part of the run: its programs are kept for comparison, its samples are its own.
    again = command.run("run", "--against", tmp_path / "run", "--dry-run")
    assert "the programs that measured it" in " ".join(again.stdout.split()), again.stdout
    samples = command.run("export", tmp_path / "run", "--what", "samples", "--format", "csv")
    assert samples.returncode == 0
    assert spec["name"] not in samples.stdout
    assert_two_histories(command, tmp_path)


def assert_two_histories(command: MachmeterCommand, tmp_path: Path) -> None:
    """What MPICH measures is no part of the history of Open MPI's run."""
    words = (*tiny("network.latency", "size=8"), "--mpi", "mpich")
    done = command.run(*words, "--output", tmp_path / "mpich", seconds=580)
    assert done.returncode == 0, done.stdout + done.stderr
    done = command.run("history", "network.latency", "--point", "size=8,", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)["results"]
    assert [len(one["values"]) for one in found] == [1, 1]
    assert sorted(one["mpi_library"].split()[0] for one in found) == ["MPICH", "Open"]
    done = command.run("compare", tmp_path / "mpich", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads(done.stdout)["comparisons"][0]["results"]
    assert any(note.startswith("other library: MPICH") for note in result["notes"])


def test_more_ranks_than_cores_are_refused_until_they_are_asked_for_by_name(
    command: MachmeterCommand,
) -> None:
    many = ("run", "network.collective", "--ranks", "1000", "--dry-run")
    assert_refused(command.run(*many), 3, "--oversubscribe")
    assert command.run(*many, "--oversubscribe").returncode == 0


def test_nodes_without_hosts_and_unknown_agents_are_wrong_usage(command: MachmeterCommand) -> None:
    base = ("run", "network.latency", "--dry-run")
    assert_refused(command.run(*base, "--nodes", "2"), 2, "--hosts")
    assert_refused(
        command.run(*base, "--hosts", "localhost,b", "--remote-shell", "/no/such"),
        2,
        "--remote-shell",
    )
    assert_refused(command.run(*base, "--hosts", "a;b"), 2, "invalid host name")
    assert_refused(command.run(*base, "--hosts", "slurm"), 3, "Slurm job")
