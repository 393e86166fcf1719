"""hyperfine's JSON: each time is one start of the command, so its times are launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.importing.names import reported_name, slug_of
from machmeter.importing.readings import ForeignResult, Place, Reading, is_plausible
from machmeter.importing.text import ForeignText, decimals_shown, json_of
from machmeter.model.benchmark import Value
from machmeter.model.errors import MachmeterError

MOST_TIMES = 10_000
MOST_PARAMETERS = 20


class _Result(Struct):
    command: str
    times: list[float] | None = None
    mean: float | None = None
    exit_codes: list[int | None] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)


class _Document(Struct):
    results: list[_Result]


def recognizes(text: ForeignText) -> bool:
    """Whether the text is hyperfine's JSON."""
    found: Any = json_of(text)
    if not isinstance(found, dict) or not isinstance(found.get("results"), list):
        return False
    return all(isinstance(one, dict) and "command" in one for one in found["results"])


def read_hyperfine(text: ForeignText, given: Place) -> Reading:
    """Wall time of every command. Raises MachmeterError for a document that is not of its form."""
    del given
    try:
        document = msgspec.convert(json_of(text), type=_Document)
    except msgspec.ValidationError as error:
        raise MachmeterError(
            f"{text.name} is not of the form of hyperfine's JSON: {error}",
            "export it again by `hyperfine --export-json FILE`",
        ) from error
    remarks: list[str] = []
    results = [
        result
        for timed in _of_one_command_each(text, document.results, remarks)
        for result in _result(text, timed, remarks)
    ]
    return Reading(("hyperfine",), tuple(results), tuple(remarks))


def _of_one_command_each(
    text: ForeignText, results: Iterable[_Result], remarks: list[str]
) -> list[_Result]:
    """The results whose command, or the name given in its place, is that of no other."""
    by_name: dict[tuple[object, ...], list[_Result]] = {}
    for timed in results:
        named = (timed.command, *sorted(timed.parameters.items()))
        by_name.setdefault(named, []).append(timed)
    remarks.extend(
        f"{text.name}: {len(same)} results are called {reported_name(same[0].command)}: it is not "
        "stated whether they are of one command; left out"
        for same in by_name.values()
        if len(same) > 1
    )
    return [same[0] for same in by_name.values() if len(same) == 1]


def _result(text: ForeignText, timed: _Result, remarks: list[str]) -> list[ForeignResult]:
    command = reported_name(timed.command)
    group = f"{text.name}: {command}"
    note = ""
    values = timed.times or []
    if not values and timed.mean is not None:
        values, note = [timed.mean], "a mean: the times themselves are not in the file"
        remarks.append(f"{group}: without its times there is no interval")
    why = _why_not(values, timed)
    if why:
        remarks.append(f"{group}: {why}; left out")
        return []
    failed = [code for code in timed.exit_codes if code]
    flag = f"{len(failed)} of {len(values)} starts ended with an error" if failed else ""
    if failed:
        remarks.append(f"{group}: {flag}; the result is flagged")
    parameters: dict[str, Value] = {
        reported_name(f"parameter_{key}"): reported_name(value)
        for key, value in sorted(timed.parameters.items())
    }
    return [
        ForeignResult(
            values=tuple(values),
            unit="s",
            decimals=decimals_shown(min(values)),
            group=group,
            workload=slug_of(timed.command, "command"),
            quantity="wall time",
            better="lower",
            parameters={"command": command, **parameters},
            note=note,
            flag=flag,
        )
    ]


def _why_not(values: Sequence[float], timed: _Result) -> str:
    """Why there is no result of such times; empty where there is one."""
    if not values or len(values) > MOST_TIMES:
        return f"it has no times, or over {MOST_TIMES}"
    if min(values) <= 0:
        nothing = sum(value <= 0 for value in values)
        return (
            f"{nothing} of its {len(values)} times are 0, as of a command faster than the shell "
            "whose time is taken off (-N runs without)"
        )
    absurd = next((value for value in values if not is_plausible(value)), None)
    if absurd is not None:
        return f"a time of {absurd:g} s is none"
    if len(timed.parameters) > MOST_PARAMETERS:
        return f"it has over {MOST_PARAMETERS} parameters"
    return ""
