"""What must hold in a description, beyond the types of its keys."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from machmeter.apps.extract import PatternError, check_pattern
from machmeter.apps.placeholders import OF_LAUNCHES, filled
from machmeter.model.errors import UsageError
from machmeter.model.plan.description import (
    SCRIPT_ENDING,
    AppSize,
    Description,
    EchoOf,
    Extraction,
    OutputCheck,
    Preparation,
    Validity,
)
from machmeter.model.written.text import escaped

RESERVED = ("wall", "ranks", "threads")
"""Names of results and echoes that every application has."""


def check_description(description: Description) -> None:
    """Raises UsageError with what cannot be used, and what to write instead."""
    for message, remedy in _problems(description):
        raise UsageError(message, remedy)


def within(path: str) -> bool:
    """Whether a relative path stays within its folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


_Problem = tuple[str, str]


def _problems(description: Description) -> Iterator[_Problem]:
    yield from _of_words(description)
    yield from _of_names(description)
    for one in description.figures:
        if not math.isfinite(one.factor) or one.factor == 0:
            yield f"figure {one.name}: the factor is {one.factor}", "write a number other than 0"
    for one in description.figures[:1]:
        if one.optional:
            yield (
                f"figure {one.name} is the main result, and may be missing",
                "leave optional out, or write a figure that every launch has before it",
            )
    for validity in description.validities:
        yield from _of_validity(validity)
    yield from _of_sizes(description)
    for check in description.checks:
        known = (one.references.get(check.name) for one in description.sizes)
        yield from _of_check(check, [one for one in known if one is not None])
    for name, extraction in description.extractions.items():
        yield from _of_extraction(name, extraction)
    if description.version:
        yield from _of_extraction("version", description.version)
    if description.simd:
        yield from _of_extraction("simd", description.simd)
    echoed = {one.what for one in description.echoes}
    if description.helper_threads and EchoOf.THREADS not in echoed:
        yield (
            "threads are not counted where there are helper_threads, and nothing echoes them",
            'add what = "threads" to the echoes, or leave helper_threads out',
        )
    if description.reference_version and description.version is None:
        yield "nothing reads the version that is compared with reference_version", "add a version"
    yield from _of_inputs(description)


def _of_inputs(description: Description) -> Iterator[_Problem]:
    paths = Counter(str(PurePosixPath(one.path)) for one in description.inputs)
    for path, count in paths.items():
        if count > 1:
            yield f"input {escaped(path)} occurs more than once", "name each input file once"
    for file in description.inputs:
        if not within(file.path):
            yield (
                f"input {escaped(file.path)} is not within the folder of the description",
                "put the file there, and write its path relative to that folder",
            )
    for one in description.preparations:
        yield from _of_script(one)
    made = [one.path for one in description.inputs if one.made]
    if made and not description.made_once:
        yield f"input {escaped(made[0])} is made, and nothing makes it", "add a preparation"
    if description.made_once and not made:
        yield (
            "preparations make nothing that the program reads",
            "name what they make among the inputs, with made = true",
        )


def _of_script(one: Preparation) -> Iterator[_Problem]:
    script = one.command[0]
    if not script.endswith(SCRIPT_ENDING):
        return
    if one.each_launch:
        yield (
            f"{escaped(script)} is a script of the description, and these run once",
            "leave each_launch out, or name a program that reads it: python3",
        )
    if not within(script):
        yield (
            f"script {escaped(script)} is not within the folder of the description",
            "put it there, and write its path relative to that folder",
        )


def _of_words(description: Description) -> Iterator[_Problem]:
    if not description.command[0].strip():
        yield "the command names no program", 'write it as the first word: command = ["lmp"]'
    words = (
        *(word for one in description.made_each_launch for word in one.command),
        *description.command,
        *description.rank_arguments,
        *description.thread_arguments,
        *description.environment.values(),
    )
    # Raises on what is no placeholder.
    filled(words, 1, 1, "1", description.values)
    prepared = (word for one in description.made_once for word in one.command)
    named = (*(one.program for one in description.variants), *description.needs)
    if any("\0" in word for word in (*words, *prepared, *named)):
        yield "an argument or a variable holds a null character", "remove it"
    license_ = description.license
    licenses = (license_.program, license_.input) if license_ else ()
    units = (one.unit for one in description.figures)
    by_hand = description.provided.by_hand
    for text in (description.title, description.purpose, by_hand, *licenses, *units):
        if not text.isprintable():
            yield f"{escaped(text)} has characters that cannot be printed", "remove them"


def _of_names(description: Description) -> Iterator[_Problem]:
    names = [one.name for one in description.named]
    counts = Counter([*names, *(one.what.value for one in description.echoes)])
    for name, count in counts.items():
        if count > 1:
            yield f"{name} occurs more than once", "give each figure, validity and check its name"
    for name in set(names).intersection(RESERVED):
        yield f"{name} is a name that every application has", "choose another name"


def _of_validity(one: Validity) -> Iterator[_Problem]:
    bounds = [bound for bound in (one.least, one.most) if bound is not None]
    if not bounds:
        yield f"validity {one.name} has no bound", "give it least, most, or both"
    if not all(map(math.isfinite, bounds)):
        yield f"validity {one.name}: a bound is not finite", "write a number, or leave it out"
    if bounds and bounds[0] > bounds[-1]:
        yield f"validity {one.name}: least is above most", "exchange them"


def _of_sizes(description: Description) -> Iterator[_Problem]:
    names = Counter(one.name for one in description.sizes)
    for name, count in names.items():
        if count > 1:
            yield f"size {name} occurs more than once", "give each size its name"
    values = set(description.values)
    for reserved in values.intersection(OF_LAUNCHES):
        yield f"{{{reserved}}} stands for a number of the launch", "choose another name"
    checks = {one.name for one in description.checks}
    made = {one.path for one in description.inputs if one.made}
    for one in description.sizes:
        if set(one.values) != values:
            yield (
                f"sizes {description.sizes[0].name} and {one.name} have different values",
                "give each size all of them",
            )
        yield from _of_growth(description, one)
        for unknown in sorted({*one.references} - checks):
            yield f"size {one.name}: there is no check {unknown}", "name one, or add it"
        for path in sorted({*one.sha256} - made):
            yield (
                f"size {one.name}: no preparation makes {escaped(path)}",
                "name inputs with made = true: others are the same at all sizes",
            )


def _of_growth(description: Description, one: AppSize) -> Iterator[_Problem]:
    name = one.grows
    if not name:
        return
    if not one.values.get(name, "").isdecimal():
        yield (
            f"size {one.name}: {name} is not a whole number that can grow",
            "name a placeholder of this size whose value is a whole number",
        )
    if any(f"{{{name}}}" in word for made in description.made_once for word in made.command):
        yield (
            f"size {one.name}: {name} grows, and a preparation that runs once uses it",
            "let it run before each launch (each_launch = true)",
        )
    for check in description.checks:
        if check.across:
            yield (
                f"size {one.name} grows, and check {check.name} is equal across launches",
                "leave the size out: its launches compute different problems",
            )


def _of_check(one: OutputCheck, of_sizes: Sequence[float]) -> Iterator[_Problem]:
    """of_sizes: references that sizes have."""
    if (one.reference is not None or bool(of_sizes)) == one.across:
        yield (
            f"check {one.name} needs either reference or across = true",
            "reference = NUMBER where the result is known, across = true where it must be equal in "
            "all layouts; sizes may have references of their own",
        )
    numbers = (one.reference or 0.0, one.absolute, one.relative, *of_sizes)
    if not all(map(math.isfinite, numbers)):
        yield f"check {one.name}: a number is not finite", "write a number"
    if not one.absolute and (not one.relative or 0 in {one.reference, *of_sizes}):
        yield (
            f"check {one.name} has no tolerance",
            "give it absolute or relative (relative alone is none where the reference is 0): sums "
            "in another order round differently",
        )


def _of_extraction(name: str, one: Extraction) -> Iterator[_Problem]:
    try:
        check_pattern(one.pattern)
    except PatternError as error:
        yield (
            f"{name}: the pattern {escaped(one.pattern)} cannot be used: {error}",
            "https://github.com/google/re2/wiki/Syntax has the syntax; in TOML write patterns in "
            "single quotes",
        )
    if one.file and not within(one.file):
        yield (
            f"{name}: file {escaped(one.file)} is not within the folder of the launch",
            "write a path relative to it, or leave it out to read what the program prints",
        )
