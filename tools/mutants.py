"""Faults put into what is shown, one at a time: the tests of text and report must find each.

    python tools/mutants.py            all, a line each; exit code 1 where one is not found
    python tools/mutants.py history    those of files with that word in their path

A fault is a piece of source and what stands in its place. One whose source is gone is stale: it has
to move with the code that it was in, so that a change of structure is held by the same faults.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
# The golden files first: they are quick, and most faults show in them.
TESTS = (
    ("tests/unit/report/test_golden.py",),
    ("-n", "2", "tests/unit/text", "tests/unit/report", "tests/unit/cli/commands"),
)


class Fault(NamedTuple):
    """One piece of source, and what stands in its place."""

    file: str
    source: str
    instead: str


FAULTS = (
    Fault("text/numbers.py", "NO_BOUND if set(ends) == {NO_BOUND} else f", "f"),
    Fault(
        "text/numbers.py",
        "{100 * low:+.1f}, {100 * high:+.1f}",
        "{100 * high:+.1f}, {100 * low:+.1f}",
    ),
    Fault("text/numbers.py", "percent >= 9.95", "percent >= 1"),
    Fault(
        "text/numbers.py",
        "if is_unbounded(low) or is_unbounded(high) or",
        "if is_unbounded(low) or",
    ),
    Fault(
        "text/results.py",
        'return f"< {_in_unit(max(estimate.high, 0.0)',
        'return f"{_in_unit(max(estimate.high, 0.0)',
    ),
    Fault("text/results.py", "if estimate.reached or not", "if not estimate.reached or not"),
    Fault("text/results.py", "if estimate.launches == 1:", "if estimate.launches == 2:"),
    Fault(
        "text/results.py",
        "return value if interval == NOTHING else",
        "return value if interval != NOTHING else",
    ),
    Fault(
        "text/history.py",
        "values = (step.before, step.after)",
        "values = (step.after, step.before)",
    ),
    Fault("text/history.py", "if change.stands:", "if not change.stands:"),
    Fault(
        "text/scaling.py",
        "if limit.low == limit.high:\n        return value",
        "if limit.low != limit.high:\n        return value",
    ),
    Fault(
        "text/scores.py",
        "score.workload_low, score.workload_high, score.kind)\n    if not",
        "score.low, score.high, score.kind)\n    if not",
    ),
    Fault(
        "text/comparison.py", "found[RelativeStanding.WORSE] +", "found[RelativeStanding.BETTER] +"
    ),
    Fault("text/comparison.py", "if some == found.results and some:", "if some:"),
    Fault("report/views/tables.py", "for row in columns_of}) > 1]", "for row in columns_of}) > 2]"),
    Fault(
        "report/views/tables.py",
        "(d.start_seconds, d.end_seconds)",
        "(d.end_seconds, d.start_seconds)",
    ),
    Fault("report/views/tables.py", "use.launches - use.timed", "use.launches"),
    Fault("report/views/scores.py", '"missing", *nothing', '"", *nothing'),
    Fault("report/views/history.py", "not one[1].regressed, not", "one[1].regressed, not"),
    Fault(
        "report/views/scaling.py",
        "percent(law.misfit),\n        percent(law.left_out)",
        "percent(law.left_out),\n        percent(law.misfit)",
    ),
    Fault(
        "report/views/comparison_lead.py",
        '" (no CI)" if not mean.is_bounded',
        '" (no CI)" if mean.is_bounded',
    ),
    Fault("report/views/launch_lines.py", "if line.used or line.in_job:", "if not line.in_job:"),
    Fault(
        "report/documents/markdown.py",
        '":---" if n not in table.numeric',
        '":---" if n in table.numeric',
    ),
    Fault("report/documents/markdown.py", '_SPECIAL.sub(r"\\\\\\1", plain(text))', "plain(text)"),
    Fault(
        "report/documents/latex.py",
        '"r" if n in table.numeric else "l"',
        '"l" if n in table.numeric else "r"',
    ),
    Fault(
        "report/documents/text.py",
        'if right else f"{cell}{space}"',
        'if not right else f"{cell}{space}"',
    ),
    Fault(
        "report/documents/results.py",
        "numeric=(*numeric, count, count + 1, count + 2)",
        "numeric=(count, count + 1, count + 2)",
    ),
    Fault(
        "report/exports/tables.py",
        "if text.startswith(_FORMULA) and not",
        "if text.startswith(_FORMULA) and",
    ),
    Fault("report/pages/html.py", 'for character in "<>&', 'for character in "<&'),
    Fault("report/drawing/row_axis.py", "Tick(n * factor, text)", "Tick(n, text)"),
)


NOTHING = Fault("text/numbers.py", "", "")


def main() -> int:
    """Try the faults of files that the first argument names."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    if failing := _found_by(NOTHING):
        sys.stdout.write(f"{failing} fails without a fault\n")
        return 2
    missed = 0
    for number, fault in enumerate(FAULTS, 1):
        if word in fault.file:
            found = _found_by(fault)
            missed += not found
            sys.stdout.write(
                f"{number:2} {found or 'NOT FOUND'}: {fault.file}: {fault.instead!r}\n"
            )
            sys.stdout.flush()
    return int(missed > 0)


def _found_by(fault: Fault) -> str:
    """The tests that fail with it; empty where none does. A fault whose source is gone is none."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(ROOT / "src", Path(scratch, "src"), ignore=shutil.ignore_patterns("*.pyc"))
        # A page of a simulated run asks the simulator.
        Path(scratch, "native").symlink_to(ROOT / "native")
        path = Path(scratch, "src", "machmeter", fault.file)
        text = path.read_text()
        if fault.source not in text:
            return ""
        path.write_text(text.replace(fault.source, fault.instead, 1))
        folders = f"pythonpath={ROOT} {Path(scratch, 'src')}"
        for tests in TESTS:
            words = (sys.executable, "-m", "pytest", "-q", "-x", "-o", folders, *tests)
            done = subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
            # Several processes that stop at a failure end as interrupted ones.
            if done.returncode != 0:
                return "golden files" if tests is TESTS[0] else "unit tests"
    return ""


if __name__ == "__main__":
    sys.exit(main())
