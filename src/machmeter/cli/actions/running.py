"""What `machmeter run` does, once its options are understood."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from functools import partial
from pathlib import Path
from types import FrameType

from msgspec import Struct
from msgspec.structs import replace

from machmeter.cli.actions.planning import counted, plan_lines, sides_lines
from machmeter.cli.context import cache_folder, data_folder, find_run
from machmeter.cli.live import build_shown, progress_shown
from machmeter.cli.options.baseline import is_own
from machmeter.cli.output import error_console, print_json, text_console, warn
from machmeter.launch.local import Launcher
from machmeter.machine.detect import detect_machine
from machmeter.model.errors import ExitCode, MachmeterError, UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.launch import Verdict
from machmeter.model.results.run import Baseline, Plan, Request, RunResult, RunState
from machmeter.run.measuring.judge import INTERRUPTED
from machmeter.run.measuring.lock import machine_to_ourselves
from machmeter.run.measuring.start import (
    as_if_fetched,
    create_run,
    lacks_only_the_fetching,
    measure_run,
    new_run_id,
    plan_before_sizing,
    prepare,
    refuse_other_build,
    refuse_output,
    with_intel_openmp,
)
from machmeter.run.planning.plan import expected
from machmeter.run.planning.sizing import needs_sizes
from machmeter.run.programs.compiled import BuildContext, Notify, with_shmem
from machmeter.run.programs.trust import refuse_to_resume, refuse_unsound_flags
from machmeter.store.remembered_runs import remember_folders, runs_home
from machmeter.store.run_folder import RunFolder

_FETCHED_LATER = (
    "Intel's OpenMP runtime (libiomp5) is fetched from PyPI when the run begins, unless the cache "
    "holds it; without it the others are measured"
)


class DryRun(Struct, frozen=True):
    """What `--dry-run --json` prints: the plan as far as it is known before sizing; against: the
    baseline of a run of two."""

    machine: Machine
    asked: Request
    plan: Plan
    launches_at_least: int
    expected_seconds: float
    against: Baseline | None = None


def dry_run(
    asked: Request, machine: Machine, against: Baseline | None = None, *, as_json: bool
) -> ExitCode:
    """Print what would be launched. Sizes come from the system's own description here."""
    every = _asked_of_sides(asked, against)
    for one in every:
        machine = with_shmem(one, machine, os.environ)
    to_fetch = any(lacks_only_the_fetching(one, machine) for one in every)
    plan = plan_before_sizing(asked, as_if_fetched(machine) if to_fetch else machine, against)
    if to_fetch:
        plan = replace(plan, notes=(*plan.notes, _FETCHED_LATER))
    needed = expected(plan, asked.study, machine)
    budget = asked.precision.budget_seconds
    seconds = max(needed.fewest_seconds, min(needed.seconds, budget))
    beyond = ": no figure without two launches" if seconds > budget else ""
    if as_json:
        print_json(DryRun(machine, asked, plan, needed.launches, seconds, against))
        return ExitCode.DONE
    console = text_console()
    for line in (*sides_lines(asked, against), *plan_lines(plan, asked.study)):
        console.print(line, markup=False, highlight=False)
    console.print(
        f"{counted(len(plan.points), 'point')}, at least {counted(needed.launches, 'launch')}, "
        f"about {seconds:.0f} s {'beyond' if beyond else 'within'} a budget of {budget:.0f} s"
        f"{beyond}",
        markup=False,
    )
    for note in plan.notes:
        console.print(note, markup=False, highlight=False)
    if needs_sizes(asked.study):
        console.print("sizes marked auto are set from a measured latency curve when the run begins")
    return ExitCode.DONE


def _asked_of_sides(asked: Request, against: Baseline | None) -> tuple[Request, ...]:
    return (asked, against.request) if against else (asked,)


def new_run(
    asked: Request,
    machine: Machine,
    output: Path | None,
    against: Baseline | None = None,
    *,
    as_json: bool,
) -> RunFolder:
    """Build, create the run's folder, measure. Raises MachmeterError with the remedy."""
    tell = partial(_tell, as_json=as_json)
    around = _surroundings(as_json=as_json)
    machine = _with_libraries(asked, against, machine, around, tell)
    plan_before_sizing(asked, machine, against)
    run_id = new_run_id(machine)
    path = output or data_folder() / "runs" / run_id
    refuse_output(path)
    # Compiling disturbs a run that measures, and one that is refused shall leave no folder behind.
    with machine_to_ourselves(around.cache, run_id):
        launcher, machine = prepare(asked, machine, around, tell, against)
        plan_before_sizing(asked, machine, against)
        folder = create_run(path, run_id, asked, machine, tuple(sys.argv), against)
        if output is not None:
            _remember(folder)
        _measure(folder, launcher, as_json=as_json)
    return folder


def _with_libraries(
    asked: Request, against: Baseline | None, machine: Machine, around: BuildContext, tell: Notify
) -> Machine:
    """The machine with the OpenSHMEM and Intel's OpenMP runtime that a run would have on it."""
    for one in _asked_of_sides(asked, against):
        machine = with_shmem(one, machine, os.environ)
        machine = with_intel_openmp(one, machine, around, tell)
    return machine


def resume_run(name: str, *, as_json: bool) -> RunFolder:
    """Go on with an interrupted run.

    Raises UsageError where the machine is another one, machmeter's programs are others, or a run
    that is not known to be this user's would start or load what only it names.
    """
    folder = find_run(name)
    header = folder.header()
    machine = detect_machine(header.machine.name)
    if _identity(machine) != _identity(header.machine):
        raise UsageError(
            f"run {header.id} began on {header.machine.host} with other CPUs than this machine has",
            "resume it where it began, or start a new run",
        )
    if folder.state().state is RunState.FINISHED:
        return folder
    refuse_other_build(folder)
    around = _surroundings(as_json=as_json)
    tell = partial(_tell, as_json=as_json)
    for one in _asked_of_sides(header.request, header.baseline):
        refuse_unsound_flags(header.id, one)
    # Of this host it is: that is looked at above.
    if not is_own(folder, of_this_host=True):
        today = _with_libraries(header.request, header.baseline, machine, around, tell)
        refuse_to_resume(header, today, str(runs_home(data_folder())))
    with machine_to_ourselves(around.cache, header.id):
        # As it was when the run began: its libraries too.
        ready = prepare(header.request, header.machine, around, tell, header.baseline)
        _measure(folder, ready.launcher, as_json=as_json)
    return folder


def _identity(machine: Machine) -> tuple[str, tuple[int, ...]]:
    """What must not change within a run; the rest may be told by sysfs or by a file of hwloc's."""
    return machine.host, tuple(sorted(cpu.number for cpu in machine.topology.usable))


def _measure(folder: RunFolder, launcher: Launcher, *, as_json: bool) -> None:
    try:
        with progress_shown(error_console(), quiet=as_json) as listener:
            measure_run(folder, launcher, listener)
    except KeyboardInterrupt as error:
        raise MachmeterError(
            "the run was interrupted; what was measured is kept",
            f"go on with `machmeter run --resume {shlex.quote(str(folder.path))}`",
        ) from error


def _remember(folder: RunFolder) -> None:
    try:
        remember_folders(data_folder(), [folder.path])
    except MachmeterError as error:
        warn(error)


def exit_code_of(result: RunResult) -> ExitCode:
    """0 when everything that was launched could be used, 1 when anything failed or was refused.

    A launch in which the run was interrupted was launched again: it has not failed.
    """
    ended = [o for o in result.outcomes if INTERRUPTED not in o.reasons]
    clean = all(o.verdict is Verdict.ACCEPTED and not o.dropped_points for o in ended)
    return ExitCode.DONE if clean and result.estimates else ExitCode.SOMETHING_FAILED


def _surroundings(*, as_json: bool) -> BuildContext:
    return BuildContext(os.environ, cache_folder(), build_shown(error_console(), quiet=as_json))


def _tell(text: str, *, as_json: bool) -> None:
    if not as_json:
        error_console().print(text, style="dim", markup=False, soft_wrap=True)


def end_on_termination() -> None:
    """Let a batch system's SIGTERM end a run as an interrupt from the keyboard does."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
