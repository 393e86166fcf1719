"""Whether a launch was right, by what its program wrote."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from machmeter.model.layout import Binding
from machmeter.model.plan.description import (
    Description,
    EchoOf,
    OutputCheck,
    OutputReadings,
    Validity,
)
from machmeter.model.plan.launch import Launch, Verdict


class OutputFault(Struct, frozen=True):
    """Why a launch cannot be used."""

    verdict: Verdict
    """What kind of fault it is."""
    reason: str
    """For people."""


def output_faults(
    launch: Launch, read: OutputReadings | None, expected: Mapping[str, float]
) -> tuple[OutputFault, ...]:
    """The faults of one launch by what was read in its output, the ones that explain others first;
    empty where it is right, and where nothing of it is described.

    Where nothing is set, threads are whatever the program chose. expected: values of the checks
    across layouts, by name, of the first launch of the run that was right; a check that is not in
    it is not judged.
    """
    description = launch.spec.description
    if description is None:
        return ()
    values, layout = (read or OutputReadings()).values, launch.spec.layout
    launched = {EchoOf.RANKS: layout.ranks}
    if layout.binding is not Binding.DEFAULT:
        launched[EchoOf.THREADS] = layout.cpus_per_rank
    unknown = description.known_of_one_thread if layout.threads > 1 else ()
    # What was read is judged, whatever else is missing.
    return (
        *_echoes(description, launched, values),
        *_missing(description, read or OutputReadings()),
        *_checks(description, values, expected, unknown),
        *_validities(description, values),
    )


def _echoes(
    description: Description, launched: Mapping[EchoOf, int], values: Mapping[str, float]
) -> Iterator[OutputFault]:
    for one in description.echoes:
        reported = values.get(one.what)
        if reported is not None and reported != launched.get(one.what, reported):
            of_rank = " per rank" * (one.what is EchoOf.THREADS)
            yield OutputFault(
                Verdict.WRONG_PARALLELISM,
                f"the program reports {reported:g} {one.what}{of_rank}, and "
                f"{launched[one.what]} were requested",
            )


def _missing(description: Description, readings: OutputReadings) -> Iterator[OutputFault]:
    optional = {one.name for one in description.figures if one.optional}
    for name in description.extractions:
        if name in readings.problems or name not in {*readings.values, *optional}:
            problem = readings.problems.get(name, "it was not read")
            yield OutputFault(Verdict.INCOMPLETE, f"{name} is missing: {problem}")


def _checks(
    description: Description,
    values: Mapping[str, float],
    expected: Mapping[str, float],
    unknown: Collection[str],
) -> Iterator[OutputFault]:
    for one in description.checks:
        if one.name in unknown:
            continue
        value = values.get(one.name)
        right = expected.get(one.name) if one.across else one.reference
        if value is None or right is None or abs(value - right) <= _tolerance(one, right):
            continue
        source = "the first accepted launch has" if one.across else "the reference is"
        yield OutputFault(
            Verdict.WRONG_ANSWER,
            f"{one.name} is {value!r}, and {source} {right!r}: they differ by "
            f"{abs(value - right):.3g}, more than {_tolerance(one, right):.3g}",
        )


def _tolerance(check: OutputCheck, right: float) -> float:
    return max(check.absolute, check.relative * abs(right))


def _validities(description: Description, values: Mapping[str, float]) -> Iterator[OutputFault]:
    for one in description.validities:
        value = values.get(one.name)
        if value is not None and (broken := _broken_bound(one, value)):
            yield OutputFault(Verdict.CONTENDED, f"{one.name} is {value:g}, {broken}")


def _broken_bound(validity: Validity, value: float) -> str:
    if validity.least is not None and value < validity.least:
        return f"below {validity.least:g}"
    if validity.most is not None and value > validity.most:
        return f"above {validity.most:g}"
    return ""
