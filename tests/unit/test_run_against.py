"""From an earlier run to an old side: its programs where they are, a refusal where nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from fake_launcher import FakeLauncher, new_folder, run_to_end, small_spec, synthetic_machine
from msgspec.structs import replace
from two_sides import ASKED

from machmeter.build.sources import native_sources, source_hash
from machmeter.model.benchmark import Executable
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.launch import LaunchSpec, Outcome, Verdict
from machmeter.model.run import KeptProgram
from machmeter.run.against import against, with_hosts_and_precision_of
from machmeter.run.kept_programs import kept_programs, launcher_of_kept, program_of
from machmeter.run.toolchains import Surroundings
from machmeter.store.run_folder import RunFolder

NODE = small_spec()
RANKS = replace(NODE, executable=Executable.MPI)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return run_to_end(new_folder(tmp_path / "run"), FakeLauncher())


def programs_in(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in (*names, "machmeter-bind"):
        (folder / name).write_text("")
    return folder


def of_node(folder: Path) -> tuple[str, ...]:
    bind = (str(folder / "machmeter-bind"), "--rank", "0", "OMP_NUM_THREADS=1", "--")
    return (*bind, str(folder / "machmeter-node"), "memory.latency", "--record", "/a/b")


def of_ranks(folder: Path, mpiexec: str) -> tuple[str, ...]:
    bind = str(folder / "machmeter-bind")
    words = (bind, "--rank", "none", "--", mpiexec, "-n", "2", bind, "--rank", "0", "--rank", "1")
    return (*words, "--", str(folder / "machmeter-mpi"), "network.latency")


def outcome(command: Sequence[str], spec: LaunchSpec = NODE) -> tuple[LaunchSpec, Outcome]:
    return spec, Outcome(1, spec.name, Verdict.ACCEPTED, (), tuple(command), 0, "", 1.0)


def with_commands(folder: RunFolder, command: Sequence[str]) -> None:
    """Let every launch of node programs in `folder` have been started by that command."""
    for number in folder.launch_numbers():
        known = folder.outcome(number)
        assert known is not None
        if folder.launch(number).spec.executable is Executable.NODE:
            folder.write_outcome(replace(known, command=tuple(command)))


def test_commands_tell_which_program_was_started_and_by_what(tmp_path: Path) -> None:
    assert program_of(NODE, of_node(tmp_path)) == KeptProgram(Executable.NODE, "", str(tmp_path))
    found = program_of(RANKS, of_ranks(tmp_path, "/mpi/bin/mpiexec"))
    assert found == KeptProgram(Executable.MPI, "", str(tmp_path), "/mpi/bin/mpiexec")


@pytest.mark.parametrize(
    "command", [(), ("program",), ("a", "--"), ("a", "--", "machmeter-node"), ("--", "/x/other")]
)
def test_a_command_of_another_form_tells_nothing(command: tuple[str, ...]) -> None:
    assert program_of(NODE, command) is None


def test_programs_count_only_where_all_of_them_are_there(tmp_path: Path) -> None:
    here = programs_in(tmp_path / "build", "machmeter-node", "machmeter-mpi")
    mpiexec = tmp_path / "mpiexec"
    both = [outcome(of_node(here)), outcome(of_ranks(here, str(mpiexec)), RANKS)]
    assert kept_programs(both) == ()
    mpiexec.write_text("")
    assert {one.executable for one in kept_programs(both)} == {Executable.NODE, Executable.MPI}
    (here / "machmeter-node").unlink()
    assert kept_programs(both) == ()


def test_a_run_is_measured_again_by_the_programs_that_measured_it(
    folder: RunFolder, tmp_path: Path
) -> None:
    here = programs_in(tmp_path / "build", "machmeter-node")
    with_commands(folder, of_node(here))
    for number in folder.launch_numbers():
        if folder.launch(number).spec.executable is not Executable.NODE:
            (folder.path / "launches" / f"{number:05d}.outcome.json").unlink()
    old = against(folder, ASKED, synthetic_machine())
    assert old.programs == (KeptProgram(Executable.NODE, "", str(here)),)
    assert (old.run, old.toolchain.flags) == ("a-run", "-O3")
    around = Surroundings({}, tmp_path)
    launcher_of_kept(old, synthetic_machine(), around)
    (here / "machmeter-node").unlink()
    with pytest.raises(MachineLacksError, match=r"machmeter-node in .* is not there"):
        launcher_of_kept(old, synthetic_machine(), around)


def test_programs_for_another_processor_are_not_taken(folder: RunFolder, tmp_path: Path) -> None:
    with_commands(folder, of_node(programs_in(tmp_path / "build", "machmeter-node")))
    other = replace(synthetic_machine(), cpu_model="Another CPU")
    assert against(folder, ASKED, other, rebuild=True).programs == ()
    with pytest.raises(MachineLacksError):
        against(folder, ASKED, other)


def test_kernels_that_are_gone_are_refused_with_both_ways_out(folder: RunFolder) -> None:
    with pytest.raises(MachineLacksError, match="kernels have changed") as caught:
        against(folder, ASKED, synthetic_machine())
    assert caught.value.exit_code == 3
    assert "--rebuild" in caught.value.remedy
    assert "version 1" in caught.value.remedy
    assert against(folder, ASKED, synthetic_machine(), rebuild=True).programs == ()


def test_the_same_sources_are_compiled_anew(folder: RunFolder) -> None:
    today = source_hash(native_sources()).encode()
    for number in folder.launch_numbers():
        path = folder.record_path(number)
        path.write_bytes(path.read_bytes().replace(b"0" * 16, today))
    old = against(folder, ASKED, synthetic_machine(), rest=True)
    assert old.programs == ()
    assert old.rest


def test_a_run_that_measured_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to repeat"):
        against(new_folder(tmp_path / "run"), ASKED, synthetic_machine())


def test_the_old_side_runs_where_and_as_precisely_as_the_new_one() -> None:
    of_new = replace(
        ASKED,
        wish=replace(ASKED.wish, hosts=("n1", "n2"), nodes=(2,), smt=2),
        precision=replace(ASKED.precision, most_launches=99),
    )
    of_old = with_hosts_and_precision_of(of_new, ASKED)
    assert of_old.wish.hosts == ("n1", "n2")
    assert of_old.wish.nodes == (2,)
    assert of_old.wish.smt == 1
    assert of_old.precision.most_launches == 99
