"""What to copy into a job script at the end of a run."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.fields import has_values
from machmeter.benchmarks.programs import find_program
from machmeter.launch.job_lines import ShellLine, job_lines
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.mpi_of_program import family_of
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.layout.program_libraries import LibraryKind
from machmeter.model.layout import Binding
from machmeter.model.plan.launch import Launch, LaunchSpec
from machmeter.model.results.finding import CaseEvidence
from machmeter.model.results.run import RunResult
from machmeter.model.text import shell_text
from machmeter.text.findings.job_script import JobLine, JobScript, job_script

_NO_LINE = "No launcher of the MPI that the program loaded can place its ranks in this way."


def job_of(result: RunResult) -> JobScript:
    """The settings that gain over the defaults; of a program that was explored the lines that start
    it in the best layout, or as if nobody set anything where nothing is faster."""
    if not result.header.request.explores:
        return job_script(result)
    for case in (case for finding in result.findings for case in finding.cases if case.chosen):
        if spec := _spec_of(result, case):
            return _script(result, spec)
    default = (one for one in result.plan.specs if one.layout.binding is Binding.DEFAULT)
    spec = next(default, None)
    return _script(result, spec) if result.estimates and spec else JobScript()


def _spec_of(result: RunResult, case: CaseEvidence) -> LaunchSpec | None:
    """What was launched in the layout that the case is for."""
    for one in result.estimates:
        if has_values(one, case.chosen):
            return next((spec for spec in result.plan.specs if one.point in spec.points), None)
    return None


def _script(result: RunResult, spec: LaunchSpec) -> JobScript:
    try:
        assignment = assign(spec.layout, result.header.machine.topology)
    except LayoutError:
        return JobScript()
    launch = Launch(1, spec, 1, assignment)
    options = result.header.request.layout_options
    lines = job_lines(
        launch,
        of_ranks=find_program(spec.program).has_ranks,
        hosts=Hosts(options.hosts, options.remote_shell, options.launcher),
        variables=("LD_PRELOAD",) if _allocator_path(result, spec) else (),
        family=_family(result),
    )
    if not lines:
        return JobScript(sentence=_NO_LINE)
    default = spec.layout.binding is Binding.DEFAULT
    title = f"Start it so{': no layout is shown to be faster than nothing set' * default}"
    return JobScript(title, tuple(map(_line, _with_allocator(result, spec, lines))))


def _family(result: RunResult) -> str:
    """Of the MPI library that the program of the run loaded; empty where it loaded several, or
    where that was not seen."""
    files = (one.libraries.get(LibraryKind.MPI.value, ()) for one in result.resolved)
    families = {family_of(file) for loaded in files for file in loaded} - {""}
    return families.pop() if len(families) == 1 else ""


def _with_allocator(
    result: RunResult, spec: LaunchSpec, lines: Sequence[ShellLine]
) -> Sequence[ShellLine]:
    path = _allocator_path(result, spec)
    return [ShellLine(f"export LD_PRELOAD={shell_text([path])}")] * bool(path) + list(lines)


def _allocator_path(result: RunResult, spec: LaunchSpec) -> str:
    """Of the allocator in the place of the linked one; empty for that."""
    return result.header.machine.software.allocators.get(spec.layout.allocator, "")


def _line(line: ShellLine) -> JobLine:
    return JobLine(line.command, f"with {line.of}" if line.of else "")
