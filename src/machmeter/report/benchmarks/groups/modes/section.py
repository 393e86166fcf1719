"""What a page shows of launch modes: the matrix, where the time goes in each, and the system."""

from __future__ import annotations

from msgspec import Struct

from machmeter.layout.assign import hardware_threads
from machmeter.model.display import Definition
from machmeter.model.layout import LaunchMode
from machmeter.model.results.finding import PublishedAnswer
from machmeter.model.results.run import RunResult
from machmeter.report.benchmarks.groups.modes.matrix import (
    BASELINE,
    ModeMatrix,
    ModeRow,
    mode_matrix,
)
from machmeter.report.benchmarks.groups.modes.phases import code_phases, phase_chart, phase_table
from machmeter.report.benchmarks.groups.modes.picture import matrix_chart, matrix_table
from machmeter.report.drawing.chart import Chart
from machmeter.report.table import Table
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.text.layouts import mode_text
from machmeter.text.ratios import comparison_text

_MEANINGS = {
    "MPI": "One rank of one thread on each core, or with SMT on each hardware thread.",
    "hybrid": "Half as many ranks, each of two threads.",
    "SMT": "Two hardware threads of each core are used.",
    "reserved": "One core of each node is left to the system.",
    "default": "As many ranks as cores, where the launcher puts them when nothing is set; threads "
    "of a rank are one, or an application's own choice.",
}


class ModeSection(Struct, frozen=True):
    """The section of launch modes."""

    conclusion: str
    """The figures of the system in one line."""
    definitions: tuple[Definition, ...]
    """What the names of modes mean."""
    charts: tuple[Chart, ...]
    """The matrix, and where the time goes."""
    tables: tuple[Table, ...]
    """A table for each chart."""
    published: tuple[PublishedAnswer, ...] = ()
    """What published machines say of all codes together."""


def mode_section(result: RunResult) -> ModeSection | None:
    """The section of a run; None where `mode_matrix` finds nothing to compare."""
    matrix = mode_matrix(result)
    if matrix is None:
        return None
    phases = code_phases(result, matrix)
    return ModeSection(
        _conclusion(result, matrix),
        _definitions(matrix),
        (matrix_chart(matrix), *([phase_chart(phases)] if phases else [])),
        (matrix_table(matrix), *([phase_table(phases)] if phases else [])),
        answers_of_study(result.header.request.study),
    )


def _conclusion(result: RunResult, matrix: ModeMatrix) -> str:
    base, parts = mode_text(BASELINE), []
    if matrix.system is not None:
        parts.append(f"{matrix.system.name}: {_best_text(matrix.system, base)}")
    if matrix.each_best is not None:
        gain = comparison_text(matrix.each_best)
        parts.append(f"each code in its best mode, {gain} of {base}")
    said = f"{'; '.join(parts)}." if parts else "No mode was measured with every code."
    if matrix.applications:
        names = ", ".join(row.name for row in matrix.applications)
        said += f" Not in the mean, as not every machine has them: {names}."
    return f"{said}{_unmeasured(result, matrix)}"


def _best_text(system: ModeRow, base: str) -> str:
    if system.best is BASELINE:
        said = f"best in mode {base}"
    else:
        gain = comparison_text(system.ratios[system.best])
        said = f"best in mode {mode_text(system.best)}, {gain} of {base}"
    if system.tied:
        said += f" (tied with {', '.join(map(mode_text, system.tied))})"
    return said


def _unmeasured(result: RunResult, matrix: ModeMatrix) -> str:
    if not matrix.unmeasured:
        return ""
    alone = hardware_threads(result.header.machine.topology) == 1
    placed = [mode for mode in matrix.unmeasured if mode is not LaunchMode.DEFAULT]
    without = alone and bool(placed) and all(mode.smt > 1 for mode in placed)
    why = ", as cores here have one hardware thread" * without
    return f" Not measured{why}: {', '.join(map(mode_text, matrix.unmeasured))}."


def _definitions(matrix: ModeMatrix) -> tuple[Definition, ...]:
    names = " + ".join(mode_text(mode) for mode in (*matrix.modes, *matrix.unmeasured)).split(" + ")
    return tuple(Definition(*one) for one in _MEANINGS.items() if one[0] in names)
