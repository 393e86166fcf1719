"""The results of a run's baseline, and what baseline and candidate are called. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from machmeter.analysis.matching.layouts import differences
from machmeter.benchmarks.programs import find_program
from machmeter.model.plan.launch import LaunchSpec, Toolchain
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import (
    Baseline,
    BaselineResult,
    ObservedBuild,
    Plan,
    Request,
    RunHeader,
)
from machmeter.model.variant import Role
from machmeter.run.planning.schedule import groups_of
from machmeter.run.programs.cached import fullest

MOST_NAMED = 4
_LONGEST = 60


class VariantNames(NamedTuple):
    """What baseline and candidate are called, by what differs between them."""

    old: str
    new: str


def result_of_baseline(
    header: RunHeader,
    plan: Plan,
    estimates: tuple[Estimate, ...],
    ran: Mapping[str, ObservedBuild],
) -> BaselineResult | None:
    """The baseline of a run, without its comparison; None where a run has none.

    estimates: the baseline's; ran: what launches that count ran, by the name of their spec.
    """
    if header.baseline is None:
        return None
    names = variant_names(header.request, header.baseline.request, plan, ran)
    return BaselineResult(
        names.old, names.new, estimates, dict(_partners(plan)), baseline_toolchain(plan, ran)
    )


def candidate_toolchain(plan: Plan, ran: Mapping[str, ObservedBuild]) -> Toolchain | None:
    """What the programs of the candidate were built with; an MPI program says the most."""
    return fullest(_ran(plan, ran, old=False))


def baseline_toolchain(plan: Plan, ran: Mapping[str, ObservedBuild]) -> Toolchain | None:
    """What the programs of the baseline were built with; of several MPIs with that of the
    `candidate_toolchain`."""
    new = candidate_toolchain(plan, ran)
    same_mpi = (
        ran[old.name].toolchain
        for old, partner in _pairs(plan.specs)
        if old.name in ran and partner.name in ran and ran[partner.name].toolchain == new
    )
    return next(same_mpi, fullest(_ran(plan, ran, old=True)))


def variant_names(
    request: Request, old_request: Request, plan: Plan, ran: Mapping[str, ObservedBuild]
) -> VariantNames:
    """Both by what differs between partners: kernels, compiler, flags, MPI, layouts; else
    `old` and `new`."""
    builds: dict[tuple[str, str], None] = {}
    mpis: dict[tuple[str, str], None] = {}
    layouts: dict[tuple[str, str], None] = {}
    for old, new in _pairs(plan.specs):
        layouts |= dict.fromkeys(differences(old.layout, new.layout))
        if old.name in ran and new.name in ran:
            chains = ran[old.name].toolchain, ran[new.name].toolchain
            builds |= dict.fromkeys(_of_builds(request, old_request, *chains))
            libraries = _mpi_name(old, old_request), _mpi_name(new, request)
            mpis |= dict.fromkeys(_of_mpi(libraries, *chains))
    shown = [*builds, *mpis, *layouts][:MOST_NAMED]
    if not shown:
        return VariantNames(Role.BASELINE.value, Role.CANDIDATE.value)
    return VariantNames(
        *(", ".join(filter(None, (pair[side] for pair in shown))) for side in (0, 1))
    )


def no_difference(result: BaselineResult | None) -> tuple[Caveat, ...]:
    """The caveat where nothing differs between baseline and candidate; empty otherwise."""
    if result is None or (result.name, result.new_name) != tuple(
        VariantNames(Role.BASELINE, Role.CANDIDATE)
    ):
        return ()
    return (
        Caveat(
            CaveatKind.NOTHING_DIFFERS,
            "baseline and candidate do not differ in kernels, compiler, flags, MPI or layouts: any "
            "difference is due to this machine and its libraries",
        ),
    )


def not_as_then(
    against: Baseline | None, plan: Plan, ran: Mapping[str, ObservedBuild]
) -> tuple[Caveat, ...]:
    """A caveat for each thing in which the baseline is not what its run recorded: compiled again
    by another compiler, or with libraries that are others today."""
    if against is None:
        return ()
    then = {_program_and_libraries(one): one for one in against.observed_builds}
    found = (
        differing
        for one in _ran(plan, ran, old=True)
        if (before := then.get(_program_and_libraries(one)))
        for differing in _differing(before, one)
    )
    return tuple(
        Caveat(
            CaveatKind.BASELINE_CHANGED,
            f"the baseline ran with {what} {now}, run {against.run} with {before}",
        )
        for what, before, now in dict.fromkeys(found)
    )


def _program_and_libraries(one: ObservedBuild) -> tuple[str, ...]:
    return one.program, one.benchmark, one.mpi, one.openmp, one.allocator


def _differing(then: ObservedBuild, now: ObservedBuild) -> Iterator[tuple[str, str, str]]:
    before, after = then.toolchain, now.toolchain
    if before.source_hash != after.source_hash:
        yield "kernels", before.source_hash[:8], after.source_hash[:8]
    elif before.kernel_hash != after.kernel_hash:
        yield f"kernel of {then.benchmark}", before.kernel_hash[:8], after.kernel_hash[:8]
    if before.compiler != after.compiler:
        yield "compiler", _short(before.compiler), _short(after.compiler)
    elif before.flags != after.flags:
        texts = _flags_text(before.flags, after.flags), _flags_text(after.flags, before.flags)
        yield "flags", *texts
    if before.mpi_library != after.mpi_library:
        yield "MPI", _short(before.mpi_library) or "none", _short(after.mpi_library) or "none"
    for name in sorted({*then.libraries, *now.libraries}):
        files = then.libraries.get(name, "none"), now.libraries.get(name, "none")
        if files[0] != files[1]:
            yield f"{name} library", _short(files[0]), _short(files[1])


def _ran(plan: Plan, ran: Mapping[str, ObservedBuild], *, old: bool) -> tuple[ObservedBuild, ...]:
    """What baseline or candidate ran, in the order of the plan."""
    specs = (spec for spec in plan.specs if spec.variant.is_baseline is old)
    return tuple(ran[spec.name] for spec in specs if spec.name in ran)


def _of_builds(
    request: Request, old_request: Request, old: Toolchain, new: Toolchain
) -> Iterator[tuple[str, str]]:
    if old.source_hash != new.source_hash:
        yield f"kernels {old.source_hash[:8]}", f"kernels {new.source_hash[:8]}"
    elif old.kernel_hash != new.kernel_hash:
        yield f"kernels {old.kernel_hash[:8]}", f"kernels {new.kernel_hash[:8]}"
    if old.compiler != new.compiler:
        yield old.compiler, new.compiler
        if request.flags != old_request.flags:
            yield _short(" ".join(old_request.flags)), _short(" ".join(request.flags))
    # Each compiler gets flags of its own from the build, which add nothing to its name.
    elif old.flags != new.flags:
        yield _flags_text(old.flags, new.flags), _flags_text(new.flags, old.flags)


def _flags_text(flags: str, others: str) -> str:
    """The flags that the other one lacks."""
    own = [flag for flag in flags.split() if flag not in others.split()]
    if own:
        return _short(" ".join(own))
    lacking = [flag for flag in others.split() if flag not in flags.split()]
    return _short(f"without {' '.join(lacking)}") if lacking else _short(flags)


def _mpi_name(spec: LaunchSpec, request: Request) -> str:
    """The MPI library of a spec as requested, also where it is the only one."""
    return spec.variant.mpi or request.mpi * find_program(spec.program).chooses_mpi


def _of_mpi(names: tuple[str, str], old: Toolchain, new: Toolchain) -> Iterator[tuple[str, str]]:
    """names: of both libraries, as requested."""
    libraries = old.mpi_library, new.mpi_library
    if libraries[0] == libraries[1] or not all(libraries):
        return
    yield names if names[0] != names[1] else (_short(libraries[0]), _short(libraries[1]))


def _pairs(specs: Sequence[LaunchSpec]) -> Iterator[tuple[LaunchSpec, LaunchSpec]]:
    """Of each group its baseline and each of its candidates."""
    for group in groups_of(specs):
        for old in (spec for spec in group if spec.variant.is_baseline):
            yield from ((old, spec) for spec in group if not spec.variant.is_baseline)


def _partners(plan: Plan) -> Iterator[tuple[str, str]]:
    """Of every point of the baseline whose partner has another layout or MPI library, both keys."""
    for old, new in _pairs(plan.specs):
        if (old.layout, old.variant.mpi) != (new.layout, new.variant.mpi):
            for here, there in zip(old.points, new.points, strict=True):
                yield here.key, there.key


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
