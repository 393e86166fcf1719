"""What a description of an application says, as text."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.model.plan.description import (
    AppSize,
    Description,
    Extraction,
    Figure,
    InputFile,
    OutputCheck,
    ProgramVariant,
    Validity,
)
from machmeter.model.units import format_bytes
from machmeter.model.written.text import shell_text


def description_rows(description: Description) -> Iterator[tuple[str, str]]:
    """What each part of the description is about, and what it says; parts that it lacks are left
    out."""
    license_ = description.license
    rows = (
        ("computes", description.purpose),
        ("license", license_.program if license_ else ""),
        ("license of the input", license_.input if license_ else ""),
        ("install", " or ".join(description.provided.commands)),
        ("command", shell_text((*description.command, *description.thread_arguments))),
        ("starts", ", ".join(description.needs)),
        ("with several ranks", shell_text(description.rank_arguments)),
        ("program by CPU", ", ".join(map(_variant, description.variants))),
        ("environment", _environment(description)),
        ("threads", _threads(description)),
        ("figures of merit", _figures(description.figures)),
        ("must equal the launch", ", ".join(one.what.value for one in description.echoes)),
        ("checks", "; ".join(map(_check, description.checks))),
        ("sizes", "; ".join(map(_size, description.sizes))),
        ("must be", "; ".join(map(_validity, description.validities))),
        ("input", "; ".join(map(_input, description.inputs))),
        ("made by", "; ".join(shell_text(one.command) for one in description.made_once)),
        (
            "before each launch",
            "; ".join(shell_text(one.command) for one in description.made_each_launch),
        ),
        ("version", _read_from(description.version)),
        ("vector instructions", _read_from(description.simd)),
        ("reference values of version", description.reference_version),
    )
    return ((name, text) for name, text in rows if text)


def _environment(description: Description) -> str:
    return shell_text([f"{name}={value}" for name, value in description.environment.items()])


def _threads(description: Description) -> str:
    helpers = ", with helpers that are not counted" * description.helper_threads
    if description.least_threads > 1:
        return f"{description.least_threads} or more in each rank{helpers}"
    if description.threads is None:
        return helpers.removeprefix(", ")
    return ("one or several in each rank" if description.threads else "one in each rank") + helpers


def _variant(one: ProgramVariant) -> str:
    return f"{one.program} with {one.feature}" if one.feature else one.program


def _figures(figures: tuple[Figure, ...]) -> str:
    if not figures:
        return "wall time only"
    texts = [
        f"{one.name} in {one.unit}, {one.better} is better" + ", where reported" * one.optional
        for one in figures
    ]
    return "; ".join((f"{texts[0]} (the main result)", *texts[1:]))


def _check(one: OutputCheck) -> str:
    tolerances = (
        f"{one.absolute:g}" if one.absolute else "",
        f"{100 * one.relative:g} %" if one.relative else "",
    )
    within = " or ".join(filter(None, tolerances))
    if one.reference is None and not one.across:
        return f"{one.name} as its size has it within {within}"
    if one.across or one.reference is None:
        return f"{one.name} equal in all launches within {within}"
    return f"{one.name} = {one.reference:.12g} within {within}"


def _size(one: AppSize) -> str:
    times = " times the threads of all ranks"
    values = (f"{name} {value}{times * (name == one.grows)}" for name, value in one.values.items())
    known = (f"{name} = {value:.12g}" for name, value in one.references.items())
    memory = f"about {format_bytes(one.memory)}"
    return f"{one.name}: " + ", ".join((*values, f"{one.seconds:g} s", memory, *known))


def judged_once_text(description: Description) -> str:
    """Which checks launches of several threads do without at a size that grows; empty: none."""
    names = ", ".join(description.known_of_one_thread)
    return f"not judged on several threads, as the problem is larger there: {names}" * bool(names)


def not_judged_text(description: Description) -> str:
    """Which checks have no reference value at the size of a description; empty where all have."""
    names = description.not_judged
    if not names:
        return ""
    return (
        f"not judged at size {description.sizes[0].name}, for which no reference value is known: "
        + ", ".join(names)
    )


def _validity(one: Validity) -> str:
    bounds = (
        f"at least {one.least:g}" if one.least is not None else "",
        f"at most {one.most:g}" if one.most is not None else "",
    )
    return f"{one.name} {' and '.join(filter(None, bounds))}"


def _input(one: InputFile) -> str:
    notes = ("made before" if one.made else "", "filled in for each launch" if one.fill else "")
    return ", ".join(filter(None, (one.path, *notes)))


def _read_from(one: Extraction | None) -> str:
    return f"read from {one.file or 'its output'} in each launch" if one else ""
