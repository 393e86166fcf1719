"""hyperfine's JSON: each time is one start of the command, so its times are launches."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.importing.figures import ForeignFigure, Place, Reading, is_plausible
from machmeter.importing.names import slug_of, told_name
from machmeter.importing.text import ForeignText, json_of
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


def read_hyperfine(text: ForeignText, asked: Place) -> Reading:
    """Wall time of every command. Raises MachmeterError for a document that is not of its form."""
    del asked
    try:
        document = msgspec.json.decode(text.whole, type=_Document)
    except msgspec.DecodeError as error:
        raise MachmeterError(
            f"{text.name} is not of the form of hyperfine's JSON: {error}",
            "export it again by `hyperfine --export-json FILE`",
        ) from error
    remarks: list[str] = []
    figures = [figure for result in document.results for figure in _figure(text, result, remarks)]
    return Reading(("hyperfine",), tuple(figures), tuple(remarks))


def _figure(text: ForeignText, result: _Result, remarks: list[str]) -> list[ForeignFigure]:
    command = told_name(result.command)
    group = f"{text.name}: {command}"
    note = ""
    values = result.times or []
    if not values and result.mean is not None:
        values, note = [result.mean], "a mean: the times themselves are not in the file"
        remarks.append(f"{group}: without its times there is no interval")
    if not values or len(values) > MOST_TIMES or min(values) <= 0:
        remarks.append(f"{group}: it has no times above zero, or over {MOST_TIMES}; left out")
        return []
    if not all(map(is_plausible, values)):
        remarks.append(f"{group}: a time of {max(values):g} s is none; left out")
        return []
    if len(result.parameters) > MOST_PARAMETERS:
        remarks.append(f"{group}: it has over {MOST_PARAMETERS} parameters; left out")
        return []
    failed = [code for code in result.exit_codes if code]
    flag = f"{len(failed)} of {len(values)} starts ended with an error" if failed else ""
    if failed:
        remarks.append(f"{group}: {flag}; the figure is flagged")
    parameters: dict[str, Value] = {
        told_name(f"parameter_{key}"): told_name(value)
        for key, value in sorted(result.parameters.items())
    }
    return [
        ForeignFigure(
            values=tuple(values),
            unit="s",
            decimals=9,
            group=group,
            workload=slug_of(result.command, "command"),
            quantity="wall time",
            better="lower",
            parameters={"command": command, **parameters},
            note=note,
            flag=flag,
        )
    ]
