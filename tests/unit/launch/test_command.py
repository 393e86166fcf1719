"""The command line and environment of one launch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from machmeter.benchmarks.programs import MPI_PROGRAM, NODE_PROGRAM
from machmeter.build.mpi import MpiInstall
from machmeter.launch.command import check_command, launch_command, on_nodes
from machmeter.launch.environment import launch_environment, site_defaults
from machmeter.launch.launcher import ProgramLauncher
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.launchers.mpiexec import LOCAL_RANK_VARIABLE, RANK_VARIABLE
from machmeter.launch.launchers.slurm import Slurm
from machmeter.launch.ready import Ready, ReadyProgram
from machmeter.layout.assign import assign
from machmeter.layout.elsewhere import NodeCpus
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import (
    Assignment,
    AssignmentElsewhere,
    Binding,
    Layout,
    ProgressMode,
    WaitPolicy,
)
from machmeter.model.plan.command import Command
from machmeter.model.plan.launch import Launch, LaunchSpec
from machmeter.model.point import make_point
from machmeter.model.variant import ONLY, Variant
from tests.support.fake_launcher import small_spec, synthetic_machine
from tests.support.sysfs_tree import Shape

FOLDER = "/cache/build ü"
NODE = ReadyProgram(f"{FOLDER}/machmeter-node")
MPICH = MpiInstall("mpich", "/mpi/mpich", "/mpi/mpich/bin/mpicxx", "/mpi/mpich/bin/mpiexec", "5")
OPENMPI = MpiInstall("openmpi", "/mpi/ompi", "/mpi/ompi/bin/mpicxx", "/mpi/ompi/bin/mpiexec", "5")
RECORD = Path("/data/a run/00001.jsonl")


def launch_of(spec: LaunchSpec) -> Launch:
    topology = synthetic_machine(Shape(1, 1, 4, 1)).topology
    return Launch(1, spec, 42, assign(spec.layout, topology))


def started_by(mpi: MpiInstall) -> ReadyProgram:
    return ReadyProgram(f"{FOLDER}/machmeter-mpi", mpi)


def network_spec(layout: Layout) -> LaunchSpec:
    point = make_point("network.latency", {"size": 8}, layout)
    return LaunchSpec("n", MPI_PROGRAM.name, "network.latency", layout, (point,), 0.02)


def after(words: tuple[str, ...], option: str) -> str:
    return words[words.index(option) + 1]


def test_a_node_program_is_started_through_the_wrapper_with_its_cpus() -> None:
    layout = Layout(threads_per_rank=2, page_bytes=2**21)
    command = launch_command(launch_of(small_spec("s", 8192, layout=layout)), NODE, RECORD)
    assert command[:3] == ("/cache/build ü/machmeter-bind", "--rank", "0,1")
    assert "OMP_NUM_THREADS=2" in command
    assert "OMP_PLACES={0},{1}" in command
    program = command[command.index("--") + 1 :]
    assert program[:2] == ("/cache/build ü/machmeter-node", "memory.latency")
    assert after(program, "--record") == str(RECORD)
    assert (after(program, "--launch"), after(program, "--seed")) == ("1", "42")
    assert after(program, "--page-bytes") == str(2**21)
    assert after(program, "--point") == "size=8192"


def test_every_point_is_named_once() -> None:
    spec = small_spec("s", 8192, 16384, 32768)
    command = launch_command(launch_of(spec), NODE, RECORD)
    named = [command[i + 1] for i, word in enumerate(command) if word == "--point"]
    assert named == [point.parameter_text for point in spec.points]


def test_threads_that_are_not_bound_get_no_cpus() -> None:
    layout = Layout(threads_per_rank=2, binding=Binding.NONE)
    command = launch_command(launch_of(small_spec("s", 8192, layout=layout)), NODE, RECORD)
    assert after(command, "--rank") == "none"
    assert "OMP_PROC_BIND=false" in command
    assert not any(word.startswith("OMP_PLACES") for word in command)


@pytest.mark.parametrize("mpi", [MPICH, OPENMPI], ids=["mpich", "openmpi"])
def test_where_nothing_is_set_the_launcher_places_ranks_of_as_many_threads(mpi: MpiInstall) -> None:
    nothing = Layout(ranks_per_node=2, binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT)
    spec = network_spec(nothing)
    command = launch_command(launch_of(spec), started_by(mpi), RECORD)
    assert not {"-bind-to", "--bind-to", "--map-by"} & set(command)
    assert command.count("OMP_NUM_THREADS=1") == 2
    assert not any(word.startswith(("OMP_PROC_BIND", "OMP_PLACES")) for word in command)
    ranks = command[command.index("--local-rank-from") :]
    assert [ranks[i + 1] for i, word in enumerate(ranks) if word == "--rank"] == ["none", "none"]
    # The threads of a program of others are its own choice.
    of_others = launch_of(replace(spec, command=Command(("program",), "/", 9.0)))
    assert not any("OMP_" in word for word in launch_command(of_others, started_by(mpi), RECORD))


@pytest.mark.parametrize("mpi", [MPICH, OPENMPI], ids=["mpich", "openmpi"])
def test_mpi_ranks_are_bound_by_the_wrapper_and_not_by_the_launcher(mpi: MpiInstall) -> None:
    launch = launch_of(network_spec(Layout(ranks_per_node=2)))
    command = launch_command(launch, started_by(mpi), RECORD)
    # Around mpiexec the wrapper binds nothing: it only ends mpiexec when machmeter dies.
    assert command[:4] == (f"{FOLDER}/machmeter-bind", "--rank", "none", "--")
    inner = command[4:]
    assert inner[0] == mpi.mpiexec
    assert after(inner, "-n") == "2"
    binding_option = "--bind-to" if mpi is OPENMPI else "-bind-to"
    assert after(inner, binding_option) == "none"
    assert after(inner, "--local-rank-from") == LOCAL_RANK_VARIABLE[mpi.family]
    ranks = [inner[i + 1] for i, word in enumerate(inner) if word == "--rank"]
    assert ranks == ["0", "1"]
    program = inner[inner.index("--") + 1 :]
    assert program[:2] == (f"{FOLDER}/machmeter-mpi", "network.latency")


@pytest.mark.parametrize("ready", [{}, {("", MPI_PROGRAM.name): NODE}])
def test_without_an_mpi_the_remedy_is_told(ready: Ready) -> None:
    launch = launch_of(network_spec(Layout(ranks_per_node=2)))
    with pytest.raises(MachineLacksError, match="needs an MPI") as caught:
        ProgramLauncher(ready, {}).start(launch, RECORD, 5.0)
    assert "--mpi" in caught.value.remedy


def test_what_steers_threads_or_poses_as_a_launcher_is_taken_from_the_environment() -> None:
    foreign = {
        "OMP_NUM_THREADS": "9",
        "GOMP_CPU_AFFINITY": "0",
        "KMP_AFFINITY": "x",
        "PMI_RANK": "3",
        "PMIX_RANK": "3",
        "OMPI_COMM_WORLD_SIZE": "4",
        "MPI_LOCALRANKID": "1",
    }
    kept = {"PATH": "/bin", "HOME": "/home/ü", "OMPI_MCA_btl": "self", "LD_LIBRARY_PATH": "/lib"}
    assert launch_environment(foreign | kept, None) == kept
    assert launch_environment(foreign | kept, MPICH) == kept


def test_another_allocator_comes_from_the_layout_alone() -> None:
    preloaded = {"LD_PRELOAD": "/lib/libjemalloc.so.2", "LD_LIBRARY_PATH": "/lib"}
    assert launch_environment(preloaded, None) == {"LD_LIBRARY_PATH": "/lib"}


def test_a_program_of_others_finds_the_mpi_of_its_launcher_first() -> None:
    caller = {"LD_LIBRARY_PATH": "/lib"}
    found = launch_environment(caller, MPICH, ours=False)
    assert found == {"LD_LIBRARY_PATH": "/mpi/mpich/lib:/lib"}
    assert launch_environment(caller, MPICH) == caller
    # What the loader finds in any case does not come before libraries of the program's own.
    assert launch_environment(caller, replace(MPICH, prefix="/usr"), ours=False) == caller


@pytest.mark.parametrize("mpi", [None, MPICH], ids=["node", "mpi"])
def test_other_libraries_are_set_for_every_rank_and_no_launcher(mpi: MpiInstall | None) -> None:
    layout = Layout(ranks_per_node=2 if mpi else 1)
    spec = network_spec(layout) if mpi else small_spec("s", 8192, layout=layout)
    settings = {"LD_LIBRARY_PATH": "/cache ü/libomp", "LD_PRELOAD": "/lib/libjemalloc.so.2"}
    command = launch_command(
        launch_of(spec), started_by(mpi) if mpi else NODE, RECORD, libraries=settings
    )
    program = len(command) - 1 - command[::-1].index("--")
    blocks = "\n".join(command[:program]).split("--rank\n")[-layout.ranks :]
    for block in blocks:
        assert {f"{name}={value}" for name, value in settings.items()} <= set(block.split("\n"))
    launcher = command[: command.index(mpi.mpiexec)] if mpi else command[:1]
    assert not any(word.startswith("LD_") for word in launcher)


def alone(program: ReadyProgram) -> Ready:
    return {("", NODE_PROGRAM.name): program}


def test_a_launch_that_names_libraries_needs_them(tmp_path: Path) -> None:
    launcher = ProgramLauncher(alone(NODE), {})
    spec = small_spec("s", 8192, layout=Layout(allocator="jemalloc"))
    with pytest.raises(MachineLacksError, match="no allocator jemalloc"):
        launcher.start(launch_of(spec), RECORD, 5.0)


def test_an_allocation_of_a_batch_system_does_not_steer_a_local_launch() -> None:
    allocation = {
        "SLURM_JOB_ID": "7",
        "SLURM_NODELIST": "n[1-2]",
        "SLURMD_NODENAME": "n1",
        "PBS_NODEFILE": "/nodes",
        "LSB_HOSTS": "n1 n2",
        "FLUX_JOB_ID": "f",
        "PE_HOSTFILE": "/nodes",
        "HYDRA_HOST_FILE": "/nodes",
    }
    assert launch_environment(allocation | {"PATH": "/bin"}, MPICH) == {"PATH": "/bin"}
    launch = launch_of(network_spec(Layout(ranks_per_node=2)))
    command = launch_command(launch, started_by(MPICH), RECORD)
    assert (after(command, "-launcher"), after(command, "-hosts")) == ("fork", "localhost")


def test_a_command_with_a_name_that_is_no_text_can_be_kept(tmp_path: Path) -> None:
    program = ReadyProgram(str(tmp_path / os.fsdecode(b"caf\xe9") / "machmeter-node"))
    launch = launch_of(small_spec("s", 8192))
    attempt = ProgramLauncher(alone(program), {}).start(launch, RECORD, 5.0)
    assert attempt.command[0].endswith(r"caf\udce9/machmeter-bind")
    assert attempt.result.exit_code == 127


def test_settings_of_mpi_that_the_caller_made_are_kept() -> None:
    launch = launch_of(network_spec(Layout(ranks_per_node=2)))
    name = "OMPI_MCA_mpi_yield_when_idle"
    program = started_by(OPENMPI)
    assert launch_command(launch, program, RECORD).count(f"{name}=0") == 2
    caller = {name: "1"}
    command = launch_command(launch, program, RECORD, environment=caller)
    assert not any(name in word for word in command)


def test_each_rank_is_told_of_its_progress_thread() -> None:
    layout = Layout(ranks_per_node=3, progress=ProgressMode.THREAD)
    command = launch_command(launch_of(network_spec(layout)), started_by(MPICH), RECORD)
    told = [word for word in command if word.startswith("MACHMETER_PROGRESS_CPUS")]
    assert told == [f"MACHMETER_PROGRESS_CPUS={cpu}" for cpu in range(3)]


def test_ranks_of_all_nodes_are_started_and_those_of_one_laid_out() -> None:
    launch = launch_of(network_spec(Layout(nodes=2, ranks_per_node=2)))
    hosts = Hosts(("n1", "n2"))
    command = launch_command(launch, started_by(MPICH), RECORD, hosts=hosts)
    assert (after(command, "-n"), after(command, "-hosts")) == ("4", "n1,n2")
    assert [command[i + 1] for i, word in enumerate(command) if word == "--rank"][1:] == ["0", "1"]


def test_the_allocation_is_kept_where_its_launcher_is_used() -> None:
    job = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_CPU_BIND": "map_cpu:0"}
    others = {"PBS_NODEFILE": "/nodes", "OMP_NUM_THREADS": "3", "PMI_RANK": "1"}
    of_job = Slurm().environment(job | others)
    kept = launch_environment(job | others | {"PATH": "/bin"}, MPICH, of_job)
    assert kept == of_job | {"PATH": "/bin"}
    assert kept["SLURM_JOB_ID"] == "7"


def test_where_ranks_go_is_said_by_the_layout_alone() -> None:
    site = {
        "PRTE_MCA_rmaps_default_mapping_policy": "ppr:1:node",
        "OMPI_MCA_rmaps_base_mapping_policy": "ppr:1:node",
        "OMPI_MCA_hwloc_base_binding_policy": "core",
        "I_MPI_PIN_DOMAIN": "omp",
    }
    kept = {"OMPI_MCA_btl": "self,tcp", "HYDRA_IFACE": "ib0"}
    assert launch_environment(site | kept, MPICH) == kept
    assert launch_environment(site | kept, MPICH, placed=False) == site | kept
    assert launch_environment(kept, MPICH, nodes=1) == {"OMPI_MCA_btl": "self,tcp"}


def test_what_a_site_says_of_ranks_is_found_where_nothing_else_does(tmp_path: Path) -> None:
    (tmp_path / ".prte").mkdir()
    file = tmp_path / ".prte" / "mca-params.conf"
    file.write_text("# rmaps_x = 1\nbtl = tcp\n  rmaps_default_mapping_policy = ppr:1:node\n")
    found = site_defaults({"HOME": str(tmp_path), "I_MPI_PIN": "0", "OMPI_MCA_btl": "tcp"})
    assert found == ("I_MPI_PIN=0", f"{file}: rmaps_default_mapping_policy = ppr:1:node")
    assert site_defaults({"HOME": str(tmp_path / "none")}) == ()


def test_hosts_are_checked_by_what_starts_up_bound_as_the_launch_is() -> None:
    layout = Layout(nodes=4, ranks_per_node=2)
    launch, program = launch_of(network_spec(layout)), started_by(MPICH)
    hosts = Hosts(("n1", "n3"))
    command = check_command(launch, program, MPICH, RECORD, hosts, {})
    assert after(command, "-hosts") == "n1,n3"
    assert after(command, "-n") == "4"
    of_launch = launch_command(launch, program, RECORD, hosts=Hosts(("n1", "n2", "n3", "n4")))
    bound = [word for at, word in enumerate(of_launch) if of_launch[at - 1] == "--rank"]
    assert [word for at, word in enumerate(command) if command[at - 1] == "--rank"] == bound
    assert after(command, program.path) == "network.startup"


@pytest.mark.parametrize(
    "other", [{"command": Command(("solver",), "/", 9.0)}, {"variant": ONLY.as_baseline()}]
)
def test_hosts_of_a_program_that_may_hold_no_startup_are_checked_without_it(
    other: dict[str, Command | Variant],
) -> None:
    spec = replace(network_spec(Layout(nodes=2)), **other)
    program, hosts = started_by(MPICH), Hosts(("n1", "n2"))
    command = check_command(launch_of(spec), program, MPICH, RECORD, hosts, {})
    assert not {"solver", program.path} & set(command)
    assert command[-2:] == ("--", "true")


@pytest.mark.parametrize("variant", [ONLY, ONLY.as_baseline()], ids=["only", "baseline"])
def test_programs_of_ours_have_their_threads_where_nothing_else_is_set(variant: Variant) -> None:
    layout = Layout(ranks_per_node=2, threads_per_rank=2, binding=Binding.DEFAULT)
    spec = replace(network_spec(layout), variant=variant)
    command = launch_command(launch_of(spec), started_by(MPICH), RECORD)
    assert command.count("OMP_NUM_THREADS=2") == 2


@pytest.mark.parametrize("mpi", [MPICH, OPENMPI], ids=["mpich", "openmpi"])
def test_nodes_with_other_cpus_have_blocks_of_their_own(mpi: MpiInstall) -> None:
    launch = launch_of(network_spec(Layout(nodes=4, ranks_per_node=2)))
    other = Assignment((((2,),), ((3,),)))
    elsewhere = (
        AssignmentElsewhere((2,), (2, 3), other),
        # Nothing but what is bound differs for those that only may use others.
        AssignmentElsewhere((1,), (0, 1), launch.assignment),
        AssignmentElsewhere((3,), (2, 3, 5), other),
    )
    launch = replace(launch, elsewhere=elsewhere)
    hosts = Hosts(("n1", "n2", "n3", "n4"))
    command = launch_command(launch, started_by(mpi), RECORD, hosts=hosts)
    assert after(command, "--rank-from") == RANK_VARIABLE[mpi.family]
    assert command.count("--nodes") == 1
    assert after(command, "--nodes") == "2,3"
    behind = command[command.index("--nodes") : command.index(f"{FOLDER}/machmeter-mpi")]
    assert [behind[i + 1] for i, word in enumerate(behind) if word == "--rank"] == ["2", "3"]
    assert "OMP_PLACES={3}" in behind
    assert launch.nodes_moved == (2, 3)
    two = on_nodes(launch, (2, 0))
    assert two.by_node == {0: AssignmentElsewhere((0,), (2, 3), other)}


def test_ranks_that_are_not_bound_are_on_all_cpus_of_a_node() -> None:
    launch = launch_of(network_spec(Layout(nodes=2, binding=Binding.NONE)))
    there = AssignmentElsewhere((1,), (2, 3), launch.assignment)
    assert replace(launch, elsewhere=(there,)).nodes_moved == (1,)


def test_ranks_on_a_host_beside_those_of_the_launch_are_not_bound() -> None:
    launch, program = launch_of(network_spec(Layout(nodes=2, ranks_per_node=2))), started_by(MPICH)
    these = on_nodes(launch, (1, 4))
    command = check_command(these, program, MPICH, RECORD, Hosts(("n2", "n5")), {})
    assert after(command, "--rank-from") == RANK_VARIABLE[MPICH.family]
    assert after(command, "--nodes") == "1"
    bound = [after(command[at:], "--rank") for at, word in enumerate(command) if word == "--rank"]
    # Of the wrapper around mpiexec, of a node of the launch, and of the other one.
    assert bound == ["none", "0", "1", "none", "none"]


def test_ranks_that_share_cpus_on_some_nodes_alone_yield_there_alone() -> None:
    layout = Layout(nodes=2, ranks_per_node=2, oversubscribe=True)
    apart, shared = Assignment((((0,),), ((1,),))), Assignment((((3,),), ((3,),)))
    launch = replace(
        launch_of(network_spec(layout)),
        assignment=apart,
        elsewhere=(AssignmentElsewhere((1,), (3,), shared),),
    )
    hosts = Hosts(("n1", "n2"))

    def yields(**given: str) -> list[str]:
        program = started_by(OPENMPI)
        command = launch_command(launch, program, RECORD, hosts=hosts, environment=given)
        start = "OMPI_MCA_mpi_yield_when_idle="
        return [word.removeprefix(start) for word in command if word.startswith(start)]

    assert yields() == ["0", "0", "1", "1"]
    assert yields(OMPI_MCA_mpi_yield_when_idle="0") == []


def test_each_host_says_which_cpus_may_be_used(tmp_path: Path) -> None:
    asking = tmp_path / "mpiexec"
    # Of one it is not heard, and others say something too.
    asking.write_text(
        """#!/bin/sh
        echo '{"rank":2,"cpus":[1,3]}'; echo 'a banner {'; echo '{"rank":7,"cpus":[1]}'
        echo '{"rank":0,"cpus":[0]}'; echo '{"rank":"x"}'; exit 1
        """
    )
    asking.chmod(0o755)
    wrapper = tmp_path / "machmeter-bind"
    wrapper.write_text('#!/bin/sh\nshift 3; exec "$@"\n')
    wrapper.chmod(0o755)
    mpi = replace(MPICH, mpiexec=str(asking))
    ready = {("", MPI_PROGRAM.name): ReadyProgram(str(tmp_path / "machmeter-mpi"), mpi)}
    hosts = Hosts(("n1", "n2", "n3"))
    said = ProgramLauncher(ready, dict(os.environ), hosts=hosts).cpus_of_hosts()
    assert said == (NodeCpus(2, "n3", (1, 3)), NodeCpus(0, "n1", (0,)))
