"""Which versions and libraries of programs that are not ours ran, and what that means. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from machmeter.layout.program_libraries import (
    LibraryKind,
    is_reference_blas,
    libraries_by_kind,
)
from machmeter.model.plan.description import Description, OutputReadings
from machmeter.model.plan.launch import LaunchSpec, Record
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.run import Plan, ResolvedProgram
from machmeter.run.measuring.judge import loaded_libraries
from machmeter.text.programs.descriptions import judged_once_text, not_judged_text


def resolved_with(
    known: Mapping[str, ResolvedProgram], spec: LaunchSpec, record: Record
) -> dict[str, ResolvedProgram]:
    """What is known by benchmark when one more accepted launch is counted."""
    if spec.is_ours:
        return dict(known)
    before = known.get(spec.benchmark, ResolvedProgram(spec.benchmark))
    read = record.output or OutputReadings()
    libraries = dict(before.libraries)
    for kind, (file, *_) in libraries_by_kind(loaded_libraries(record)).items():
        libraries[kind] = tuple(dict.fromkeys((*libraries.get(kind, ()), file)))
    found = ResolvedProgram(
        spec.benchmark, before.version or read.version, before.simd or read.simd, libraries
    )
    return {**known, spec.benchmark: found}


def reference_caveats(plan: Plan, resolved: Mapping[str, ResolvedProgram]) -> Iterator[Caveat]:
    """Programs of another version than the one that gave their reference values, and checks of
    which no reference value is known at the size that ran."""
    for benchmark, one in _descriptions(plan).items():
        ran = resolved[benchmark].version if benchmark in resolved else ""
        if ran and one.reference_version and ran != one.reference_version:
            yield Caveat(
                CaveatKind.REFERENCES,
                f"{one.title}: version {ran} ran, and its reference values are those of "
                f"{one.reference_version}",
                "where a check fails, compare with a result of that version",
            )
        several = any(s.layout.threads > 1 for s in plan.specs if s.benchmark == benchmark)
        for text in (not_judged_text(one), judged_once_text(one) * several):
            if text:
                yield Caveat(
                    CaveatKind.REFERENCES,
                    f"{one.title}: {text}",
                    "launches of the usual size are compared with reference values",
                )


def blas_caveats(resolved: Mapping[str, ResolvedProgram]) -> Iterator[Caveat]:
    """Programs that loaded the reference BLAS, whose rates are no rates of the machine."""
    for one in resolved.values():
        files = one.libraries.get(LibraryKind.BLAS.value, ())
        for file in filter(is_reference_blas, files):
            yield Caveat(
                CaveatKind.REFERENCE_BLAS,
                f"the BLAS of {one.benchmark} is the reference one ({file}): its products of "
                "matrices are right, and far below what the machine can",
                "install another one, of Debian libopenblas0-pthread, and run it again",
            )


def _descriptions(plan: Plan) -> dict[str, Description]:
    return {spec.benchmark: spec.description for spec in plan.specs if spec.description}
