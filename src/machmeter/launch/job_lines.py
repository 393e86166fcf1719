"""The lines of a shell that start a program in one layout without machmeter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from machmeter.launch.command import command_of_launch
from machmeter.layout.environment import omp_environment
from machmeter.model.layout import Binding, Layout
from machmeter.model.plan.launch import Launch
from machmeter.model.text import shell_text

# The interface that each MPI has with srun: by another one it starts copies of rank 0.
_OF_MPI = MappingProxyType({"pmi2": "Slurm, MPICH", "pmix": "Slurm, Open MPI"})
_OF_COPIES = MappingProxyType({"none": "Slurm"})
# What runtimes do by themselves.
_BY_DEFAULT = ("OMP_DYNAMIC", "OMP_MAX_ACTIVE_LEVELS")


class ShellLine(Struct, frozen=True):
    """One line to copy."""

    command: str
    """As a shell reads it."""
    of: str = ""
    """Whose it is, where only one of several lines is to be used: `Open MPI`."""


def job_lines(launch: Launch, *, of_ranks: bool) -> tuple[ShellLine, ...]:
    """Variables first, then one line for each launcher that may start the program.

    of_ranks: whether an MPI starts it. A launcher without options that place ranks so has no
    line: Open MPI where the ranks are not on neighboring cores, or on several hardware threads of a
    core.
    """
    command = launch.spec.command
    if command is None:
        return ()
    words, variables = command_of_launch(launch, command)
    program = shell_text(words)
    layout = launch.spec.layout
    exports = {**variables, **_of_threads(launch)}
    lines = [ShellLine(f"export {name}={shell_text([value])}") for name, value in exports.items()]
    cpus = [sorted({cpu for cpus in rank for cpu in cpus}) for rank in launch.assignment.cpus]
    slurm = _OF_COPIES if command.copies else _OF_MPI
    started = _of_ranks(layout, cpus, slurm) if of_ranks else _of_process(layout, cpus[0])
    lines += [ShellLine(f"{line.command}{program}", line.of) for line in started]
    return tuple(lines)


def _of_threads(launch: Launch) -> dict[str, str]:
    layout = launch.spec.layout
    variables = omp_environment(layout, launch.assignment.cpus[0])
    if "OMP_PLACES" in variables:
        # Within the CPUs of each rank.
        variables["OMP_PLACES"] = "cores" if layout.smt == 1 else "threads"
    return {name: value for name, value in variables.items() if name not in _BY_DEFAULT}


def _of_process(layout: Layout, cpus: Sequence[int]) -> Iterator[ShellLine]:
    if not layout.binding.is_bound:
        yield ShellLine("")
        return
    yield ShellLine(f"taskset -c {','.join(map(str, cpus))} ")


def _of_ranks(
    layout: Layout, cpus: Sequence[Sequence[int]], slurm: Mapping[str, str]
) -> Iterator[ShellLine]:
    """slurm: the interfaces with srun, and whose each is."""
    several, on_each = layout.nodes > 1, layout.ranks_per_node
    mpiexec = f"mpiexec -n {layout.ranks}"
    # Of MPICH's mpiexec; its binding is by the ranks of a node.
    hydra = f"{mpiexec} -ppn {on_each}" if several else mpiexec
    # In a job of more nodes srun would spread the ranks over all of them.
    srun = f"srun -N {layout.nodes} -n {layout.ranks}"
    if several:
        srun += f" --ntasks-per-node={on_each}"
    if layout.binding is Binding.DEFAULT:
        of_open_mpi = f"{mpiexec} --map-by ppr:{on_each}:node" if several else mpiexec
        if hydra == of_open_mpi:
            yield ShellLine(f"{mpiexec} ", "MPICH, Open MPI")
        else:
            yield ShellLine(f"{hydra} ", "MPICH")
            yield ShellLine(f"{of_open_mpi} ", "Open MPI")
        yield from _of_slurm(srun, slurm)
        return
    if not layout.binding.is_bound:
        placed = f" --map-by ppr:{on_each}:node" if several else ""
        yield ShellLine(f"{hydra} -bind-to none ", "MPICH")
        yield ShellLine(f"{mpiexec}{placed} --bind-to none ", "Open MPI")
        yield from _of_slurm(f"{srun} --cpu-bind=none", slurm)
        return
    users = ",".join("+".join(map(str, one)) for one in cpus)
    yield ShellLine(f"{hydra} -bind-to user:{users} ", "MPICH")
    if layout.smt == 1 and _are_neighbors(cpus):
        place = f"ppr:{on_each}:node" if several else "slot"
        each = f"{place}:PE={layout.cpus_per_rank}"
        yield ShellLine(f"{mpiexec} --map-by {each} --bind-to core ", "Open MPI")
    masks = ",".join(hex(sum(1 << cpu for cpu in one)) for one in cpus)
    yield from _of_slurm(f"{srun} --cpu-bind=mask_cpu:{masks}", slurm)


def _of_slurm(srun: str, slurm: Mapping[str, str]) -> Iterator[ShellLine]:
    for interface, whose in slurm.items():
        yield ShellLine(f"{srun} --mpi={interface} ", whose)


def _are_neighbors(cpus: Sequence[Sequence[int]]) -> bool:
    """Whether ranks have the first CPUs, in order, without a gap."""
    every = [cpu for one in cpus for cpu in one]
    return every == list(range(len(every)))
