"""The summary of a run in a terminal: at most 40 lines of 100 columns, more of fewer.

Machine and verdict, the best advice, caveats, findings, key results, precision, and where the rest
is.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from machmeter.analysis.normal.report import NormalReport
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.finding import AnswerStatus, CaseEvidence, Confidence, Finding
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.benchmarks.best_advice import BestAdvice, best_advice, further_caveats
from machmeter.report.benchmarks.headlines import HeadlineResult, headline_results, in_turns
from machmeter.report.normal.document import verdict_text
from machmeter.report.views.launch_lines import job_of
from machmeter.studies.select import requested_text
from machmeter.text.findings.order import answered, detail_lines, open_reason, unanswerable_text
from machmeter.text.hardware.devices import device_states, device_text
from machmeter.text.numbers import count_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import bounded_ratio_text
from machmeter.text.results import interval_heading, result_interval_text, value_text
from machmeter.text.runs import (
    caveat_text,
    hardware_text,
    library_in_short,
    mpi_in_short,
    precision_summary_text,
    questions_text,
    transports_text,
)

MAX_LINES = 40
MAX_COLUMNS = 100
# Lines of a text where a line has 100 columns.
_OF_A_TEXT, _OF_A_FINDING = 2, 4
_OF_NORMAL = 2
MOST_LATER = 2 + _OF_NORMAL
"""Lines that `print_page` prints, where a line has 100 columns."""
_LEAST = {"caveats": 7, "findings": 11, "results": 8}
_OPEN, _DECIDED = "?", "+"
_RELATION = "  relation; layout"
# Cells of a title with its MPI library; a longer one has a line of its own.
_LONGEST_TITLE = 46

Lines = list[Text]


def print_summary(
    result: RunResult,
    console: Console,
    record: Path | None = None,
    page: Path | None = None,
    *,
    later: int = 0,
) -> None:
    """Print what a run says, to be read at a glance; styles are the console's to drop.

    record: the folder of the run; page: the HTML page, where one was written; later: lines that
    are printed after it (`MOST_LATER`). Sections share the lines: each gets its least, and what is
    free goes to caveats first, results last.
    """
    columns = min(console.width, MAX_COLUMNS)
    advice = best_advice(result)
    title = [*_title(result, columns), *_advice(advice, columns)]
    where = _where(result, record, page, columns)
    settings = _settings(result)
    lines = most_lines(columns) - len(title) - len(where) - later - len(settings)
    sections = {
        "caveats": _caveats(further_caveats(advice, result), columns),
        "findings": _findings(result, columns),
        "results": _results(result, columns),
    }
    free = lines - sum(
        _height(items) if name == "findings" else _least_of(name, items)
        for name, items in sections.items()
    )
    sections["findings"] = _with_parts(result, sections["findings"], free, columns)
    room = _shared_out(sections, lines)
    sections["results"] = _leading(result, sections["results"], room["results"])
    closing = {"findings": bool(answered(result) and unanswerable_text(result))}
    shown = [
        line
        for name, items in sections.items()
        for line in _capped(items, room[name], closing=closing.get(name, False))
    ]
    shown += settings
    for line in shown:
        if line.overflow != "ignore":
            line.truncate(columns, overflow="ellipsis")
    for line in (*title, *shown, *where):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def print_page(console: Console, page: Path, normal: NormalReport | None = None) -> None:
    """Print what follows the summary once the page is written: whether the results are normal, and
    where the page is."""
    if normal:
        said = f"{'Normal:':<9} {verdict_text(normal)}"
        columns = min(console.width, MAX_COLUMNS)
        lines = _wrapped(said, columns, most=_OF_NORMAL, indent="")
        for line in (*lines, Text("    all of it: machmeter compare last normal")):
            console.print(line, soft_wrap=True, highlight=False, markup=False)
    console.print(_place_line("Page", page), soft_wrap=True, highlight=False, markup=False)


def _place_line(name: str, path: Path) -> Text:
    """Paths are printed whole, whatever their length: a person copies them."""
    return Text(f"{name + ':':<9} {plain(str(path))}")


def most_lines(columns: int) -> int:
    """Lines of a summary: what fits 40 lines of 100 columns takes more where they are fewer."""
    return MAX_LINES * MAX_COLUMNS // min(max(columns, 40), MAX_COLUMNS)


def _shared_out(sections: dict[str, list[Lines]], lines: int) -> dict[str, int]:
    """Lines of each section: its least, then what is free to caveats and findings, results last."""
    room = {name: _least_of(name, items) for name, items in sections.items()}
    free = lines - sum(room.values())
    for name in ("caveats", "findings", "results"):
        more = min(free, _height(sections[name]) - room[name])
        room[name], free = room[name] + more, free - more
    return room


def _least_of(name: str, items: Sequence[Lines]) -> int:
    return min(_height(items), _LEAST[name] + 1)


def _title(result: RunResult, columns: int) -> list[Text]:
    header, machine = result.header, result.header.machine
    first = f"{machine.name or machine.host}: {hardware_text(machine)}"
    state = "" if result.state is RunState.FINISHED else f", {result.state.value}"
    request = requested_text(header.request.names)
    second = f"{request}{state}: {questions_text(result)}"
    compiler = result.toolchain.compiler if result.toolchain else "compiler unknown"
    third = f"{compiler}; MPI: {mpi_in_short(result)}"
    found = transports_text(result)
    spoken = "; ".join(
        f"{library_in_short(library)}: {text}" if len(found) > 1 else text
        for library, text in found
    )
    ends = {
        "Transport": spoken,
        "Devices": plain("; ".join(map(device_text, machine.devices or ()))),
        "Device state": plain("; ".join(device_states(result.device_uses or ()))),
    }
    return [
        Text(_cut(first, columns), style="bold"),
        *_wrapped(second, columns, indent=""),
        Text(_cut(third, columns), style="dim"),
        *(Text(_cut(f"{k}: {v}", columns), style="dim") for k, v in ends.items() if v),
    ]


def _results(result: RunResult, columns: int) -> list[Lines]:
    results = headline_results(result)
    disturbed = headline_results(replace(result, estimates=result.disturbed))
    apart = _listed(disturbed, "Disturbed by other programs, not ranked", columns)
    if not results:
        return [[Text(""), *_heading("No result: no launch counts.")], *apart]
    return [*_listed(results, _named(result, "results", "Key results"), columns), *apart]


def _listed(results: Sequence[HeadlineResult], name: str, columns: int) -> list[Lines]:
    """A heading, and results below it; nothing where there is none."""
    if not results:
        return []
    value = max(len(value_text(f.estimate)) for f in results)
    interval = max(*(len(result_interval_text(f.estimate)) for f in results), 13)
    room = max(columns - value - interval - 5, 20)
    title = min(max(len(f.title) for f in results), _LONGEST_TITLE, room)
    heading = Text("")
    heading.append(f"{name:<{title + 2}} {'value':>{value}}", style="bold")
    shown = interval_heading([one.estimate for one in results])
    heading.append(f"  {shown:<{interval}}", style="dim")
    if any(f.against for f in results) and cell_len(heading.plain) + len(_RELATION) <= columns:
        heading.append(_RELATION, style="dim")
    lines = [[Text(""), heading]]
    return lines + [_result_lines(f, (title, value, interval), columns) for f in results]


def _named(result: RunResult, what: str, usual: str = "") -> str:
    """`Findings`, or `Indicative findings` where there were too few launches."""
    if any(c.kind is CaveatKind.FEW_LAUNCHES for c in result.caveats):
        return f"Indicative {what}"
    return usual or capitalized(what)


def _leading(result: RunResult, items: list[Lines], most: int) -> list[Lines]:
    """Where not all results fit, the first of every benchmark before the second of any."""
    heading, results = items[:1], items[1:]
    shown = headline_results(result)
    if _height(items) <= most or len(shown) != len(results):
        return items
    first, *others = in_turns(shown)
    kept, room = [first], most - _height(heading) - len(results[first]) - 1
    for position in others:
        room -= len(results[position])
        if room < 0:
            break
        kept.append(position)
    rest = [Text(f"  and {len(results) - len(kept)} more")]
    return [*heading, *(results[position] for position in sorted(kept)), rest]


def _result_lines(result: HeadlineResult, widths: tuple[int, int, int], columns: int) -> Lines:
    """A result with its layout, which stands below where it is long, and before that what gives it
    meaning where there is room for both."""
    one, (title, value, interval) = result.estimate, widths
    whole = plain(result.title)
    above = [] if cell_len(whole) <= title else [Text(f"  {_cut(whole, columns - 2)}")]
    line = Text(f"  {'' if above else whole:<{title}} ")
    line.append(f"{value_text(one):>{value}}", style="bold")
    line.append(f"  {result_interval_text(one):<{interval}}  ")
    room = columns - cell_len(line.plain)
    label = plain(result.label)
    tails = ("; ".join(filter(None, (result.against, label))), label or result.against)
    fitting = next((tail for tail in tails if cell_len(tail) <= room), None)
    if fitting is not None:
        line.append(fitting, style="dim")
        return [*above, line]
    line.rstrip()
    line.truncate(columns)
    below = textwrap.wrap(tails[1], max(columns - 6, 10), break_on_hyphens=False)
    return [*above, line, *(Text(f"      {text}", style="dim") for text in below)]


def _findings(result: RunResult, columns: int) -> list[Lines]:
    found = answered(result)
    rest = unanswerable_text(result)
    if not found and not rest:
        return []
    lines = [[Text(""), *_heading(_named(result, "findings"))]]
    lines += [_finding_lines(finding, columns) for finding in found]
    return lines + ([_wrapped(rest, columns)] if rest else [])


def _settings(result: RunResult) -> Lines:
    """What to copy into a job script, or that nothing of what was tried gains."""
    job = job_of(result)
    if job.lines:
        # What is to be copied is never cut.
        lines = [Text(f"  {line}", overflow="ignore") for line in job.text.splitlines()]
        return [Text(""), *_heading(job.title), *lines]
    return [Text(""), Text(job.sentence)] if job.sentence else []


def _finding_lines(finding: Finding, columns: int) -> Lines:
    """A decision with its ratio at the right, or the question with its answer."""
    decided = finding.status is AnswerStatus.DECIDED
    mark = f"{_DECIDED if decided else _OPEN} "
    case = _lone_case(finding)
    stated = case is not None and (case.decision or not decided)
    if case is None or case.comparison is None or not stated:
        likely = f" ({finding.confidence.value})" if finding.confidence is Confidence.LIKELY else ""
        answer = f"{finding.answer}{likely}"
        text = f"{finding.question} {answer}"
        whole = _wrapped(text, columns, mark, most=_OF_A_FINDING)
        below = _wrapped(answer, columns, "  ", most=_OF_A_FINDING - 1)
        apart = [*_wrapped(finding.question, columns, mark), *below]
        return apart if 1 < len(apart) <= len(whole) else whole
    ratio = bounded_ratio_text(case.comparison)
    likely = f" {case.confidence.value}" if case.confidence is Confidence.LIKELY else ""
    why = open_reason(case)
    verdict = "" if decided else f" {finding.status.value}{why and ': '}{why}"
    text = capitalized(case.decision) or f"{finding.question}{verdict}"
    room = max(columns - cell_len(ratio) - cell_len(likely) - 4, 20)
    with_setting = f"{text} ({case.setting})" if case.setting else text
    fits = cell_len(plain(with_setting)) <= room - 4
    text = with_setting if fits else text
    first, *more = _broken(plain(text), room, mark)
    line = Text(first.ljust(columns - cell_len(ratio) - cell_len(likely)))
    line.append(ratio, style="bold")
    line.append(likely, style="dim")
    # A general question is answered for one setting only.
    unsaid = bool(case.setting) and not (fits or decided)
    below = [Text(f"      {_cut(case.setting, columns - 6)}", style="dim")] if unsaid else []
    return [line, *map(Text, more), *below]


def _lone_case(finding: Finding) -> CaseEvidence | None:
    return finding.cases[0] if len(finding.cases) == 1 else None


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
        more = f"; {left} more" if left else ""
        text = plain("; ".join(parts[:count])) + more
        if cell_len(text) <= room:
            return Text(f"      {text}", style="dim")
    return Text(f"      {_cut(parts[0], room)}", style="dim")


def _advice(advice: BestAdvice | None, columns: int) -> Lines:
    if advice is None:
        return []
    lines = _wrapped(advice.text, columns, indent="")
    for line in lines:
        line.stylize("bold")
    return [Text(""), *lines]


def _caveats(caveats: Sequence[Caveat], columns: int) -> list[Lines]:
    if not caveats:
        return []
    lines = [[Text(""), *_heading("Caveats", "bold yellow")]]
    for one in caveats:
        mark = "- " if one.kind is CaveatKind.NOT_MEASURED else "! "
        lines.append(_wrapped(caveat_text(one), columns, mark))
    return lines


def _where(result: RunResult, record: Path | None, page: Path | None, columns: int) -> list[Text]:
    """Precision, and where the rest is."""
    said = precision_summary_text(result)
    precision = [_wrapped(f"Precision: {said}", columns, indent="")] if said else []
    every = count_text(len(result.estimates), "result", "results")
    places = (("Records", record), ("Page", page))
    lines = [_place_line(name, path) for name, path in places if path]
    shown = [Text(f"All {every}: machmeter show --all")] if record and result.estimates else []
    return [Text(""), *(line for lines in precision for line in lines), *shown, *lines]


def _heading(text: str, style: str = "bold") -> Lines:
    return [Text(text, style=style)]


def _wrapped(
    text: str, columns: int, mark: str = "", most: int = _OF_A_TEXT, indent: str = "  "
) -> Lines:
    """`text` in at most `most` lines of 100 columns, those after the first indented.

    What is too long loses its middle: how it ends, after the last colon, is what to do about it.
    """
    whole = plain(text)
    lines = _broken(whole, columns, mark, indent)
    most = math.ceil(most * MAX_COLUMNS / columns)
    if len(lines) > most:
        what, _, advice = whole.rpartition(": ")
        kept, room = lines[: most - 1], max(columns - 3, 10)
        if what and cell_len(advice) <= columns - 4:
            lines = [*kept[:-1], f"{_cut(kept[-1], room).rstrip('… ')} …:", f"    {advice}"]
        else:
            lines = [*kept, f"{_cut(lines[most - 1], room).rstrip('… ')} …"]
    return [Text(line) for line in lines]


def _broken(text: str, columns: int, mark: str = "", indent: str = "  ") -> list[str]:
    return textwrap.wrap(
        text,
        max(columns, 20),
        initial_indent=f"{indent}{mark}",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )


def _height(items: Sequence[Lines]) -> int:
    return sum(map(len, items))


def _capped(items: list[Lines], most: int, *, closing: bool = False) -> Lines:
    """As many whole items as fit into `most` lines, with a line that counts the others.

    closing: the last one is no item, and is left out with the others.
    """
    if _height(items) <= most:
        return [line for lines in items for line in lines]
    shown: Lines = []
    for position, lines in enumerate(items):
        if len(shown) + len(lines) > most - 1:
            left = len(items) - closing - position
            return [*shown, Text(f"  and {left} more")] if left > 0 else shown
        shown += lines
    return shown


def _cut(text: str, columns: int) -> str:
    """On one line of at most `columns` cells; wide characters take two."""
    fitted = Text(plain(text))
    fitted.truncate(columns, overflow="ellipsis")
    return fitted.plain
