"""`machmeter run --against RUN`: what the new side asks, and the old side it is measured with."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from machmeter.cli.context import find_run
from machmeter.cli.options import RunOptions, asked_for
from machmeter.model.errors import UsageError
from machmeter.model.machine import Machine
from machmeter.model.run import Against, Asked
from machmeter.model.study import LayoutWish
from machmeter.run.against import against

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


class Wanted(Struct, frozen=True):
    """Which run is the old side, and how it is wanted; given: options on the command line, by the
    names of their parameters."""

    run: str | None
    given: AbstractSet[str]
    rebuild: bool = False
    rest: bool = False


def refuse_one_side(run: str) -> None:
    """Refuse now what has no old side to be slower than. Raises UsageError."""
    header = find_run(run).header()
    if header.against is None:
        raise UsageError(
            f"run {header.id} has no old side to be slower than",
            "leave out --fail-on, or measure with --against RUN",
        )


def wanted(options: RunOptions, find: Wanted) -> Asked:
    """What the new side asks. Raises UsageError for a value without meaning or an unknown run."""
    header = find_run(find.run or "").header()
    asked = asked_for(replace(options, names=options.names or header.asked.names))
    times = 1 if header.against else SIDES
    return as_in(header.asked, asked, find.given, times)


def old_side(find: Wanted, asked: Asked, machine: Machine) -> Against:
    """The old side of what is asked; raises as `run.against.against` does."""
    folder = find_run(find.run or "")
    return against(folder, asked, machine, rebuild=find.rebuild, rest=find.rest)


def as_in(old: Asked, new: Asked, given: AbstractSet[str], times: int = SIDES) -> Asked:
    """What is asked now, with everything that was not `given` as the old run asked it.

    Two sides take twice the time, so that a budget that was not given is that many `times` the old
    run's.
    """
    same_points = not {"what", "settings"} & given
    kept = {
        field: getattr(old.wish, field) for name, field in _OF_LAYOUTS.items() if name not in given
    }
    wish: LayoutWish = replace(new.wish, **kept)
    precision = replace(
        new.precision,
        **{
            field: getattr(old.precision, field)
            for name, field in _OF_PRECISION.items()
            if name not in given
        },
    )
    if "budget" not in given:
        seconds = times * (old if same_points else new).precision.budget_seconds
        precision = replace(precision, budget_seconds=seconds)
    return Asked(
        names=new.names,
        study=old.study if same_points else new.study,
        wish=wish if "mpi" in given else replace(wish, mpis=old.wish.mpis),
        precision=precision,
        mpi=new.mpi if "mpi" in given else old.mpi,
        compiler=new.compiler if "compiler" in given else old.compiler,
        flags=new.flags if "flags" in given else old.flags,
    )
