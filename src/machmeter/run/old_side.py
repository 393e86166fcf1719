"""What the old side of a run came to, and what either side is called. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from machmeter.analysis.alike_layouts import differences
from machmeter.model.estimate import Estimate
from machmeter.model.launch import NEW, OLD, LaunchSpec, Toolchain
from machmeter.model.run import Against, Asked, OldSide, Plan, RunHeader

MOST_NAMED = 4
_LONGEST = 60


class Names(NamedTuple):
    """What the old side and the new one are called, by what differs between them."""

    old: str
    new: str


def old_side(
    header: RunHeader,
    plan: Plan,
    estimates: tuple[Estimate, ...],
    old: Toolchain | None,
    new: Toolchain | None,
) -> OldSide | None:
    """The old side of a run, without its comparison; None where a run has one side only.

    estimates: the old side's; old, new: what the programs of both sides were built with.
    """
    if header.against is None:
        return None
    names = side_names(header.asked, header.against.asked, plan, old, new)
    return OldSide(names.old, names.new, estimates, dict(_partners(plan)), old)


def side_names(
    asked: Asked, of_old: Asked, plan: Plan, old: Toolchain | None, new: Toolchain | None
) -> Names:
    """The sides by what differs: kernels, compiler, flags, MPI, layouts; else `old` and `new`."""
    pairs = [*_of_builds(old, new)]
    if old and new and old.compiler != new.compiler and asked.flags != of_old.flags:
        pairs.append((_short(" ".join(of_old.flags)), _short(" ".join(asked.flags))))
    pairs += [*_of_mpi(asked, of_old, old, new), *_of_layouts(plan)]
    shown = pairs[:MOST_NAMED]
    if not shown:
        return Names(OLD, NEW)
    return Names(*(", ".join(filter(None, (pair[side] for pair in shown))) for side in (0, 1)))


def alike(side: OldSide | None) -> tuple[str, ...]:
    """In words, where nothing differs between the sides of a run; empty otherwise."""
    if side is None or (side.name, side.new_name) != (OLD, NEW):
        return ()
    return (
        "old and new do not differ in kernels, compiler, flags, MPI or layouts: any difference is "
        "what this machine and its libraries do by themselves",
    )


def rebuilt_otherwise(against: Against | None, chain: Toolchain | None) -> tuple[str, ...]:
    """In words, where the old side was compiled anew by another compiler or with other flags than
    the run that it repeats; chain: what it was built with now."""
    if against is None or chain is None:
        return ()
    then = against.toolchain
    if (then.compiler, then.flags) == (chain.compiler, chain.flags):
        return ()
    return (
        f"the old side is not the build of run {against.run} (by {then.compiler} with "
        f"{then.flags}): it was compiled anew, by {chain.compiler} with {chain.flags}: say what "
        "differs, or install that compiler",
    )


def _of_builds(old: Toolchain | None, new: Toolchain | None) -> Iterator[tuple[str, str]]:
    if old is None or new is None:
        return
    if old.source_hash != new.source_hash:
        yield f"kernels {old.source_hash[:8]}", f"kernels {new.source_hash[:8]}"
    if old.compiler != new.compiler:
        yield old.compiler, new.compiler
    # Each compiler gets flags of its own from the build, which tell nothing beside its name.
    elif old.flags != new.flags:
        yield _flags_text(old.flags, new.flags), _flags_text(new.flags, old.flags)


def _flags_text(flags: str, others: str) -> str:
    """The flags that the other side has not."""
    own = [flag for flag in flags.split() if flag not in others.split()]
    if own:
        return _short(" ".join(own))
    lacking = [flag for flag in others.split() if flag not in flags.split()]
    return _short(f"without {' '.join(lacking)}") if lacking else _short(flags)


def _of_mpi(
    asked: Asked, of_old: Asked, old: Toolchain | None, new: Toolchain | None
) -> Iterator[tuple[str, str]]:
    libraries = [chain.mpi_library if chain else "" for chain in (old, new)]
    if libraries[0] == libraries[1] or not all(libraries):
        return
    if asked.mpi != of_old.mpi:
        yield of_old.mpi, asked.mpi
    else:
        yield _short(libraries[0]), _short(libraries[1])


def _of_layouts(plan: Plan) -> list[tuple[str, str]]:
    """Every difference of layouts once; of the name of an MPI the sides speak already."""
    found: dict[tuple[str, str], None] = {}
    for old, new in _pairs(plan.specs):
        found |= dict.fromkeys(differences(old.layout, new.layout))
    return list(found)


def _pairs(specs: Sequence[LaunchSpec]) -> Iterator[tuple[LaunchSpec, LaunchSpec]]:
    by_name = {spec.name: spec for spec in specs}
    for spec in specs:
        if spec.side == OLD and spec.partner in by_name:
            yield spec, by_name[spec.partner]


def _partners(plan: Plan) -> Iterator[tuple[str, str]]:
    """Of every old point under another layout than its partner, both keys."""
    for old, new in _pairs(plan.specs):
        if old.layout != new.layout:
            for here, there in zip(old.points, new.points, strict=True):
                yield here.key, there.key


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
