"""An MPI that fails, hangs or is another one than the programs were built with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.api.loading import load
from machmeter.benchmarks.explore import RANKS
from machmeter.build.mpi import MpiInstall, mpi_environment
from machmeter.cli.commands.run import finish
from machmeter.launch.launchers.hosts import Hosts
from machmeter.layout.assign import assign
from machmeter.machine.detect import detect_machine
from machmeter.model.benchmark import Value
from machmeter.model.errors import ExitCode, MachineLacksError
from machmeter.model.layout import Layout
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, LaunchSpec, Verdict
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.point import make_point
from machmeter.model.results.run import Plan, Precision, Request
from machmeter.run.measuring.measure import measure
from machmeter.run.measuring.progress import ignore_progress
from machmeter.run.measuring.start import create_run
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.schedule import GIVE_UP_AFTER
from machmeter.run.planning.sizing import Sizes
from machmeter.run.results.result import collect
from machmeter.studies.select import select
from tests.support.processes.machmeter_command import processes_about, wait_until
from tests.support.processes.native_programs import (
    LIMITS_OF_HANGS,
    Programs,
    built_with,
    executable,
    launch_of,
    launcher_of,
    start,
    two_cpus,
    when_it_measures,
    with_script,
)

BANDWIDTH: dict[str, Value] = {
    "size": 65536,
    "direction": "one-way",
    "window": 4,
    "buffers": "hot",
}
MEASURING = "it was measuring buffers=hot,direction=one-way,size=65536,window=4"
# For longer than any test waits.
LONG_SOLVE: dict[str, Value] = {"cells": 48, "iterations": 1_000_000, "scaling": "strong"}
SOLVING = "it was measuring cells=48,iterations=1000000,scaling=strong"
TWO_RANKS = Layout(ranks_per_node=2)
PING_PONG = Layout(ranks_per_node=2, page_bytes=os.sysconf("SC_PAGE_SIZE"))


def ping_pong() -> Launch:
    two_cpus()
    return launch_of("network.latency", [{"size": 8}], PING_PONG)


def with_mpiexec(mpi: MpiInstall, folder: Path, script: str) -> MpiInstall:
    """The same MPI, started by a shell script; the real mpiexec is `$REAL`."""
    path = executable(folder / "mpiexec", f"REAL='{mpi.mpiexec}'\n{script}")
    return MpiInstall(mpi.family, mpi.prefix, mpi.mpicxx, str(path), mpi.version)


def test_an_mpiexec_that_fails_is_told_with_its_words(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    broken = with_mpiexec(mpich, tmp_path, "echo 'no slots left'; exit 1")
    outcome, _ = start(launcher_of(programs, broken, os.environ), ping_pong(), tmp_path)
    assert outcome.verdict is Verdict.FAILED
    assert "exit code 1; the program wrote no record" in outcome.reasons[0]
    assert outcome.reasons[1] == "it said: no slots left"


@pytest.mark.parametrize("starts", [":", 'for last; do :; done; "$last" && "$last"'])
def test_an_mpiexec_that_starts_no_ranks_is_seen_through(
    starts: str, programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    """It prints what the program would and ends well; the program may even run, unseen."""
    two_cpus()
    solver = executable(tmp_path / "solver", "echo rate 5")
    silent = with_mpiexec(mpich, tmp_path, f"{starts}; echo rate 5")
    point = make_point(RANKS.name, {"command": "solver", "folder": "."}, TWO_RANKS)
    spec = LaunchSpec("ranks", RANKS.program.name, RANKS.name, TWO_RANKS, (point,), 0.0)
    spec = replace(spec, command=Command((str(solver),), str(tmp_path), 60.0))
    launch = Launch(1, spec, 7, assign(TWO_RANKS, detect_machine().topology))
    outcome, _ = start(launcher_of(programs, silent, os.environ), launch, tmp_path)
    assert outcome.verdict is Verdict.WRONG_PARALLELISM
    assert "ranks: requested 2, observed 0" in outcome.reasons[0]


@pytest.mark.parametrize("where", ["variable", "file"])
def test_a_site_s_mapping_of_ranks_is_overridden(
    where: str, openmpi: MpiInstall, cache: Path, tmp_path: Path
) -> None:
    """One rank a node, as clusters set it for their users: two ranks have no place here."""
    policy = "rmaps_default_mapping_policy"
    (tmp_path / ".prte").mkdir()
    environment = {**os.environ, "HOME": str(tmp_path)}
    if where == "file":
        (tmp_path / ".prte/mca-params.conf").write_text(f"{policy} = ppr:1:node\n")
    else:
        environment[f"PRTE_MCA_{policy}"] = "ppr:1:node"
    programs = built_with(openmpi, cache)
    outcome, _ = start(launcher_of(programs, openmpi, environment), ping_pong(), tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)


def test_an_mpiexec_that_hangs_is_ended(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    hanging = with_mpiexec(mpich, tmp_path, f"sleep 876543 # {tmp_path}")
    outcome, _ = start(launcher_of(programs, hanging, os.environ), ping_pong(), tmp_path, 0.5)
    assert outcome.verdict is Verdict.TIMED_OUT
    assert not processes_about(str(tmp_path))


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_ranks_that_hang_are_ended_with_their_mpiexec(
    family: str, programs: Programs, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    mpi: MpiInstall = request.getfixturevalue(family)
    hanging = with_script(programs, tmp_path / "programs", "machmeter-mpi", "sleep 765432")
    before = len(processes_about("sleep 765432"))
    outcome, _ = start(launcher_of(hanging, mpi, os.environ), ping_pong(), tmp_path, 2.5)
    assert outcome.verdict is Verdict.TIMED_OUT
    # The ranks are in a group of their own: mpiexec ends them, or their wrapper when it dies.
    wait_until(lambda: not processes_about(str(tmp_path)), "every rank ended", 10)
    wait_until(lambda: len(processes_about("sleep 765432")) == before, "their children ended", 10)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
@pytest.mark.parametrize(("family", "launches"), [("mpich", 8), ("openmpi", 1)])
def test_a_record_that_cannot_be_written_is_told_by_the_exit_code(
    family: str, launches: int, cache: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Hydra drops what a rank says last in one launch of many: several are started."""
    mpi: MpiInstall = request.getfixturevalue(family)
    full_disk = """ln -s /dev/full "$3.partial" 2> /dev/null; exec "$REAL" "$@\""""
    programs = with_script(
        built_with(mpi, cache), tmp_path / "programs", "machmeter-mpi", full_disk
    )
    launcher = launcher_of(programs, mpi, os.environ)
    for number in range(launches):
        result = launcher.start(ping_pong(), tmp_path / f"{number}.jsonl", 60).result
        assert result.exit_code == os.EX_IOERR
        assert "machmeter-mpi: rank 0: cannot write record" in result.output


def test_a_world_of_another_size_is_rejected_with_both_printed(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    one_for_two = 'for word; do shift; [ "$word" = 2 ] && word=1; set -- "$@" "$word"; done'
    script = f'{one_for_two}\nexec "$REAL" "$@"'
    alone = with_mpiexec(mpich, tmp_path, script)
    outcome, _ = start(launcher_of(programs, alone, os.environ), ping_pong(), tmp_path)
    assert outcome.verdict is Verdict.REJECTED
    assert "world size: requested 2, observed 1" in outcome.reasons[0]


def test_programs_that_do_not_know_their_launcher_are_rejected_with_both_world_sizes(
    cache: Path, mpich: MpiInstall, openmpi: MpiInstall, tmp_path: Path
) -> None:
    """Built with Open MPI, started by MPICH's mpiexec: two worlds of one rank, one record."""
    programs = built_with(openmpi, cache)
    environment = mpi_environment(os.environ, openmpi.prefix)
    outcome, _ = start(launcher_of(programs, mpich, environment), ping_pong(), tmp_path)
    assert outcome.verdict is Verdict.REJECTED, (outcome.reasons, outcome.output)
    assert "world size: requested 2, observed 1" in outcome.reasons[0]
    assert "another MPI library" in outcome.reasons[0]


def test_programs_that_cannot_talk_to_their_launcher_fail_with_their_words(
    programs: Programs, openmpi: MpiInstall, tmp_path: Path
) -> None:
    """Built with MPICH, started by Open MPI's mpiexec: by version it fails, or runs alone."""
    outcome, _ = start(launcher_of(programs, openmpi, os.environ), ping_pong(), tmp_path)
    assert outcome.verdict in (Verdict.FAILED, Verdict.REJECTED)
    alone = "world size: requested 2, observed 1" in outcome.reasons[0]
    assert alone or "rror in internal_Init" in outcome.output


def endless(
    layout: Layout, benchmark: str = "network.bandwidth", point: dict[str, Value] = BANDWIDTH
) -> Launch:
    """A launch that measures until it is ended."""
    launch = launch_of(benchmark, [point], layout)
    return replace(launch, spec=replace(launch.spec, seconds_per_point=100.0, samples=10**7))


@pytest.mark.parametrize(
    ("family", "benchmark", "point", "measuring"),
    [
        ("mpich", "network.bandwidth", BANDWIDTH, MEASURING),
        ("openmpi", "network.bandwidth", BANDWIDTH, MEASURING),
        ("mpich", "proxies.ofp", LONG_SOLVE, SOLVING),
    ],
    ids=["mpich", "openmpi", "solve"],
)
def test_a_rank_that_is_killed_ends_the_launch_at_once_and_the_next_one_works(
    family: str,
    benchmark: str,
    point: dict[str, Value],
    measuring: str,
    cache: Path,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    two_cpus()
    mpi: MpiInstall = request.getfixturevalue(family)
    built = built_with(mpi, cache)
    dying = when_it_measures(1, "kill -9 $$")
    changed = with_script(built, tmp_path / "programs", "machmeter-mpi", dying)
    launcher = launcher_of(changed, mpi, os.environ)
    outcome, record = start(launcher, endless(PING_PONG, benchmark, point), tmp_path, 100)
    assert outcome.verdict is Verdict.FAILED, outcome
    assert outcome.exit_code != 0
    assert measuring in outcome.reasons
    assert record.begun is not None
    assert record.begun.parameters == point
    wait_until(lambda: not processes_about(str(tmp_path)), "every rank ended", 10)
    again = replace(ping_pong(), number=2)
    outcome, _ = start(launcher_of(built, mpi, os.environ), again, tmp_path)
    assert outcome.verdict is Verdict.ACCEPTED, (outcome.reasons, outcome.output)


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_a_hang_is_ended_by_the_time_limit_and_told_with_what_was_measured(
    family: str, cache: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """One of four ranks stops, so that the others wait for it for ever."""
    two_cpus()
    mpi: MpiInstall = request.getfixturevalue(family)
    layout = replace(PING_PONG, ranks_per_node=4, oversubscribe=True)
    stopping = when_it_measures(3, "kill -STOP $$")
    built = built_with(mpi, cache)
    changed = with_script(built, tmp_path / "programs", "machmeter-mpi", stopping)
    launcher = launcher_of(changed, mpi, os.environ)
    for limit in LIMITS_OF_HANGS:
        folder = tmp_path / f"{limit}"
        folder.mkdir()
        outcome, record = start(launcher, endless(layout), folder, limit)
        if record.begun is not None:
            break
    assert outcome.verdict is Verdict.TIMED_OUT, outcome
    assert "no end after" in outcome.reasons[0]
    assert "0 of 1 points were recorded" in outcome.reasons[0]
    assert MEASURING in outcome.reasons
    assert record.begun is not None
    assert record.begun.parameters == BANDWIDTH
    wait_until(lambda: not processes_about(str(tmp_path)), "every rank ended", 10)


def test_two_nodes_need_two_hosts(programs: Programs, mpich: MpiInstall, tmp_path: Path) -> None:
    launcher = launcher_of(programs, mpich, os.environ, hosts=Hosts(("localhost",)))
    launch = launch_of("network.latency", [{"size": 8}], replace(PING_PONG, nodes=2))
    with pytest.raises(MachineLacksError, match="needs 2 nodes; hosts named: 1"):
        launcher.start(launch, tmp_path / "00001.jsonl", 5)


def test_two_names_of_this_host_are_not_two_nodes(
    programs: Programs, mpich: MpiInstall, tmp_path: Path
) -> None:
    """Names that an agent makes up: it starts all here."""
    two_cpus()
    agent = executable(tmp_path / "agent", 'shift; exec sh -c "$*"')
    hosts = Hosts(("localhost", "127.0.0.1"), str(agent))
    launcher = launcher_of(programs, mpich, os.environ, hosts=hosts)
    layout = replace(PING_PONG, nodes=2, ranks_per_node=1)
    launch = launch_of("network.latency", [{"size": 8}], layout)
    outcome, _ = start(launcher, launch, tmp_path)
    assert outcome.verdict is Verdict.REJECTED, (outcome.reasons, outcome.output)
    assert outcome.reasons[0].startswith("hosts: requested 2, observed 1 (")


def test_a_run_goes_on_with_the_other_benchmarks_when_its_mpi_fails(
    programs: Programs, mpich: MpiInstall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_cpus()
    monkeypatch.setenv("MACHMETER_DATA", str(tmp_path / "data"))
    study = select(("network.latency", "memory.latency"), {"size": "4KiB"})
    precision = Precision(0.02, 2, 2, 30.0)
    asked = Request(
        ("network.latency", "memory.latency"), study, LayoutOptions(), precision, "", ""
    )
    machine = detect_machine()
    folder = create_run(tmp_path / "run", "run-1", asked, machine, ())
    failing = with_mpiexec(mpich, tmp_path, "echo 'no slots left'; exit 1")

    def planner(sizes: Sizes) -> Plan:
        return make_plan(study, machine, asked.layout_options, precision, sizes)

    launcher = launcher_of(programs, failing, os.environ)
    measure(folder, launcher, precision, planner, ignore_progress)
    result = collect(folder)
    assert {e.point.benchmark for e in result.estimates} == {"memory.latency"}
    assert all(e.launches == 2 for e in result.estimates)
    failed = [o for o in result.outcomes if o.verdict is Verdict.FAILED]
    assert len(failed) == GIVE_UP_AFTER, "after that nobody waits for it any longer"
    assert any(f"{GIVE_UP_AFTER} launches failed: network" in one.text for one in result.caveats)
    assert finish(load(folder.path), None, as_json=False) is ExitCode.SOMETHING_FAILED
    assert "no slots left" in (folder.path / "report.html").read_text()
