"""What to measure: from names and values, and from an earlier run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from machmeter.api.context import Context
from machmeter.api.loading import RunName, find_run
from machmeter.api.programs.applications import with_applications
from machmeter.benchmarks.catalogue import find
from machmeter.benchmarks.network.messages import ON_DEVICE
from machmeter.benchmarks.programs import DEVICE_PROGRAM
from machmeter.build.compiler import parse_flags
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.benchmark import ThreadSweep, Value
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import LAYOUT_OPTIONS
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions, Study
from machmeter.model.results.run import DEFAULT_MPI, Baseline, Precision, Request, RunHeader
from machmeter.model.twin import Twin
from machmeter.model.written.text import check_text
from machmeter.run.ab.baseline import (
    against,
    measured_request,
    refuse_programs_alone,
    without_applications,
)
from machmeter.run.programs.default_mpi import default_mpi
from machmeter.run.programs.trust import refuse_unsound_flags, still_declared, untrusted
from machmeter.simulation.nodes import hosts_of_twin, refuse_other_libraries
from machmeter.store.remembered_runs import remembered_folders, runs_home
from machmeter.store.run_folder import RunFolder
from machmeter.studies.select import STUDIES, comparing_libraries, select

MAX_LAUNCHES = 100_000

# Options whose value is a part of the layout; hosts and nodes are where both variants run today.
_OF_LAYOUTS = {one.name: one.field for one in LAYOUT_OPTIONS.values() if one.inherited}
# What a launch mode says itself.
_OF_MODES = frozenset({"threads", "smt", "reserve"})
_OF_PRECISION = {
    "precision": "half_width",
    "min_launches": "least_launches",
    "max_launches": "most_launches",
}
_VARIANTS = 2

Setting = str | Value | Sequence[Value]


def request(  # noqa: PLR0913 - each is an option of `machmeter run`
    *names: str,
    settings: Mapping[str, Setting] | None = None,
    layout: LayoutOptions = LayoutOptions(),  # noqa: B008 - frozen
    precision: float = 0.02,
    budget_seconds: float | None = None,
    min_launches: int = 10,
    max_launches: int = 100,
    mpi: Sequence[str] = (),
    compiler: str = "",
    flags: str = "",
    force: bool = False,
    fresh_sizes: bool = False,
    twin: Twin | None = None,
    on: str = "",
    changes: Sequence[str] = (),
    context: Context | None = None,
) -> Request:
    """What to measure: studies, benchmarks or groups by name; none is `quick`.

    Args:
        names: Of studies, benchmarks or groups (`benchmarks`, `studies`).
        settings: Values of benchmark parameters, one or several, or text as `--set` takes it.
        layout: Ranks, threads, hosts; what is empty is the benchmark's own sweep.
        precision: Target half-width of the 95 % interval, as a share.
        budget_seconds: Measuring time; None is the study's own.
        min_launches: Launches per layout, at least.
        max_launches: Launches per layout, at most.
        mpi: `mpich`, `openmpi` or prefixes of installed MPIs, measured in turn; empty is the
            study's own, or that of the PATH where it starts, or `mpich`.
        compiler: C++ compiler; empty is `$CXX`, g++, clang++, c++.
        flags: Extra compiler flags, after all others.
        force: Measure every layout, however little of it the budget decides.
        fresh_sizes: Choose sizes without those of earlier runs of this machine.
        twin: Simulates it on this model of a machine; None measures this machine.
        on: The name or file of the model; empty is its own name.
        changes: What of the model is changed, each as `--with` takes it, for the record.
        context: Environment and cache: for the applications of studies, and for the MPI that is
            measured where neither `mpi` nor the study names one (`default_mpi`), of
            which it is notified.

    Raises:
        UsageError: A name does not exist, or a value has no meaning.
    """
    hosts = (*layout.hosts, layout.remote_shell)
    texts = {name: _setting_text(value) for name, value in (settings or {}).items()}
    for text in (*names, *texts, *texts.values(), *mpi, compiler, flags, *hosts):
        check_text(text)
    check_layout(layout)
    _check_precision(precision, budget_seconds)
    if twin is not None:
        layout = replace(layout, hosts=hosts_of_twin(twin, layout))
    if not 2 <= min_launches <= max_launches <= MAX_LAUNCHES:
        raise UsageError(
            f"--min-launches {min_launches} and --max-launches {max_launches} mean nothing together"
            if min_launches >= 2
            else f"--min-launches {min_launches} is too few: an interval takes two",
            f"use 2 to {MAX_LAUNCHES}, the minimum not above the maximum",
        )
    study = _selected(names, texts)
    seconds = budget_seconds or study.budget_seconds
    named = tuple(dict.fromkeys(mpi))
    if twin is None:
        study, on = with_applications(study, seconds, context or Context(), named), ""
    else:
        study, named = replace(study, applications=()), named or (twin.mpi,)
        refuse_other_libraries(named)
        # A model states the same every time.
        min_launches = max_launches = 1
        on = on or twin.name
    if names:
        _refuse_what_none_takes(study, layout)
    mpis = named or study.mpis or (_default_mpi(study, layout, context or Context()),)
    if len(mpis) > 1:
        study = comparing_libraries(study)
    return Request(
        names=names or ("quick",),
        study=study,
        layout_options=replace(layout, mpis=mpis if len(mpis) > 1 else ()),
        precision=Precision(precision, min_launches, max_launches, seconds),
        mpi=",".join(mpis),
        compiler=compiler,
        flags=parse_flags(flags),
        settings=tuple(f"{name}={text}" for name, text in texts.items()),
        force=force,
        fresh_sizes=fresh_sizes,
        twin=twin,
        on=on,
        changes=tuple(changes),
    )


def inherit(new: Request, header: RunHeader, given: AbstractSet[str]) -> Request:
    """`new` with everything that was not `given` as in the request of an earlier run.

    Two variants take twice the time: a budget that was not given is twice the run's, or that of an
    A/B run; with other points twice that of their study.

    Args:
        new: What is requested now.
        header: Of the earlier run.
        given: Names of options, `names` and `settings` among them; without these two the run's own
            points are measured again.

    Raises:
        UsageError: machmeter no longer knows anything of what that run measured.
    """
    known, _ = still_declared(header.request.study, header.id)
    old = replace(measured_request(header), study=known)
    same_points = not {"names", "settings"} & given
    layout: LayoutOptions = replace(
        new.layout_options, **_not_given(_OF_LAYOUTS, given, old.layout_options)
    )
    if given & _OF_MODES:
        layout = replace(layout, modes=())
    elif "modes" in given:
        layout = replace(layout, threads=(), smt=1, reserved_cores=0)
    precision = replace(new.precision, **_not_given(_OF_PRECISION, given, old.precision))
    if "budget" not in given:
        old_seconds, new_seconds = (one.precision.budget_seconds for one in (old, new))
        times = 1 if header.baseline else _VARIANTS
        seconds = times * old_seconds if same_points else _VARIANTS * new_seconds
        precision = replace(precision, budget_seconds=seconds)
    study = without_applications(old.study if same_points else new.study)
    if {"threads", "ranks", "modes", "device"} & given:
        _refuse_what_none_takes(study, layout)
    return Request(
        names=new.names if "names" in given else old.names,
        study=study,
        layout_options=layout if "mpi" in given else replace(layout, mpis=old.layout_options.mpis),
        precision=precision,
        mpi=new.mpi if "mpi" in given else old.mpi,
        compiler=new.compiler if "compiler" in given else old.compiler,
        flags=new.flags if "flags" in given else old.flags,
        settings=old.settings if same_points else new.settings,
        force=new.force,
        fresh_sizes=new.fresh_sizes,
    )


def baseline(
    run: RunName,
    request: Request,
    machine: Machine,
    *,
    rebuild: bool = False,
    unpaired: bool = False,
    trust: bool = False,
    context: Context | None = None,
) -> Baseline:
    """The baseline of an A/B run: `run`, measured again in turn with what is requested.

    Args:
        run: The earlier run.
        request: What the candidate measures.
        machine: This machine.
        rebuild: Its settings, with kernels compiled from today's sources.
        unpaired: Also results that `run` does not have.
        trust: Whether what the run names is used though it is not known to be this user's.
        context: Folders and listeners.

    Raises:
        UsageError: The run measured nothing, or nothing that is requested, or one of them has no
            benchmark of machmeter's own, or the run is not known to be this user's and not trusted.
        MachineLacksError: Its build is not available.
    """
    context = context or Context()
    folder = find_run(run, context)
    header = folder.header()
    if header.request.origin.is_quoted:
        raise UsageError(
            f"run {header.id} was simulated: nothing can be measured in turn with it",
            "compare two runs: `machmeter compare A B`",
        )
    refuse_programs_alone(f"run {header.id}", header.request.study)
    refuse_programs_alone("what is requested", request.study)
    refuse_unsound_flags(header.id, header.request)
    own = is_own(folder, context, of_this_host=header.machine.host == machine.host)
    if not (trust or own):
        raise untrusted(header.id)
    return against(folder, request, machine, context.for_builds, rebuild=rebuild, unpaired=unpaired)


def is_own(folder: RunFolder, context: Context, *, of_this_host: bool) -> bool:
    """Whether a run belongs to this user, by its files, and is among this user's runs, or was
    measured on this host and is remembered: `machmeter store rebuild` remembers runs of others
    too, and anybody can write what a run says of its host."""
    path = folder.path.resolve()
    user = os.geteuid()
    if any(one.stat().st_uid != user for one in (path, path / "run.json")):
        return False
    if path.parent == runs_home(context.data).resolve():
        return True
    return of_this_host and path in remembered_folders(context.data)


def mpi_where_none_is_named(layout: LayoutOptions, context: Context) -> str:
    """The MPI that is measured where nobody names one (`default_mpi`), of which the context is
    notified."""
    hosts = Hosts(layout.hosts, layout.remote_shell, layout.launcher)
    choice = default_mpi(hosts, context.for_builds)
    if choice.why:
        context.notify(choice.why)
    return choice.name


def _default_mpi(study: Study, layout: LayoutOptions, context: Context) -> str:
    return mpi_where_none_is_named(layout, context) if chooses_mpi(study) else DEFAULT_MPI


def chooses_mpi(study: Study) -> bool:
    """Whether anything of a study is compiled and started with an MPI of its request."""
    programs = (find(one.benchmark, study.benchmarks).program for one in study.experiments)
    return any(program.chooses_mpi for program in programs)


def _selected(names: Sequence[str], settings: Mapping[str, str]) -> Study:
    """As `select`; of a name that is a published machine's the error says so."""
    try:
        return select(names, settings)
    except UsageError as error:
        from machmeter.published.load import machine_names

        machine = next((name for name in names if name in machine_names()), "")
        if not machine or machine in {study.name for study in STUDIES}:
            raise
        raise UsageError(
            f"{machine} is a published machine, nothing to measure",
            f"`machmeter compare {machine} last` compares the last run with it; {error.remedy}",
        ) from error


def _setting_text(value: Setting) -> str:
    if isinstance(value, str | int | float):
        return str(value)
    return ",".join(map(str, value))


def check_layout(layout: LayoutOptions) -> None:
    """Raise UsageError for numbers and combinations that mean nothing."""
    for smt in layout.smts or (0,):
        if not 1 <= smt <= 1_000_000:
            raise UsageError(f"invalid number of hardware threads per core: {smt}", "use 1 or more")
    if min(layout.reserves, default=-1) < 0:
        raise UsageError(
            f"invalid number of reserved cores: {layout.reserved_cores}", "use 0 or more"
        )
    if layout.modes and (layout.smt != 1 or layout.reserved_cores or layout.threads):
        raise UsageError(
            "a launch mode says itself how many threads, hardware threads and reserved cores",
            "leave --threads, --smt and --reserve out, or --modes",
        )
    if layout.remote_shell and not layout.hosts:
        raise UsageError(
            "a remote shell is only used with hosts", "name the hosts, or leave it out"
        )


def _refuse_what_none_takes(study: Study, layout: LayoutOptions) -> None:
    """What no benchmark takes would be left out, and they measured as if it had not been given."""
    every = {one.benchmark: find(one.benchmark, study.benchmarks) for one in study.experiments}
    sweeps = (one.threads or every[one.benchmark].threads for one in study.experiments)
    several = layout.threads if max(layout.threads, default=1) > 1 else ()
    ranks = layout.rank_counts if max(layout.rank_counts, default=1) > 1 else ()
    of_processes = not any(one.program.has_ranks for one in every.values())
    buffers, on_device = ON_DEVICE
    refused = {
        "threads": (
            several,
            all(one is ThreadSweep.ONE for one in sweeps),
            "has one thread a rank",
        ),
        "ranks": (ranks, of_processes, "has no ranks"),
        "device": (
            layout.devices or (),
            all(one.program != DEVICE_PROGRAM for one in every.values())
            and not any(on_device in one.parameters.get(buffers, ()) for one in study.experiments),
            "measures no device",
        ),
        "modes": (tuple(mode.value for mode in layout.modes), of_processes, "has no ranks"),
    }
    for option, (counts, is_refused, why) in refused.items():
        if counts and is_refused:
            raise UsageError(
                f"nothing requested takes --{option} {','.join(map(str, counts))}: "
                f"{study.experiments[0].benchmark} {why}",
                f"leave --{option} out, or name others",
            )


def _check_precision(precision: float, budget_seconds: float | None) -> None:
    if not 0.0001 <= precision <= 0.5:
        raise UsageError(f"invalid target precision: {precision:g}", "use 0.0001 to 0.5")
    if budget_seconds is not None and not 1 <= budget_seconds <= 86400:
        raise UsageError(f"invalid budget: {budget_seconds:g} s", "use 1 s to 24 h")


def _not_given(
    fields: Mapping[str, str], given: AbstractSet[str], old: LayoutOptions | Precision
) -> dict[str, object]:
    return {field: getattr(old, field) for name, field in fields.items() if name not in given}
