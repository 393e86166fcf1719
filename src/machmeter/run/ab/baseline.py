"""From an earlier run to the baseline of a new one: what it asked, and how its build is had."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.build.sources import native_sources, source_hash
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.results.run import Baseline, Request
from machmeter.run.measuring.start import as_if_fetched, lacks_only_the_fetching, plan_before_sizing
from machmeter.run.programs.cached import (
    first_outcomes,
    fullest,
    has_all,
    kept_programs,
    known_parameters,
    places_of,
    what_ran,
)
from machmeter.run.programs.compiled import BuildContext, with_shmem
from machmeter.run.programs.trust import still_known
from machmeter.store.run_folder import RunFolder


def against(
    folder: RunFolder,
    asked: Request,
    machine: Machine,
    around: BuildContext,
    *,
    rebuild: bool = False,
    rest: bool = False,
) -> Baseline:
    """The run in `folder` as the baseline of what is `asked` now, on `machine`.

    Its own programs measure it again where all that are needed are still there and were compiled
    for a processor like this one; else today's sources are compiled with its compiler and flags
    where they are the same sources. rebuild: today's sources whatever they are; rest: what the new
    side has alone is measured too. Raises UsageError where the run measured nothing, or nothing
    that is asked, MachineLacksError where its build cannot be had.
    """
    header = folder.header()
    firsts = tuple(first_outcomes(folder))
    ran = what_ran(folder, firsts)
    chain = fullest(ran)
    if chain is None:
        raise UsageError(
            f"run {header.id} has no launch that counts: there is nothing to repeat",
            "name another run, or measure that one to its end with --resume",
        )
    study, left_out = still_known(header.request.study, header.id)
    of_old = with_hosts_and_precision_of(asked, replace(header.request, study=study))
    anew = Baseline(
        run=header.id,
        request=of_old,
        toolchain=chain,
        with_unpaired=rest,
        observed_builds=ran,
        left_out=left_out,
    )
    if rebuild:
        return anew
    if _alike(header.machine, machine):
        with_library = with_shmem(of_old, machine, around.environment)
        places = places_of(header.request, around.cache, with_library.software.shmem)
        kept = replace(
            anew, programs=kept_programs(firsts, places), known_parameters=known_parameters(folder)
        )
        if kept.programs and _serves(kept, asked, with_library):
            return kept
    today = source_hash(native_sources())
    if chain.source_hash != today:
        raise MachineLacksError(
            f"not all programs that measured run {header.id} are there (any more), and the kernels "
            f"have changed since (sources {chain.source_hash}, now {today}): they cannot be "
            "compiled again",
            "--rebuild measures that run's settings with today's kernels; to compare kernels, "
            "measure the old ones once more with the machmeter that has them (version "
            f"{header.version})",
        )
    return anew


def _serves(kept: Baseline, asked: Request, machine: Machine) -> bool:
    """Whether the programs kept are all that the baseline needs: a run that was interrupted, or
    whose MPI never worked, has not shown every one of them."""
    if any(lacks_only_the_fetching(one, machine) for one in (asked, kept.request)):
        machine = as_if_fetched(machine)
    plan = plan_before_sizing(asked, machine, kept)
    return has_all(kept.programs, [spec for spec in plan.specs if spec.variant.is_baseline])


def with_hosts_and_precision_of(new: Request, old: Request) -> Request:
    """What the baseline asked, to be measured where and as precisely as the new one."""
    wish = replace(
        old.layout_options,
        hosts=new.layout_options.hosts,
        nodes=new.layout_options.nodes,
        agent=new.layout_options.agent,
        by_slurm=new.layout_options.by_slurm,
    )
    return replace(old, layout_options=wish, precision=new.precision)


def _alike(there: Machine, here: Machine) -> bool:
    """Whether programs compiled for the one processor are those for the other."""
    return (there.architecture, there.cpu_model, sorted(there.features)) == (
        here.architecture,
        here.cpu_model,
        sorted(here.features),
    )
