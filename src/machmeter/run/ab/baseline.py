"""From an earlier run to the baseline of a new one: what it asked, and how its build is had."""

from __future__ import annotations

from msgspec.structs import replace

from machmeter.build.sources import read_sources
from machmeter.model.errors import MachineLacksError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.results.run import Baseline, Request, RunHeader
from machmeter.run.measuring.start import plan_before_sizing
from machmeter.run.programs.cached import (
    cached_binaries,
    first_outcomes,
    fullest,
    has_all,
    locations_of,
    planned_parameters,
    what_ran,
)
from machmeter.run.programs.compiled import BuildContext, with_shmem
from machmeter.run.programs.devices import measures_devices
from machmeter.run.programs.fetched import as_if_fetched
from machmeter.run.programs.trust import still_declared
from machmeter.store.run_folder import RunFolder

_NOT_OURS = "an A/B run measures machmeter's own benchmarks only"


def against(
    folder: RunFolder,
    request: Request,
    machine: Machine,
    context: BuildContext,
    *,
    rebuild: bool = False,
    unpaired: bool = False,
) -> Baseline:
    """The run in `folder` as the baseline of `request`, on `machine`.

    Its own programs measure it again where all that are needed are still there and were compiled
    for a processor like this one; else today's sources are compiled with its compiler and flags
    where they are the same sources. rebuild: today's sources whatever they are; unpaired: points of
    the candidate alone are measured too. Raises UsageError where the run measured nothing, or
    nothing that is requested, MachineLacksError where its build cannot be had.
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
    study, left_out = still_declared(without_applications(header.request.study), header.id)
    measured = replace(measured_request(header), study=study)
    old_request = with_hosts_and_precision_of(request, measured)
    built_today = Baseline(
        run=header.id,
        request=old_request,
        toolchain=chain,
        with_unpaired=unpaired,
        observed_builds=ran,
        left_out=left_out,
        rebuilt=rebuild,
    )
    if rebuild:
        return built_today
    if _same_processor(header.machine, machine):
        with_library = with_shmem(old_request, machine, context.environment)
        places = locations_of(header.request, context.cache, with_library.software.shmem)
        kept = replace(
            built_today,
            programs=cached_binaries(firsts, places),
            planned_parameters=planned_parameters(folder),
        )
        if kept.programs and _serves(kept, request, with_library):
            return kept
    today = read_sources()
    changed = [
        one.benchmark for one in ran if one.toolchain.sources != today.of_benchmark(one.benchmark)
    ]
    if changed:
        raise MachineLacksError(
            f"not all programs that measured run {header.id} are there (any more), and native "
            f"sources have changed since ({', '.join(dict.fromkeys(changed))}): they cannot be "
            "compiled again",
            "--rebuild measures that run's settings with today's kernels; to compare kernels, "
            "measure the old ones once more with the machmeter that has them (version "
            f"{header.version})",
        )
    return built_today


def measured_request(header: RunHeader) -> Request:
    """What a run requested, with the devices named that it measured: without a name they are those
    of today, which may be others."""
    request = header.request
    if not header.machine.devices or not measures_devices(request.study):
        return request
    named = tuple(one.select for one in header.machine.devices)
    return replace(request, layout_options=replace(request.layout_options, devices=named))


def without_applications(study: Study) -> Study:
    """The study of an A/B run: its applications are not measured, which they say, nor their
    questions answered. One of programs alone stays as it is: it is refused as a whole."""
    applications = {one.name for one in study.benchmarks}
    if all(one.benchmark in applications for one in study.experiments):
        return study
    return replace(
        study,
        experiments=tuple(
            Experiment(one.benchmark, lacks=_NOT_OURS) if one.benchmark in applications else one
            for one in study.experiments
        ),
        questions=tuple(one for one in study.questions if one.benchmark not in applications),
    )


def refuse_programs_alone(what: str, study: Study) -> None:
    """Raise UsageError where an A/B run of the study would measure nothing.

    what: whose study it is.
    """
    if all(one.command is not None or one.lacks for one in study.experiments):
        raise UsageError(
            f"{what} has no benchmark of machmeter's own, and an A/B run measures these only",
            "measure both in runs of their own, then `machmeter compare` the runs",
        )


def _serves(kept: Baseline, request: Request, machine: Machine) -> bool:
    """Whether the programs kept are all that the baseline needs: a run that was interrupted, or
    whose MPI never worked, has not shown every one of them."""
    for one in (request, kept.request):
        machine = as_if_fetched(one, machine)
    plan = plan_before_sizing(request, machine, kept)
    return has_all(kept.programs, [spec for spec in plan.specs if spec.variant.is_baseline])


def with_hosts_and_precision_of(new: Request, old: Request) -> Request:
    """What the baseline requested, to be measured where and as precisely as the new one."""
    options = replace(
        old.layout_options,
        hosts=new.layout_options.hosts,
        nodes=new.layout_options.nodes,
        launcher=new.layout_options.launcher,
        remote_shell=new.layout_options.remote_shell,
        one_machine=new.layout_options.one_machine,
    )
    return replace(old, layout_options=options, precision=new.precision)


def _same_processor(there: Machine, here: Machine) -> bool:
    """Whether programs compiled for the one processor are those for the other."""
    return (there.architecture, there.cpu_model, sorted(there.features)) == (
        here.architecture,
        here.cpu_model,
        sorted(here.features),
    )
