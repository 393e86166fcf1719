"""hyperfine's JSON: each time is one start of the command, so its times are launches."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct, field

from machmeter.importing.figures import ForeignFigure, Place, Reading
from machmeter.importing.text import ForeignText, json_of
from machmeter.model.errors import MachmeterError
from machmeter.model.text import readable

MOST_TIMES = 10_000


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
    command = readable(" ".join(result.command.split()))[:80]
    group = f"{text.name}: {command}"
    note = ""
    values = result.times or []
    if not values and result.mean is not None:
        values, note = [result.mean], "a mean: the times themselves are not in the file"
        remarks.append(f"{group}: without its times there is no interval")
    if not values or len(values) > MOST_TIMES or min(values) <= 0:
        remarks.append(f"{group}: it has no times above zero, or over {MOST_TIMES}; left out")
        return []
    failed = [code for code in result.exit_codes if code]
    flag = f"{len(failed)} of {len(values)} starts ended with an error" if failed else ""
    if failed:
        remarks.append(f"{group}: {flag}; the figure is flagged")
    name = re.sub(r"[^a-z0-9]+", "-", command.lower()).strip("-")[:60].strip("-") or "command"
    return [
        ForeignFigure(
            values=tuple(values),
            unit="s",
            decimals=9,
            group=group,
            workload=name,
            quantity="wall time",
            better="lower",
            parameters={
                f"parameter_{key}"[:60]: str(value)[:60]
                for key, value in sorted(result.parameters.items())[:20]
            },
            text=command,
            note=note,
            flag=flag,
        )
    ]
