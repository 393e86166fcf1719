"""What to copy into a job script at the end of a run."""

from __future__ import annotations

from collections.abc import Sequence

from machmeter.analysis.stats.fields import has_values
from machmeter.benchmarks.programs import find_program
from machmeter.launch.job_lines import (
    NOT_USED,
    ShellLine,
    UsedLauncher,
    exports_of,
    job_lines,
)
from machmeter.launch.launchers.hosts import Hosts
from machmeter.launch.launchers.mpiexec import ALLOW_ROOT
from machmeter.launch.mpi_of_program import family_of
from machmeter.layout.assign import assign
from machmeter.layout.errors import LayoutError
from machmeter.layout.program_libraries import LibraryKind
from machmeter.model.layout import Binding
from machmeter.model.plan.launch import Launch, LaunchSpec, Verdict
from machmeter.model.results.finding import CaseEvidence, Confidence
from machmeter.model.results.run import RunResult
from machmeter.model.written.text import shell_text
from machmeter.text.findings.job_script import JobLine, JobScript, job_script
from machmeter.text.plain import plain

_FEWEST_LAUNCHES = 2
_NO_ADVICE = "No advice how to start it"
_NOTHING_FASTER = ": no layout is shown to be faster than nothing set"
_ONE_OF_THE_COMPARED = ": the fastest of the layouts compared, of which nothing set is none"
_NO_LINE = "No launcher of the MPI that the program loaded can place its ranks in this way."


def job_of(result: RunResult) -> JobScript:
    """The settings that gain over the defaults; of a program that was explored the lines that start
    it in the best layout, or as if nobody set anything where nothing is faster.

    Where no layout was compared with what people have who set nothing, that is no advice, and the
    script says what was not compared.
    """
    if not result.header.request.explores:
        return job_script(result)
    specs = (one for one in result.plan.specs if one.layout.binding is Binding.DEFAULT)
    default = next(specs, None)
    lacking = _lacking(result, default) if default else ""
    chosen = _chosen(result)
    if chosen is None and lacking and result.estimates:
        return JobScript(sentence=f"{_NO_ADVICE}: {lacking}.")
    spec = chosen or (default if result.estimates else None)
    launch = _launch_in(result, spec) if spec else None
    if launch is None:
        return JobScript()
    lines = _lines(result, launch)
    if not lines:
        return JobScript(sentence=_NO_LINE)
    standing = _ONE_OF_THE_COMPARED * bool(chosen and lacking)
    if launch.spec.layout.binding is Binding.DEFAULT:
        standing = _NOTHING_FASTER
    shown = tuple(JobLine(line.command, _note(result, lines, line)) for line in lines)
    return JobScript(f"Start it so{standing}", shown)


def advised_lines(result: RunResult) -> tuple[Launch, Sequence[ShellLine]] | None:
    """The lines of `job_of` for a program that was explored, and the launch that they stand for;
    None where the run advises nothing."""
    default = next((s for s in result.plan.specs if s.layout.binding is Binding.DEFAULT), None)
    spec = _chosen(result) or (None if default is None or _lacking(result, default) else default)
    launch = _launch_in(result, spec) if spec else None
    return (launch, _lines(result, launch)) if launch else None


def faster_layout(result: RunResult) -> CaseEvidence | None:
    """The case that surely shows a layout to be faster than nothing set; None where none does."""
    default = next((s for s in result.plan.specs if s.layout.binding is Binding.DEFAULT), None)
    chosen = _chosen(result)
    if default is None or chosen is None or chosen == default or _lacking(result, default):
        return None
    case = next(case for finding in result.findings for case in finding.cases if case.chosen)
    return case if case.confidence is Confidence.SURE else None


def _chosen(result: RunResult) -> LaunchSpec | None:
    """What was launched in the layout that a finding advises."""
    cases = (case for finding in result.findings for case in finding.cases if case.chosen)
    return next(filter(None, (_spec_of(result, case) for case in cases)), None)


def _lacking(result: RunResult, default: LaunchSpec) -> str:
    """Why no layout was compared with nothing set; empty where one was."""
    unseen = {p for one in result.plan.specs if one.name in result.not_observed for p in one.points}
    enough = (one.point for one in result.estimates if one.launches >= _FEWEST_LAUNCHES)
    counted = set(enough) - unseen
    others = [one for one in result.plan.own_specs if not one.is_ours and one != default]
    if not counted.intersection(default.points):
        return "fewer than two launches of nothing set count"
    if not others:
        return "nothing set was compared with nothing, since no other layout fits"
    if not any(counted.intersection(one.points) for one in others):
        return "fewer than two launches of every layout other than nothing set count"
    return ""


def _spec_of(result: RunResult, case: CaseEvidence) -> LaunchSpec | None:
    """What was launched in the layout that the case is for."""
    for one in result.estimates:
        if has_values(one, case.chosen):
            return next((spec for spec in result.plan.specs if one.point in spec.points), None)
    return None


def _launch_in(result: RunResult, spec: LaunchSpec) -> Launch | None:
    try:
        return Launch(1, spec, 1, assign(spec.layout, result.header.machine.topology))
    except LayoutError:
        return None


def _lines(result: RunResult, launch: Launch) -> Sequence[ShellLine]:
    """The lines that start it so."""
    options, spec = result.header.request.layout_options, launch.spec
    lines = job_lines(
        launch,
        of_ranks=find_program(spec.program).has_ranks,
        hosts=Hosts(options.hosts, options.remote_shell, options.launcher),
        variables=("LD_PRELOAD",) if _allocator_path(result, spec) else (),
        family=_family(result),
        used=_launcher_of(result, spec),
    )
    return _with_allocator(result, spec, lines) if lines else ()


def _note(result: RunResult, lines: Sequence[ShellLine], line: ShellLine) -> str:
    """Whose a line is, and what became of it where it is one that may be tried."""
    seen = ""
    if line.used or line.in_job:
        seen = _tried_text(result, (*exports_of(lines), line))
    return "; ".join(filter(None, (line.note, seen)))


def _tried_text(result: RunResult, lines: Sequence[ShellLine]) -> str:
    tried = result.tried
    if tried is None or tried.lines != tuple(line.command for line in lines):
        return "not tried"
    return f"tried, and not so: {plain(tried.problems[0], 200)}" if tried.problems else "tried"


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


def _launcher_of(result: RunResult, spec: LaunchSpec) -> UsedLauncher:
    """The mpiexec behind the wrapper in the command of a launch that counts."""
    counted = (
        one.command
        for one in result.outcomes
        if one.spec == spec.name and one.verdict is Verdict.ACCEPTED
    )
    words = next(counted, ())
    if "--" not in words or not find_program(spec.program).has_ranks:
        return NOT_USED
    path, *options = words[words.index("--") + 1 :]
    family = "openmpi" if ALLOW_ROOT in options else "mpich"
    return UsedLauncher(path, family, result.header.machine.software.as_root)
