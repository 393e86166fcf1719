"""The summary of a run in a terminal: at most 45 lines of 100 columns, more of fewer."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from machmeter.model.plan.launch import Verdict
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.benchmarks.headlines import HeadlineResult, headline_results
from machmeter.report.benchmarks.limits import limits
from machmeter.text.findings.order import answered, detail_lines, unanswerable_text
from machmeter.text.numbers import count_text, duration_text
from machmeter.text.plain import plain
from machmeter.text.results import result_interval_text, value_text
from machmeter.text.runs import caveat_text, hardware_text, mpi_used, transports_text

MAX_LINES = 45
MAX_COLUMNS = 100
# Lines of a text where a line has 100 columns.
_OF_A_TEXT, _OF_A_FINDING = 2, 4
_LEAST = {"results": 8, "limits": 3, "findings": 12, "warnings": 5}

Lines = list[Text]


def print_summary(
    result: RunResult, console: Console, record: Path | None = None, page: Path | None = None
) -> None:
    """Print what a run says, to be read at a glance; styles are the console's to drop.

    record: the folder of the run; page: the HTML page, where one was written. Sections share the
    lines: each gets its least, and what is free goes to what was found first, results last.
    """
    columns = min(console.width, MAX_COLUMNS)
    title, where = _title(result, columns), _where(record, page)
    lines = most_lines(columns) - len(title) - len(where)
    sections = {
        "findings": _findings(result, columns),
        "results": _results(result, columns),
        "limits": _limits(result, columns),
        "warnings": _warnings(result, columns),
    }
    free = lines - sum(
        _height(sections["findings"]) if n == "findings" else _least_of(n, items)
        for n, items in sections.items()
    )
    sections["findings"] = _with_parts(result, sections["findings"], free, columns)
    room = _shared_out(sections, lines)
    sections["results"] = _leading(result, sections["results"], room["results"])
    shown = [line for name, items in sections.items() for line in _capped(items, room[name])]
    for line in shown:
        line.truncate(columns, overflow="ellipsis")
    for line in (*title, *shown, *where):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def most_lines(columns: int) -> int:
    """Lines of a summary: what fits 45 lines of 100 columns takes more where they are fewer."""
    return MAX_LINES * MAX_COLUMNS // min(max(columns, 40), MAX_COLUMNS)


def _shared_out(sections: dict[str, list[Lines]], lines: int) -> dict[str, int]:
    """Lines of each section: its least, then what is free to what was found, results last."""
    room = {name: _least_of(name, items) for name, items in sections.items()}
    free = lines - sum(room.values())
    for name in ("findings", "warnings", "limits", "results"):
        more = min(free, _height(sections[name]) - room[name])
        room[name], free = room[name] + more, free - more
    return room


def _least_of(name: str, items: Sequence[Lines]) -> int:
    return min(_height(items), _LEAST[name] + 1)


def _title(result: RunResult, columns: int) -> list[Text]:
    header, machine = result.header, result.header.machine
    accepted = sum(o.verdict is Verdict.ACCEPTED for o in result.outcomes)
    state = "" if result.state is RunState.FINISHED else f", {result.state.value}"
    spent = duration_text(result.time_use.wall)
    first = (
        f"{machine.name or machine.host}: {', '.join(header.request.names)}{state}, "
        f"{count_text(accepted, 'launch', 'launches')} in {spent} (run {header.id})"
    )
    compiler = result.toolchain.compiler if result.toolchain else "compiler unknown"
    third = f"{compiler}; MPI: {mpi_used(result)}"
    spoken = "; ".join(f"{library}: {text}" for library, text in transports_text(result))
    last = [Text(_cut(f"Transport: {spoken}", columns), style="dim")] if spoken else []
    return [
        Text(_cut(first, columns), style="bold"),
        Text(_cut(hardware_text(machine), columns)),
        Text(_cut(third, columns), style="dim"),
        *last,
    ]


def _results(result: RunResult, columns: int) -> list[Lines]:
    results = headline_results(result)
    if not results:
        return [_heading(""), _heading("No result: no launch counts.")]
    title = min(max(len(f.title) for f in results), 29)
    value = max(len(value_text(f.estimate)) for f in results)
    interval = max(len(result_interval_text(f.estimate)) for f in results)
    missed = any(_missed(f) for f in results)
    target = f"{100 * result.plan.precision.half_width:g}"
    mark = f" (*: target ±{target} % not met)" if missed else ""
    heading = textwrap.wrap(f"Results, with 95 % intervals and launches{mark}", max(columns, 20))
    lines = [[Text(line, style="bold") for line in heading]]
    return lines + [_result_lines(f, (title, value, interval), columns) for f in results]


def _leading(result: RunResult, items: list[Lines], most: int) -> list[Lines]:
    """Where not all results fit, the first of every benchmark before the second of any."""
    heading, results = items[:1], items[1:]
    shown = headline_results(result)
    if len(items) <= most or len(shown) != len(results):
        return items
    seen: Counter[str] = Counter()
    turns = []
    for position, one in enumerate(shown):
        benchmark = one.estimate.point.benchmark
        turns.append((seen[benchmark], position))
        seen[benchmark] += 1
    kept = sorted(position for _, position in sorted(turns)[: max(most - 2, 1)])
    left = len(results) - len(kept)
    rest = [Text(f"  and {left} more, on the page")]
    return [*heading, *(results[position] for position in kept), rest]


def _missed(result: HeadlineResult) -> bool:
    return result.estimate.resolved and not result.estimate.reached


def _result_lines(result: HeadlineResult, widths: tuple[int, int, int], columns: int) -> Lines:
    """A result with its label, which goes on below where they are too long."""
    one, (title, value, interval) = result.estimate, widths
    line = Text(f"  {_cut(result.title, title):<{title}}  ")
    line.append(f"{value_text(one):>{value}}", style="bold")
    mark = "*" if _missed(result) else " "
    line.append(f"  {result_interval_text(one):<{interval}}  {one.launches:>3}{mark} ")
    label = plain(result.label)
    if cell_len(line.plain) + cell_len(label) <= columns:
        line.append(label)
        return [line]
    line.truncate(columns)
    below = textwrap.wrap(label, max(columns - 6, 10), break_on_hyphens=False)
    return [line, *(Text(f"      {text}", style="dim") for text in below)]


def _limits(result: RunResult, columns: int) -> list[Lines]:
    texts = [f"{limit.title}: {limit.short}" for limit in limits(result)]
    return _section(_heading("Against its own limits"), texts, columns)


def _findings(result: RunResult, columns: int) -> list[Lines]:
    texts = [f"{finding.question} {finding.answer}" for finding in answered(result)]
    texts += [text for text in (unanswerable_text(result),) if text]
    return _section(_heading("Found"), texts, columns, most=_OF_A_FINDING)


def _with_parts(result: RunResult, items: Sequence[Lines], free: int, columns: int) -> list[Lines]:
    """Below the findings, the first first, a line of what they say case by case; `free` at most."""
    found = list(items)
    for position, finding in enumerate(answered(result), 1):
        details = detail_lines(finding)
        if details and free > 0:
            found[position] = [*found[position], _parts_line(details, columns)]
            free -= 1
    return found


def _parts_line(parts: Sequence[str], columns: int) -> Text:
    """As many whole parts as one line holds, and how many more there are."""
    room = columns - 6
    for count in range(len(parts), 0, -1):
        left = len(parts) - count
        more = f"; {left} more on the page" if left else ""
        text = plain("; ".join(parts[:count])) + more
        if cell_len(text) <= room:
            return Text(f"      {text}", style="dim")
    return Text(f"      {_cut(parts[0], room)}", style="dim")


def _warnings(result: RunResult, columns: int) -> list[Lines]:
    heading = _heading("Caveats", "bold yellow")
    return _section(heading, [caveat_text(one) for one in result.caveats], columns, mark="! ")


def _section(
    heading: Lines, texts: Sequence[str], columns: int, mark: str = "", most: int = _OF_A_TEXT
) -> list[Lines]:
    return [heading, *(_wrapped(text, columns, mark, most) for text in texts)] if texts else []


def _where(record: Path | None, page: Path | None) -> list[Text]:
    """Paths are printed whole, whatever their length: a person copies them."""
    places = (("Page", page), ("Records", record))
    lines = [Text(f"{name + ':':<9} {plain(str(path))}") for name, path in places if path]
    return [Text(""), *lines] if lines else []


def _heading(text: str, style: str = "bold") -> Lines:
    return [Text(text, style=style)]


def _wrapped(text: str, columns: int, mark: str = "", most: int = _OF_A_TEXT) -> Lines:
    """`text` in at most `most` lines of 100 columns, those after the first indented.

    What is too long loses its middle: how it ends, after the last colon, is what to do about it.
    """
    whole = plain(text)
    lines = _broken(whole, columns, mark)
    most = math.ceil(most * MAX_COLUMNS / columns)
    if len(lines) > most:
        what, _, advice = whole.rpartition(": ")
        kept, room = lines[: most - 1], max(columns - 3, 10)
        if what and cell_len(advice) <= columns - 4:
            lines = [*kept[:-1], f"{_cut(kept[-1], room).rstrip('… ')} …:", f"    {advice}"]
        else:
            lines = [*kept, f"{_cut(lines[most - 1], room).rstrip('… ')} …"]
    return [Text(line) for line in lines]


def _broken(text: str, columns: int, mark: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        max(columns, 20),
        initial_indent=f"  {mark}",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )


def _height(items: Sequence[Lines]) -> int:
    return sum(map(len, items))


def _capped(items: list[Lines], most: int) -> Lines:
    """As many whole items as fit into `most` lines, with a line that counts the others."""
    if _height(items) <= most:
        return [line for lines in items for line in lines]
    shown: Lines = []
    for position, lines in enumerate(items):
        if len(shown) + len(lines) > most - 1:
            return [*shown, Text(f"  and {len(items) - position} more, on the page")]
        shown += lines
    return shown


def _cut(text: str, columns: int) -> str:
    """On one line of at most `columns` cells; wide characters take two."""
    fitted = Text(plain(text))
    fitted.truncate(columns, overflow="ellipsis")
    return fitted.plain
