"""What stands below a table: the abort of what printed it."""

from __future__ import annotations

import re

from machmeter.importing.launch_lines import launch_in
from machmeter.importing.lines.plain_starts import plain_start_in
from machmeter.importing.text import ForeignText

NEXT_TABLE = (
    r"# OSU |#-{10}|# Benchmarking |#\s+Intel ?\(|STREAM [vV]ersion|Running OpenMP|Test: "
    r"|Begin of Summary section|\{\s*$"
)
_NEXT = re.compile(rf"\s*(?:{NEXT_TABLE})")
# Of Open MPI, MPICH's Hydra, MPIs themselves, and Slurm.
_ABORT = re.compile(
    r"MPI_ABORT was invoked|called MPI_Abort|BAD TERMINATION|exited on signal|killed by signal"
    r"|terminated (?:with|by|due to) signal|non-zero exit (?:code|status)|job has been aborted"
    r"|exited with (?:non-zero|exit code [1-9])|Exited with exit code [1-9]|EXIT CODE: [1-9]"
    r"|\*\*\* Process received signal|Fatal error in |MPI_ERRORS_ARE_FATAL|CANCELLED AT"
    r"|Segmentation fault|oom[-_ ]kill|[Oo]ut [Oo]f [Mm]emory|prematurely|error occurred in MPI_",
)
_REACH = 100
NOT_ENDED = "the run may not have come to its end"


def abort_below(text: ForeignText, line: int) -> int:
    """The line, within 100 below a table that ends in `line`, that reports an abort; 0 of none.

    Below the next table or start stands nothing of it. Open MPI frames it with lines of dashes.
    """
    for number in range(line + 1, min(line + _REACH, len(text.lines)) + 1):
        found = text.lines[number - 1]
        if _ABORT.search(found):
            return number
        if _NEXT.match(found) or launch_in(found) or plain_start_in(found):
            return 0
    return 0


def remark_on_abort(text: ForeignText, line: int) -> str:
    """What is said of an abort below a table that ends in `line`; empty where there is none."""
    below = abort_below(text, line)
    return remark_on_end(text, below) if below else ""


def remark_on_end(text: ForeignText, line: int) -> str:
    """The remark on a table that ends in a failure, which line `line` reports."""
    found = text.lines[line - 1].strip(" =")[:60]
    return f"{text.name}, line {line}: the table ends in {found!r}: {NOT_ENDED}"
