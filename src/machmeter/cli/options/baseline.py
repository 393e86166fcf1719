"""`machmeter run --against RUN`: what the candidate asks, and the baseline it is measured with."""

from __future__ import annotations

import os
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from machmeter.cli.context import cache_folder, data_folder, find_run
from machmeter.cli.options.run_options import RunOptions, asked_for
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Baseline, Request
from machmeter.run.ab.baseline import against
from machmeter.run.programs.compiled import BuildContext
from machmeter.run.programs.trust import (
    named_by,
    refuse_unnamed_paths,
    refuse_unsound_flags,
    still_known,
)
from machmeter.store.remembered_runs import remembered_folders, runs_home
from machmeter.store.run_folder import RunFolder

# Options whose value is a part of the layout wish; hosts and nodes are where both sides run today.
_OF_LAYOUTS = {
    "ranks": "rank_counts",
    "progress": "progress",
    "threads": "threads",
    "smt": "smt",
    "reserve": "reserved_cores",
    "binding": "bindings",
    "pages": "page_bytes",
    "wait": "wait_policies",
    "openmp": "openmp",
    "allocator": "allocators",
    "oversubscribe": "oversubscribe",
}
_OF_PRECISION = {"precision": "half_width", "least": "least_launches", "most": "most_launches"}
SIDES = 2


class BaselineOptions(Struct, frozen=True):
    """Which run is the baseline, and how it is wanted; given: options on the command line, by the
    names of their parameters."""

    run: str | None
    given: AbstractSet[str]
    rebuild: bool = False
    rest: bool = False


def refuse_one_side(run: str) -> None:
    """Refuse now what has no baseline to be slower than. Raises UsageError."""
    header = find_run(run).header()
    if header.baseline is None:
        raise UsageError(
            f"run {header.id} has no baseline to be slower than",
            "leave out --fail-on, or measure with --against RUN",
        )


def wanted(options: RunOptions, find: BaselineOptions) -> Request:
    """What the candidate asks. Raises UsageError for a value without meaning or an unknown run."""
    header = find_run(find.run or "").header()
    known, _ = still_known(header.request.study, header.id)
    names = options.names or header.request.names
    # The study of the same points is the run's own, and may have a name that is known no more.
    asked = asked_for(replace(options, names=() if _same_points(find.given) else names))
    asked = replace(asked, names=names)
    times = 1 if header.baseline else SIDES
    return as_in(replace(header.request, study=known), asked, find.given, times)


def old_side(find: BaselineOptions, asked: Request, machine: Machine) -> Baseline:
    """The baseline of what is asked; raises as `run.ab.baseline.against` does, and UsageError
    where a run that is not known to be this user's names what would be started from where it
    says."""
    folder = find_run(find.run or "")
    header = folder.header()
    refuse_unsound_flags(header.id, header.request)
    if not is_own(folder, of_this_host=header.machine.host == machine.host):
        refuse_unnamed_paths(header.id, header.request, named_by(asked, find.given))
    around = BuildContext(os.environ, cache_folder())
    return against(folder, asked, machine, around, rebuild=find.rebuild, rest=find.rest)


def is_own(folder: RunFolder, *, of_this_host: bool) -> bool:
    """Whether a run belongs to this user, by its files, and lies among this user's runs, or was
    measured on this host and is remembered: `machmeter store rebuild` remembers runs of others
    too, and what a run says of its host anybody can write."""
    path = folder.path.resolve()
    user = os.geteuid()
    if any(one.stat().st_uid != user for one in (path, path / "run.json")):
        return False
    if path.parent == runs_home(data_folder()).resolve():
        return True
    return of_this_host and path in remembered_folders(data_folder())


def _same_points(given: AbstractSet[str]) -> bool:
    return not {"what", "settings"} & given


def as_in(old: Request, new: Request, given: AbstractSet[str], times: int = SIDES) -> Request:
    """What is asked now, with everything that was not `given` as the old run asked it.

    Two sides take twice the time, so that a budget that was not given is that many `times` the old
    run's; where other points were named, twice that of their study.
    """
    same_points = _same_points(given)
    kept = {
        field: getattr(old.layout_options, field)
        for name, field in _OF_LAYOUTS.items()
        if name not in given
    }
    wish: LayoutOptions = replace(new.layout_options, **kept)
    precision = replace(
        new.precision,
        **{
            field: getattr(old.precision, field)
            for name, field in _OF_PRECISION.items()
            if name not in given
        },
    )
    if "budget" not in given:
        old_seconds, new_seconds = (one.precision.budget_seconds for one in (old, new))
        seconds = times * old_seconds if same_points else SIDES * new_seconds
        precision = replace(precision, budget_seconds=seconds)
    return Request(
        names=new.names,
        study=old.study if same_points else new.study,
        layout_options=wish if "mpi" in given else replace(wish, mpis=old.layout_options.mpis),
        precision=precision,
        mpi=new.mpi if "mpi" in given else old.mpi,
        compiler=new.compiler if "compiler" in given else old.compiler,
        flags=new.flags if "flags" in given else old.flags,
    )
