"""From an earlier run to a baseline: its programs where they are, a refusal where nothing is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM, SHMEM_PROGRAM
from machmeter.build.mpi import resolve_mpi
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchOutcome, LaunchSpec, Verdict
from machmeter.model.plan.study import Experiment
from machmeter.model.point import make_point
from machmeter.model.results.run import CachedBinary
from machmeter.run.ab.baseline import against, with_hosts_and_precision_of
from machmeter.run.planning.pairing import plan_of
from machmeter.run.planning.sizing import NO_SIZES
from machmeter.run.programs.cached import (
    CacheLocations,
    as_chosen,
    cached_binaries,
    cached_programs,
    locations_of,
    program_of,
)
from machmeter.run.programs.compiled import BuildContext
from machmeter.store.run_folder import RunFolder
from tests.support.fake_launcher import (
    FakeLauncher,
    new_folder,
    run_to_end,
    small_spec,
    synthetic_machine,
)
from tests.support.made_up.ab_runs import ASKED
from tests.support.made_up.todays_sources import measured_today

NODE = small_spec()
RANKS = replace(NODE, program=MPI_PROGRAM.name)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return run_to_end(new_folder(tmp_path / "run"), FakeLauncher())


@pytest.fixture
def around(tmp_path: Path) -> BuildContext:
    return BuildContext({}, tmp_path)


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


def outcome(command: Sequence[str], spec: LaunchSpec = NODE) -> tuple[LaunchSpec, LaunchOutcome]:
    return spec, LaunchOutcome(1, spec.name, Verdict.ACCEPTED, (), tuple(command), 0, "", 1.0)


def with_commands(folder: RunFolder, by_program: Mapping[str, Sequence[str]]) -> None:
    """Let every launch of those programs in `folder` have been started by that command."""
    for number in folder.launch_numbers():
        known = folder.outcome(number)
        assert known is not None
        command = by_program.get(folder.launch(number).spec.program, known.command)
        folder.write_outcome(replace(known, command=tuple(command)))


def with_kept_programs(folder: RunFolder, cache: Path) -> Path:
    """Let the run in `folder` have been measured with programs in `cache`, and tell where."""
    here = programs_in(cache / "build" / "of-run", "machmeter-node", "machmeter-mpi")
    commands = {
        NODE_PROGRAM.name: of_node(here),
        MPI_PROGRAM.name: of_ranks(here, str(mpi_in(cache / "mpi" / "m"))),
    }
    with_commands(folder, commands)
    return here


def mpi_in(prefix: Path) -> Path:
    """An MPI whose mpiexec says that it is one; its path."""
    (prefix / "bin").mkdir(parents=True)
    for name in ("mpicxx", "mpiexec"):
        (prefix / "bin" / name).write_text("#!/bin/sh\necho HYDRA 5.0.2\n")
        (prefix / "bin" / name).chmod(0o755)
    return prefix / "bin" / "mpiexec"


def test_commands_tell_which_program_was_started_and_by_what(tmp_path: Path) -> None:
    assert program_of(NODE, of_node(tmp_path)) == CachedBinary(NODE_PROGRAM.name, "", str(tmp_path))
    found = program_of(RANKS, of_ranks(tmp_path, "/mpi/bin/mpiexec"))
    assert found == CachedBinary(MPI_PROGRAM.name, "", str(tmp_path), "/mpi/bin/mpiexec")


@pytest.mark.parametrize(
    "command", [(), ("program",), ("a", "--"), ("a", "--", "machmeter-node"), ("--", "/x/other")]
)
def test_a_command_of_another_form_tells_nothing(command: tuple[str, ...]) -> None:
    assert program_of(NODE, command) is None


def test_programs_count_only_where_all_of_them_are_there(tmp_path: Path) -> None:
    here = programs_in(tmp_path / "build" / "one", "machmeter-node", "machmeter-mpi")
    mpiexec = tmp_path / "mpi" / "m" / "bin" / "mpiexec"
    both = [outcome(of_node(here)), outcome(of_ranks(here, str(mpiexec)), RANKS)]
    places = CacheLocations(tmp_path)
    assert cached_binaries(both, places) == ()
    mpi_in(tmp_path / "mpi" / "m")
    kept = cached_binaries(both, places)
    assert {one.program for one in kept} == {NODE_PROGRAM.name, MPI_PROGRAM.name}
    (here / "machmeter-node").unlink()
    assert cached_binaries(both, places) == ()


def test_programs_are_taken_from_where_this_user_s_lie_alone(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    here = programs_in(cache / "build" / "one", "machmeter-node", "machmeter-mpi")
    there = programs_in(elsewhere / "build" / "one", "machmeter-node")
    assert cached_binaries([outcome(of_node(here))], CacheLocations(cache))
    assert cached_binaries([outcome(of_node(there))], CacheLocations(cache)) == ()
    around = cache / "build" / ".." / ".." / "elsewhere" / "build" / "one"
    assert cached_binaries([outcome(of_node(around))], CacheLocations(cache)) == ()
    of_site = [outcome(of_ranks(here, str(mpi_in(elsewhere / "mpi"))), RANKS)]
    assert cached_binaries(of_site, CacheLocations(cache)) == ()
    asked = replace(ASKED, mpi=f"mpich,{elsewhere / 'mpi'}")
    assert cached_binaries(of_site, locations_of(asked, cache, ""))


@pytest.mark.parametrize(
    "folder", ["build/..", "build", "build/one/two", "build/one/..", "build/one/../../build/one"]
)
def test_a_folder_of_programs_is_one_directly_below_the_cache(tmp_path: Path, folder: str) -> None:
    programs_in(tmp_path / "build" / "one" / "two", "machmeter-node")
    for above in (tmp_path / "build" / "one", tmp_path / "build", tmp_path):
        for name in ("machmeter-node", "machmeter-bind"):
            (above / name).write_text("")
    assert cached_binaries([outcome(of_node(tmp_path / "build" / "one"))], CacheLocations(tmp_path))
    assert cached_binaries([outcome(of_node(tmp_path / folder))], CacheLocations(tmp_path)) == ()


def test_names_that_lead_elsewhere_behind_a_link_are_not_taken(tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    here = programs_in(cache / "build" / "one", "machmeter-node", "machmeter-mpi")
    there = programs_in(elsewhere / "build" / "one", "machmeter-node")
    (elsewhere / "inner").mkdir()
    (cache / "link").symlink_to(elsewhere / "inner")
    # It reads as the cache, and the kernel goes through the link.
    named = cache / "link" / ".." / "build" / "one"
    assert named.samefile(there)
    assert cached_binaries([outcome(of_node(named))], CacheLocations(cache)) == ()
    mpi = mpi_in(tmp_path / "prefix")
    for wrong in (
        tmp_path / "prefix" / "lib" / ".." / "bin" / "mpiexec",
        mpi.with_name("other"),
        mpi.parent / "below" / "mpiexec",
    ):
        wrong.parent.mkdir(parents=True, exist_ok=True)
        wrong.write_text("")
        first = outcome(of_ranks(here, str(wrong)), RANKS)
        assert cached_binaries([first], CacheLocations(cache, (tmp_path / "prefix",))) == ()
    first = outcome(of_ranks(here, str(mpi)), RANKS)
    assert cached_binaries([first], CacheLocations(cache, (tmp_path / "prefix",)))


def test_the_home_of_an_unknown_user_is_no_prefix(tmp_path: Path) -> None:
    wrong = "~no-such-user-here/mpi"
    with pytest.raises(UsageError, match="--mpi ~no-such-user-here"):
        locations_of(replace(ASKED, mpi=wrong), tmp_path, "")
    with pytest.raises(UsageError, match="--mpi ~no-such-user-here"):
        resolve_mpi(wrong, tmp_path, {})


def test_programs_of_openshmem_are_started_by_that_of_this_machine(tmp_path: Path) -> None:
    here = programs_in(tmp_path / "build" / "one", "machmeter-shmem")
    oshrun = tmp_path / "usr" / "bin" / "oshrun"
    oshrun.parent.mkdir(parents=True)
    oshrun.write_text("")
    spec = replace(NODE, program=SHMEM_PROGRAM.name)
    words = tuple(
        word.replace("machmeter-mpi", "machmeter-shmem") for word in of_ranks(here, str(oshrun))
    )
    assert cached_binaries([outcome(words, spec)], CacheLocations(tmp_path)) == ()
    (kept,) = cached_binaries(
        [outcome(words, spec)], CacheLocations(tmp_path, shmem=str(tmp_path / "usr"))
    )
    assert kept.mpiexec == str(oshrun)


def test_a_run_is_measured_again_by_the_programs_that_measured_it(
    folder: RunFolder, around: BuildContext
) -> None:
    here = with_kept_programs(folder, around.cache)
    old = against(folder, ASKED, synthetic_machine(), around)
    assert CachedBinary(NODE_PROGRAM.name, "", str(here)) in old.programs
    assert {one.program for one in old.programs} == {NODE_PROGRAM.name, MPI_PROGRAM.name}
    assert (old.run, old.toolchain.flags) == ("a-run", "-O3")
    cached_programs(old, synthetic_machine(), around)
    # What another may have changed is not started: neither the program, nor its wrapper or MPI.
    of_mpi = around.cache / "mpi" / "m" / "bin" / "mpiexec"
    for started in (here / "machmeter-node", here / "machmeter-bind", of_mpi):
        started.chmod(0o757)
        with pytest.raises(MachineLacksError, match="can be written by every user") as caught:
            cached_programs(old, synthetic_machine(), around)
        assert f"chmod go-w {started}" in caught.value.remedy
        started.chmod(0o755)
    (here / "machmeter-node").unlink()
    with pytest.raises(MachineLacksError, match=r"machmeter-node in .* is not there"):
        cached_programs(old, synthetic_machine(), around)


def test_a_run_that_never_started_one_of_its_programs_is_compiled_anew(
    folder: RunFolder, around: BuildContext
) -> None:
    """As after an interruption, or where one of two MPIs does not work."""
    with_kept_programs(folder, around.cache)
    for number in folder.launch_numbers():
        if folder.launch(number).spec.program == MPI_PROGRAM.name:
            (folder.path / "launches" / f"{number:05d}.outcome.json").unlink()
    with pytest.raises(MachineLacksError, match="not all programs"):
        against(folder, ASKED, synthetic_machine(), around)
    measured_today(folder)
    assert against(folder, ASKED, synthetic_machine(), around).programs == ()
    of_node_alone = replace(ASKED.study, experiments=ASKED.study.experiments[:2])
    asked = replace(ASKED, study=of_node_alone)
    assert against(folder, asked, synthetic_machine(), around).programs


def test_old_programs_get_no_point_that_they_were_not_measured_with(
    folder: RunFolder, around: BuildContext
) -> None:
    """The run knew one construct; what its study leaves out has more values today."""
    with_kept_programs(folder, around.cache)
    experiments = tuple(
        Experiment(one.benchmark, threads=one.threads) if "sync" in one.benchmark else one
        for one in ASKED.study.experiments
    )
    asked = replace(ASKED, study=replace(ASKED.study, experiments=experiments))
    old = against(folder, asked, synthetic_machine(), around)
    assert {one["construct"] for one in old.planned_parameters["threads.sync"]} == {"barrier"}
    old = replace(old, request=asked)
    plan = plan_of(asked, synthetic_machine(), NO_SIZES, old)
    constructs = {point.get("construct") for point in plan.points if "sync" in point.benchmark}
    assert constructs == {"barrier"}
    told = [one for one in plan.skipped if "baseline's kernels" in one.reason]
    assert told
    assert all("--rebuild" in one.reason for one in told)
    anew = plan_of(asked, synthetic_machine(), NO_SIZES, replace(old, programs=()))
    assert len({p.get("construct") for p in anew.points if "sync" in p.benchmark}) > 1


def test_what_is_known_no_more_is_left_out_of_a_run_that_is_repeated(
    tmp_path: Path, around: BuildContext
) -> None:
    folder = run_to_end(new_folder(tmp_path / "run"), FakeLauncher())
    with_kept_programs(folder, around.cache)
    header = folder.header()
    study = header.request.study
    gone = replace(study, experiments=(*study.experiments, Experiment("memory.gone")))
    header = replace(header, request=replace(header.request, study=gone))
    (folder.path / "run.json").write_bytes(msgspec.json.encode(header))
    old = against(folder, ASKED, synthetic_machine(), around)
    assert old.request.study.experiments == study.experiments
    (told,) = old.left_out
    assert "a-run" in told.reason


def test_sizes_that_the_machine_chooses_are_known_whatever_they_are() -> None:
    parameters: dict[str, Value] = {"kernel": "triad", "size": 2**27}
    assert as_chosen(make_point("memory.stream", parameters, Layout())) == {
        "kernel": "triad",
        "size": "auto",
    }


def test_programs_for_another_processor_are_not_taken(
    folder: RunFolder, around: BuildContext
) -> None:
    with_kept_programs(folder, around.cache)
    other = replace(synthetic_machine(), cpu_model="Another CPU")
    assert against(folder, ASKED, other, around, rebuild=True).programs == ()
    with pytest.raises(MachineLacksError):
        against(folder, ASKED, other, around)


def test_kernels_that_are_gone_are_refused_with_both_ways_out(
    folder: RunFolder, around: BuildContext
) -> None:
    with pytest.raises(MachineLacksError, match="sources have changed since") as caught:
        against(folder, ASKED, synthetic_machine(), around)
    assert caught.value.exit_code == 3
    assert "--rebuild" in caught.value.remedy
    assert "version 1" in caught.value.remedy
    assert against(folder, ASKED, synthetic_machine(), around, rebuild=True).programs == ()


def test_the_same_sources_are_compiled_anew(folder: RunFolder, around: BuildContext) -> None:
    measured_today(folder)
    old = against(folder, ASKED, synthetic_machine(), around, unpaired=True)
    assert old.programs == ()
    assert old.with_unpaired


def test_a_run_that_measured_nothing_is_refused(tmp_path: Path, around: BuildContext) -> None:
    with pytest.raises(UsageError, match="nothing to repeat"):
        against(new_folder(tmp_path / "run"), ASKED, synthetic_machine(), around)


def test_the_old_side_runs_where_and_as_precisely_as_the_new_one() -> None:
    of_new = replace(
        ASKED,
        layout_options=replace(
            ASKED.layout_options, hosts=("n1", "n2"), nodes=(2,), smt=2, one_machine=True
        ),
        precision=replace(ASKED.precision, most_launches=99),
    )
    of_old = with_hosts_and_precision_of(of_new, ASKED)
    assert of_old.layout_options.hosts == ("n1", "n2")
    assert of_old.layout_options.nodes == (2,)
    assert of_old.layout_options.one_machine is True
    assert of_old.layout_options.smt == 1
    assert of_old.precision.most_launches == 99
