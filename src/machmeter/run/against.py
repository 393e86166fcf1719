"""From an earlier run to the old side of a new one: what it asked, and how its build is had."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.build.sources import native_sources, source_hash
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.run import Against, Asked
from machmeter.run.kept_programs import first_outcomes, kept_programs, measured_with
from machmeter.store.run_folder import RunFolder


def against(
    folder: RunFolder, asked: Asked, machine: Machine, *, rebuild: bool = False, rest: bool = False
) -> Against:
    """The run in `folder` as the old side of what is `asked` now, on `machine`.

    Its own programs measure it again where they are still there and were compiled for a processor
    like this one; else today's sources are compiled with its compiler and flags where they are the
    same sources. rebuild: today's sources whatever they are; rest: what the new side has alone is
    measured too. Raises UsageError where the run measured nothing, MachineLacksError where its
    build cannot be had.
    """
    header = folder.header()
    firsts = tuple(first_outcomes(folder))
    chain = measured_with(folder, firsts)
    if chain is None:
        raise UsageError(
            f"run {header.id} has no launch that counts: there is nothing to repeat",
            "name another run, or measure that one to its end with --resume",
        )
    programs = () if rebuild or not _alike(header.machine, machine) else kept_programs(firsts)
    today = source_hash(native_sources())
    if not (programs or rebuild or chain.source_hash == today):
        raise MachineLacksError(
            f"the programs that run {header.id} was measured with are gone, and the kernels have "
            f"changed since (sources {chain.source_hash}, now {today}): they cannot be compiled "
            "again",
            "--rebuild measures that run's settings with today's kernels; to compare kernels, "
            "measure the old ones once more with the machmeter that has them (version "
            f"{header.version})",
        )
    return Against(
        run=header.id,
        asked=with_hosts_and_precision_of(asked, header.asked),
        toolchain=chain,
        programs=programs,
        rest=rest,
    )


def with_hosts_and_precision_of(new: Asked, old: Asked) -> Asked:
    """What the old side asked, to be measured where and as precisely as the new one."""
    wish = replace(
        old.wish,
        hosts=new.wish.hosts,
        nodes=new.wish.nodes,
        agent=new.wish.agent,
        by_slurm=new.wish.by_slurm,
    )
    return replace(old, wish=wish, precision=new.precision)


def _alike(there: Machine, here: Machine) -> bool:
    """Whether programs compiled for the one processor are those for the other."""
    return (there.architecture, there.cpu_model, sorted(there.features)) == (
        here.architecture,
        here.cpu_model,
        sorted(here.features),
    )
