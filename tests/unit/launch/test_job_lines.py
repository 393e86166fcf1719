"""The lines that start a program in one layout without machmeter."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.launch.job_lines import (
    NOT_USED,
    UsedLauncher,
    job_lines,
    lines_to_try,
    words_of,
)
from machmeter.launch.launchers.hosts import Hosts
from machmeter.layout.assign import assign
from machmeter.model.layout import Binding, Layout, WaitPolicy
from machmeter.model.plan.command import Command
from machmeter.model.plan.description import Description
from machmeter.model.plan.launch import Launch
from machmeter.model.written.text import shell_text
from tests.support.fake_launcher import small_spec
from tests.support.sysfs_tree import Shape

FOUR_CORES = Shape(packages=1, domains=1, cores=4, smt=2).topology()
DESCRIBED = Description(
    name="a",
    title="A",
    command=("a",),
    environment={"RANKS": "{ranks}"},
    thread_arguments=("-t", "{threads}"),
)


IN_JOB = Hosts(("a", "b"), launcher="slurm")


def lines(
    layout: Layout,
    *,
    of_ranks: bool,
    description: Description | None = None,
    hosts: Hosts = IN_JOB,
    family: str = "",
) -> list[str]:
    command = Command(("/opt/a b", "{{x}}"), "/", 60.0, description)
    spec = replace(small_spec(layout=layout), command=command)
    launch = Launch(1, spec, 1, assign(layout, FOUR_CORES))
    found = job_lines(launch, of_ranks=of_ranks, hosts=hosts, family=family)
    notes = (line.note.removeprefix("with ").removesuffix(", not tried") for line in found)
    return [
        f"{line.command}  # {note}" if note else line.command
        for line, note in zip(found, notes, strict=True)
    ]


def test_a_process_has_its_cpus_and_a_place_on_each_for_its_threads() -> None:
    layout = Layout(threads_per_rank=2, wait_policy=WaitPolicy.DEFAULT)
    assert lines(layout, of_ranks=False) == [
        "export OMP_NUM_THREADS=2",
        "export OMP_PROC_BIND=close",
        "export OMP_PLACES=cores",
        "taskset -c 0,1 '/opt/a b' '{x}'  # on a node of your own",
    ]


def test_nothing_set_is_the_program_alone() -> None:
    layout = Layout(threads_per_rank=8, binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT)
    assert lines(layout, of_ranks=False, description=DESCRIBED) == [
        "export RANKS=1",
        "'/opt/a b' '{x}'",
    ]
    ranks = replace(layout, ranks_per_node=4, threads_per_rank=1)
    assert lines(ranks, of_ranks=True) == [
        "mpiexec -n 4 '/opt/a b' '{x}'  # MPICH, Open MPI",
        "srun -N 1 -n 4 --mpi=pmi2 '/opt/a b' '{x}'  # Slurm, MPICH",
        "srun -N 1 -n 4 --mpi=pmix '/opt/a b' '{x}'  # Slurm, Open MPI",
    ]


def test_ranks_have_a_line_for_each_launcher() -> None:
    layout = Layout(ranks_per_node=2, threads_per_rank=2, wait_policy=WaitPolicy.DEFAULT)
    found = lines(layout, of_ranks=True, description=DESCRIBED)
    assert found[0] == "export RANKS=2"
    assert [line for line in found if not line.startswith("export")] == [
        "mpiexec -n 2 -bind-to user:0+1,2+3 '/opt/a b' '{x}' -t 2  # MPICH",
        "mpiexec -n 2 --map-by slot:PE=2 --bind-to core '/opt/a b' '{x}' -t 2  # Open MPI",
        "srun -N 1 -n 2 --cpu-bind=mask_cpu:0x3,0xc --mpi=pmi2 '/opt/a b' '{x}' -t 2"
        "  # Slurm, MPICH",
        "srun -N 1 -n 2 --cpu-bind=mask_cpu:0x3,0xc --mpi=pmix '/opt/a b' '{x}' -t 2"
        "  # Slurm, Open MPI",
    ]


# By another MPI each rank would be a program of its own.
@pytest.mark.parametrize(("family", "own"), [("mpich", "MPICH"), ("openmpi", "Open MPI")])
@pytest.mark.parametrize("binding", [Binding.DEFAULT, Binding.NONE, Binding.CLOSE])
def test_a_program_of_one_mpi_has_lines_of_that_alone(
    family: str, own: str, binding: Binding
) -> None:
    layout = Layout(ranks_per_node=2, binding=binding, wait_policy=WaitPolicy.DEFAULT)
    ranks = [one for one in lines(layout, of_ranks=True, family=family) if "-n 2" in one]
    assert [one.rpartition("# ")[2] for one in ranks] == [own, f"Slurm, {own}"]


def test_where_no_launcher_can_place_ranks_there_are_no_lines() -> None:
    layout = Layout(nodes=2, ranks_per_node=1, wait_policy=WaitPolicy.DEFAULT)
    by_shell = Hosts(("a", "b"), "/opt/agent")
    assert lines(layout, of_ranks=True, hosts=by_shell, family="openmpi") == []
    assert lines(layout, of_ranks=True, hosts=by_shell, family="mpich") != []


@pytest.mark.parametrize(
    "layout",
    [
        Layout(ranks_per_node=2, binding=Binding.SPREAD),
        Layout(ranks_per_node=2, threads_per_rank=2, smt=2),
    ],
)
def test_a_launcher_that_cannot_place_ranks_so_has_no_line(layout: Layout) -> None:
    found = lines(layout, of_ranks=True)
    assert not any(line.startswith("mpiexec") and "Open MPI" in line for line in found)
    assert any("MPICH" in line for line in found)
    assert any("Slurm" in line for line in found)


def test_copies_are_started_by_srun_without_an_interface_of_mpi() -> None:
    command = Command(("/opt/a",), "/", 60.0, copies=True)
    spec = replace(small_spec(layout=Layout(ranks_per_node=2)), command=command)
    found = job_lines(Launch(1, spec, 1, assign(spec.layout, FOUR_CORES)), of_ranks=True)
    (srun,) = [line for line in found if line.command.startswith("srun")]
    assert "--mpi=none" in srun.command


def test_arguments_of_several_ranks_are_left_out_for_one() -> None:
    described = replace(DESCRIBED, rank_arguments=("-parallel",), thread_arguments=())
    for ranks in (1, 2):
        layout = Layout(ranks_per_node=ranks, wait_policy=WaitPolicy.DEFAULT)
        found = lines(layout, of_ranks=True, description=described)
        assert any("-parallel" in line for line in found) is (ranks > 1)


def test_several_nodes_have_the_same_ranks_each() -> None:
    layout = Layout(nodes=2, ranks_per_node=2, threads_per_rank=2, wait_policy=WaitPolicy.DEFAULT)
    found = lines(layout, of_ranks=True)[3:]
    assert found == [
        "mpiexec -n 4 -ppn 2 -bind-to user:0+1,2+3 '/opt/a b' '{x}'  # MPICH",
        "mpiexec -n 4 -x OMP_NUM_THREADS -x OMP_PROC_BIND -x OMP_PLACES --map-by ppr:2:node:PE=2 "
        "--bind-to core '/opt/a b' '{x}'  # Open MPI",
        "srun -N 2 -n 4 --ntasks-per-node=2 --cpu-bind=mask_cpu:0x3,0xc --mpi=pmi2 '/opt/a b' "
        "'{x}'  # Slurm, MPICH",
        "srun -N 2 -n 4 --ntasks-per-node=2 --cpu-bind=mask_cpu:0x3,0xc --mpi=pmix '/opt/a b' "
        "'{x}'  # Slurm, Open MPI",
    ]
    default = replace(layout, binding=Binding.DEFAULT, threads_per_rank=1)
    assert lines(default, of_ranks=True)[:2] == [
        "mpiexec -n 4 -ppn 2 '/opt/a b' '{x}'  # MPICH",
        "mpiexec -n 4 --map-by ppr:2:node '/opt/a b' '{x}'  # Open MPI",
    ]


def test_hosts_of_no_job_are_named_and_no_srun_starts_there() -> None:
    layout = Layout(nodes=2, ranks_per_node=2, wait_policy=WaitPolicy.DEFAULT)
    found = lines(layout, of_ranks=True, hosts=Hosts(("n1", "n2", "n3")))
    assert found[3:] == [
        "mpiexec -n 4 -hosts n1,n2 -ppn 2 -bind-to user:0,1 '/opt/a b' '{x}'  # MPICH",
        "mpiexec -n 4 --host n1:2,n2:2 -x OMP_NUM_THREADS -x OMP_PROC_BIND -x OMP_PLACES --map-by "
        "ppr:2:node:PE=1 --bind-to core '/opt/a b' '{x}'  # Open MPI",
    ]


def test_a_remote_shell_is_in_the_line_of_mpich_and_nothing_set_has_no_mapping() -> None:
    layout = Layout(
        nodes=2, ranks_per_node=2, binding=Binding.DEFAULT, wait_policy=WaitPolicy.DEFAULT
    )
    by_shell = lines(layout, of_ranks=True, hosts=Hosts(("n1", "n2"), "/opt/agent"))
    assert by_shell == [
        "mpiexec -n 4 -launcher rsh -launcher-exec /opt/agent -hosts n1,n2 -ppn 2 '/opt/a b' '{x}'"
        "  # MPICH"
    ]
    by_ssh = lines(layout, of_ranks=True, hosts=Hosts(("n1", "n2")))
    assert by_ssh[1] == "mpiexec -n 4 --host n1:2,n2:2 '/opt/a b' '{x}'  # Open MPI"


@pytest.mark.parametrize(
    ("used", "begins"),
    [
        (UsedLauncher("/opt/mpich/bin/mpiexec", "mpich"), "/opt/mpich/bin/mpiexec -n 2 -bind-to"),
        (UsedLauncher("/usr/bin/mpiexec", "openmpi"), "/usr/bin/mpiexec -n 2 --map-by"),
        (
            UsedLauncher("/usr/bin/mpiexec", "openmpi", as_root=True),
            "/usr/bin/mpiexec --allow-run-as-root -n 2 --map-by",
        ),
    ],
)
def test_the_line_names_the_launcher_that_was_used(used: UsedLauncher, begins: str) -> None:
    """Another mpiexec that is first on the PATH would start copies of one rank."""
    layout = Layout(ranks_per_node=2)
    spec = replace(small_spec(layout=layout), command=Command(("/opt/a",), "/", 60.0))
    launch = Launch(1, spec, 1, assign(layout, FOUR_CORES))
    found = [line for line in job_lines(launch, of_ranks=True, used=used) if line.note]
    assert [line.command.startswith(begins) for line in found if line.used] == [True]
    others = [line for line in found if not line.in_job]
    assert all(("not tried" in line.note) is not line.used for line in others)
    assert not any(line.command.startswith("mpiexec") for line in found)


WORDS = (
    ("/opt/a b", "it's", '"quoted"', "$HOME", "", "a\\b", "*", "#x", "~", "ä€", "-n=1;rm"),
    ("/opt/a", "x" * 4000),
)


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("used", [NOT_USED, UsedLauncher("/opt/my mpi/bin/mpiexec", "openmpi")])
def test_lines_taken_apart_are_the_words_that_they_were_made_of(
    words: tuple[str, ...], used: UsedLauncher
) -> None:
    braced = tuple(word.replace("{", "{{").replace("}", "}}") for word in words)
    described = replace(DESCRIBED, environment={"TEXT": "it's a $b"}, thread_arguments=())
    layout = Layout(ranks_per_node=2, threads_per_rank=1)
    spec = replace(small_spec(layout=layout), command=Command(braced, "/", 60.0, described))
    launch = Launch(1, spec, 1, assign(layout, FOUR_CORES))
    lines = lines_to_try(job_lines(launch, of_ranks=used is not NOT_USED, used=used))
    found = words_of(lines)
    assert found is not None
    assert found.words[-len(words) :] == words
    assert shell_text(found.words) == lines[-1]
    assert found.variables["TEXT"] == "it's a $b"
    assert [
        f"export {name}={shell_text([text])}" for name, text in found.variables.items()
    ] == list(lines[:-1])


def test_words_that_only_some_shells_read_are_not_taken_apart() -> None:
    spec = replace(small_spec(layout=Layout()), command=Command(("/opt/a", "\x1b"), "/", 60.0))
    launch = Launch(1, spec, 1, assign(Layout(), FOUR_CORES))
    assert words_of(lines_to_try(job_lines(launch, of_ranks=False))) is None


def test_where_the_launcher_of_the_run_has_no_line_nothing_is_taken_apart() -> None:
    layout = Layout(ranks_per_node=2, binding=Binding.SPREAD)
    spec = replace(small_spec(layout=layout), command=Command(("/opt/a",), "/", 60.0))
    launch = Launch(1, spec, 1, assign(layout, FOUR_CORES))
    assert lines_to_try(job_lines(launch, of_ranks=True, used=UsedLauncher("m", "openmpi"))) == ()
