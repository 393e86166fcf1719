"""Pages and charts: of a run, of a machine, or of machines compared with the first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.normal.report import NormalReport
from machmeter.api.comparing import compared_with_first, kept_to_benchmarks, named_apart
from machmeter.api.context import Context
from machmeter.api.loading import Run, RunName, find_run, load
from machmeter.api.machines import MachineName, is_file, is_published, machine
from machmeter.api.normal.placing import normal_of_run
from machmeter.api.scores import NoScoreError, ScoreRequest, scores_of
from machmeter.importing.machine import import_files, machine_of_file
from machmeter.model.errors import MachmeterError, UsageError, storage_error
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.machine_comparison import MachineComparison
from machmeter.model.results.run import Request, RunHeader
from machmeter.model.variant import Role
from machmeter.published.flags import flags_of
from machmeter.published.load import names_of_studies, published_machine, read_machine
from machmeter.published.machine import published_results
from machmeter.report.views.records import RecordsPlace, records_place
from machmeter.run.ab.machines import sides_of
from machmeter.run.compare.run_as_machine import run_as_machine
from machmeter.store.files import read_regular
from machmeter.store.run_folder import PAGE, RunFolder, check_target, holds_run
from machmeter.text.comparison import MachinePair

if TYPE_CHECKING:
    from machmeter.report.drawing.chart import Chart
    from machmeter.report.pages.comparison import ComparedMachine
    from machmeter.report.pages.machine import PageMachine
    from machmeter.report.pages.scores import ScoreResult

MAX_MACHINES = 8
"""Machines that a page can compare."""
BRIEF = "summary.html"
"""Name of the executive summary there."""
_GENERATOR = b'<meta name="generator" content="machmeter'
_HEAD_BYTES = 4096


class WrittenReport(Struct, frozen=True):
    """A page that was written, with its charts."""

    path: Path
    """The page: one HTML file that loads nothing."""
    charts: tuple[Path, ...] = ()
    """PNG and SVG files, where charts were requested."""
    lacks_score: bool = False
    """Whether a requested score could not be made; the page says why."""
    normal: NormalReport | None = None
    """Of a run how its key results stand among machines of today, where any does."""


def report(
    *names: MachineName,
    path: Path | None = None,
    charts: Path | None = None,
    benchmarks: Sequence[str] = (),
    score: ScoreRequest | None = None,
    brief: bool = False,
    context: Context | None = None,
) -> WrittenReport:
    """Write the page of one run or machine, or of machines compared with the first.

    Args:
        names: As in `machine`; none is the last run.
        path: The page; None is the run's folder, of a machine `NAME.html` here, of several
            `comparison.html` here.
        charts: Folder that takes every chart as PNG and SVG.
        benchmarks: Only these benchmarks or groups (of several machines).
        score: Also this score (of several machines); one that cannot be made is a warning.
        brief: Only the executive summary of a run, which prints on one page.
        context: Folders and listeners.

    Raises:
        UsageError: A name or option has no meaning here.
        MachineLacksError: The page or a chart cannot be written.
        MachmeterError: A run or machine cannot be read.
    """
    context = context or Context()
    if path:
        check_target(path)
    if brief:
        _refuse_with_brief(charts, benchmarks, score)
        return _report_brief(names, path, context)
    if len(names) > 1:
        return _report_comparison(names, path, charts, benchmarks, score, context)
    name = names[0] if names else "last"
    if benchmarks or score:
        option = "--benchmark" if benchmarks else "--score"
        shown = name.result.header.id if isinstance(name, Run) else name
        raise UsageError(
            f"{option} needs two machines or more",
            f"name another (`machmeter report {shown} OTHER`), or leave it out",
        )
    if not isinstance(name, Run) and (is_file(Path(name)) or is_published(str(name))):
        return _report_machine(str(name), path, charts, context)
    return _report_run(name, path, charts, context)


def _refuse_with_brief(
    charts: Path | None, benchmarks: Sequence[str], score: ScoreRequest | None
) -> None:
    given = {"--charts": charts, "--benchmark": benchmarks, "--score": score}
    options = " and ".join(option for option, value in given.items() if value)
    if options:
        raise UsageError(
            f"{options} and --brief do not go together: the executive summary has neither",
            "make two reports, or leave one option out",
        )


def published_comparisons(run: Run, context: Context) -> tuple[MachinePair, ...]:
    """The run compared with every machine of a study that has the same or similar results.

    A machine whose file cannot be read is a warning.
    """
    if not run.result.estimates:
        return ()
    here = run_as_machine(run.result)
    found = []
    for name in names_of_studies():
        try:
            there = published_results(name)
        except MachmeterError as error:
            context.warn(error)
            continue
        compared = MachinePair(there, here, compare_machines(there, here))
        if compared.comparison.results or compared.comparison.refusals:
            found.append(compared)
    return tuple(found)


def save_page(run: Run, path: Path, records: RecordsPlace, context: Context) -> NormalReport | None:
    """Write the page of a run. Raises MachineLacksError where it cannot be written.

    Returns whether its results are normal, where it has any that can be.
    """
    from machmeter.api.twins.loads import loads_of
    from machmeter.api.twins.sensitivity import sensitivity_of
    from machmeter.report.pages.run import write_page

    published = published_comparisons(run, context)
    sensitivity = sensitivity_of(run.result, context)
    loads = loads_of(run.result, context)
    among_others = normal_of_run(run, context)
    try:
        write_page(run.result, path, records, published, sensitivity, loads, among_others)
    except OSError as error:
        raise storage_error(error, path) from error
    return among_others


def page_machine(name: str, context: Context | None = None) -> PageMachine:
    """The machine of that name, a published one or a file, with what its page shows.

    Raises UsageError where nothing has that name, MachmeterError where it cannot be read.
    """
    from machmeter.report.pages.machine_subject import page_machine_of

    context = context or Context()
    path = Path(name)
    if not is_file(path):
        printed = published_machine(name)
        results = machine(name, context=context)
        return page_machine_of(name, results, printed, flags=flags_of(name), published=True)
    if path.suffix.lower() == ".toml":
        return page_machine_of(name, machine(name, context=context), read_machine(path))
    printed, remarks = import_files([path])
    for remark in remarks:
        context.warn(MachmeterError(remark))
    return page_machine_of(name, machine_of_file(printed, path), printed, remarks=remarks)


def _report_run(
    name: RunName, path: Path | None, charts: Path | None, context: Context
) -> WrittenReport:
    from machmeter.report.benchmarks.charts import all_charts

    run = _run_named(name, context)
    target = path or run.folder / PAGE
    records = records_place(run.folder, target)
    among_others = save_page(run, target, records, context)
    drawn = (*_ratio_charts(run), *all_charts(run.result)) if charts else ()
    files = _save_charts(drawn, charts) if charts else ()
    return WrittenReport(target, files, normal=among_others)


def _ratio_charts(run: Run) -> tuple[Chart, ...]:
    """The ratios of an A/B run, candidate over baseline; none of another run."""
    from machmeter.report.drawing.forest import forest_chart

    side = run.result.baseline
    if side is None or side.comparison is None:
        return ()
    baseline, candidate = sides_of(run.result)
    pair = MachinePair(baseline, candidate, side.comparison)
    chart = forest_chart("ab-ratios", (pair,), f"{candidate.title} over {baseline.title}")
    return (chart,) if chart else ()


def _report_brief(
    names: Sequence[MachineName], path: Path | None, context: Context
) -> WrittenReport:
    from machmeter.report.pages.run import write_brief

    name = names[0] if names else "last"
    of_a_run = isinstance(name, Run) or not (is_file(Path(name)) or is_published(str(name)))
    if len(names) > 1 or not of_a_run:
        raise UsageError(
            "--brief is the summary of one run", "name one run: machmeter report RUN --brief"
        )
    run = _run_named(name, context)
    target = path or run.folder / BRIEF
    try:
        write_brief(run.result, target)
    except OSError as error:
        raise storage_error(error, target) from error
    return WrittenReport(target)


def _run_named(name: RunName, context: Context) -> Run:
    """The run of that name; the error says what else has a page."""
    try:
        return load(name, context=context)
    except UsageError as error:
        raise UsageError(
            f"{error.message}, and no published machine or file of that name",
            f"{error.remedy}, `machmeter list machines` published machines; several runs, or a "
            "variant of one, need a second machine: machmeter report A B",
        ) from error


def _report_machine(
    name: str, path: Path | None, charts: Path | None, context: Context
) -> WrittenReport:
    from machmeter.report.pages.machine import machine_charts, write_machine_page

    target = _machine_page_path(name, path)
    check_target(target)
    subject = page_machine(name, context)
    try:
        write_machine_page(subject, target)
    except OSError as error:
        raise storage_error(error, target) from error
    if charts is None:
        return WrittenReport(target)
    drawn = machine_charts(subject.results)
    if not drawn:
        context.warn(
            MachmeterError(
                "no chart was written: the machine has no results over a range of values"
            )
        )
    return WrittenReport(target, _save_charts(drawn, charts) if drawn else ())


def _machine_page_path(name: str, path: Path | None) -> Path:
    """Where the page of a machine is written: `NAME.html` here unless requested otherwise.

    Raises UsageError where that is the machine's own file or, by default, another program's page.
    """
    source = Path(name)
    target = path or Path(f"{source.stem if is_file(source) else name}.html")
    try:
        if is_file(source) and target.exists() and target.samefile(source):
            raise UsageError(f"{target} is the machine's own file", "name another file with -o")
        if not path and target.is_file() and not _is_ours(target):
            raise UsageError(
                f"{target} exists and was not written by machmeter", "name another file with -o"
            )
    except OSError as error:
        raise storage_error(error, target) from error
    return target


def _is_ours(page: Path) -> bool:
    return _GENERATOR in read_regular(page, _HEAD_BYTES)


def _report_comparison(
    names: Sequence[MachineName],
    path: Path | None,
    charts: Path | None,
    benchmarks: Sequence[str],
    score: ScoreRequest | None,
    context: Context,
) -> WrittenReport:
    from machmeter.report.pages.comparison import comparison_charts, write_comparison

    if len(names) > MAX_MACHINES:
        raise UsageError(
            f"a page compares at most {MAX_MACHINES} machines, and {len(names)} are named",
            f"name at most {MAX_MACHINES}",
        )
    target = path or Path("comparison.html")
    check_target(target)
    found = named_apart([machine(name, context=context) for name in names], names)
    kept = kept_to_benchmarks(found, benchmarks)
    subjects = [_subject(*pair, target, context) for pair in zip(names, kept, strict=True)]
    comparisons = compared_with_first(kept, context)
    result = _score_result(kept, comparisons, score, context) if score else None
    try:
        write_comparison(subjects, comparisons, target, result, benchmarks)
    except OSError as error:
        raise storage_error(error, target) from error
    drawn = comparison_charts(kept, comparisons, result) if charts else ()
    if charts and not drawn:
        context.warn(
            MachmeterError("no chart was written: the machines have no results to compare")
        )
    return WrittenReport(
        target,
        _save_charts(drawn, charts) if charts and drawn else (),
        lacks_score=bool(result and not result.scores),
    )


def _score_result(
    machines: Sequence[MachineResults],
    comparisons: Sequence[MachineComparison],
    request: ScoreRequest,
    context: Context,
) -> ScoreResult:
    from machmeter.report.pages.scores import ScoreResult

    try:
        return ScoreResult(request.kind, scores_of(machines, comparisons, request))
    except NoScoreError as error:
        context.warn(error)
        return ScoreResult(request.kind, why=error.message, remedy=error.remedy)


def _subject(
    name: MachineName, results: MachineResults, page: Path, context: Context
) -> ComparedMachine:
    """A machine with the place of its records, where it is one run."""
    from machmeter.report.pages.comparison import ComparedMachine

    if len(results.runs) != 1:
        return ComparedMachine(results)
    folder = _folder_of(name, context)
    request = _request_of_part(folder.header(), results)
    return ComparedMachine(results, request, records_place(folder.path, page))


def _folder_of(name: MachineName, context: Context) -> RunFolder:
    """The folder of the run that a machine was measured in."""
    if isinstance(name, Run):
        return RunFolder(name.folder)
    run = str(name).strip(",")
    # RUN@VARIANT@LIBRARY; a path may have its own @.
    while "@" in run and not holds_run(Path(run)):
        run = run.rpartition("@")[0]
    return find_run(run, context)


def _request_of_part(header: RunHeader, results: MachineResults) -> Request:
    """What was requested of the variant that a machine is, with its one library of several."""
    _, *parts = results.id.split("@")
    request = header.request
    if Role.BASELINE in parts and header.baseline:
        request = header.baseline.request
    library = next((part for part in parts if part in request.mpi.split(",")), "")
    return replace(request, mpi=library) if library else request


def _save_charts(charts: Iterable[Chart], folder: Path) -> tuple[Path, ...]:
    """Write charts as PNG and SVG. Raises MachineLacksError where that cannot be done."""
    from machmeter.report.benchmarks.charts import save_chart

    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart in charts:
            for ending in (".png", ".svg"):
                path = folder / (chart.name + ending)
                save_chart(chart.spec, path)
                written.append(path)
    except OSError as error:
        raise storage_error(error, folder) from error
    return tuple(written)
