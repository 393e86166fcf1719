"""The old and the candidate, first in the terminal and on the page."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.benchmarks.programs import NODE_PROGRAM
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Verdict
from machmeter.model.point import make_point
from machmeter.model.results.run import CachedBinary, RunResult
from machmeter.report.pages.ab import ab_section
from machmeter.report.pages.run import render_page
from machmeter.report.terminal.run import print_run
from machmeter.report.views.records import RecordSets, records_place
from machmeter.run.results.result import collect
from machmeter.store.run_folder import RunFolder
from machmeter.text.commands import ab_command_for
from machmeter.text.runs import baseline_build, run_verdict_text, software_properties
from tests.support.made_up.ab_runs import launcher, measured, two_sided


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return measured(two_sided(tmp_path_factory.mktemp("sides") / "run"), launcher(0.8))


@pytest.fixture(scope="module")
def result(folder: RunFolder) -> RunResult:
    return collect(folder)


def shown(result: RunResult) -> str:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    print_run(result, console)
    text = console.file
    assert isinstance(text, io.StringIO)
    return text.getvalue()


def test_the_comparison_comes_before_the_summary(result: RunResult) -> None:
    text = shown(result)
    assert text.index("Baseline: ") < text.index("The candidate by itself")
    assert "paired t test" in text
    assert "worse" in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_became_slower_is_counted_once(result: RunResult) -> None:
    assert result.baseline is not None
    assert result.baseline.comparison is not None
    slower = sum(f.verdict.value == "slower" for f in result.baseline.comparison.results)
    assert slower
    text = shown(result)
    assert f"One by one: {slower} slower, " in text
    assert "better in" not in text


def test_what_the_old_side_was_built_with_is_told(result: RunResult) -> None:
    expected = ("Flags, baseline", "-O1")
    assert expected in baseline_build(result)
    assert ("The baseline", "run an-old-run repeated, recompiled") in baseline_build(result)
    assert "Flags, baseline: -O1" in shown(result)
    assert expected in software_properties(result)
    kept = CachedBinary(NODE_PROGRAM.name, "", "/cache/build/node-1")
    assert result.header.baseline is not None
    of_kept = replace(
        result,
        header=replace(result.header, baseline=replace(result.header.baseline, programs=(kept,))),
    )
    assert "with its own binaries" in baseline_build(of_kept)[0][1]
    assert baseline_build(replace(result, header=replace(result.header, baseline=None))) == ()


def test_figures_are_not_said_to_come_from_launches_of_the_old_side(result: RunResult) -> None:
    accepted = sum(outcome.verdict is Verdict.ACCEPTED for outcome in result.outcomes)
    assert result.baseline is not None
    of_old = {number for one in result.baseline.estimates for number in one.launch_numbers}
    assert of_old
    assert f"from {accepted - len(of_old)} launches" in run_verdict_text(result)


def test_a_row_s_command_measures_both_sides_again(result: RunResult) -> None:
    section = ab_section(result, 100, RecordSets(None))
    assert section is not None
    commands = [c for one in section.sections for t in one.tables for c in t.commands]
    assert commands
    assert all(c.startswith("machmeter run ") for c in commands)
    assert all(c.endswith(" --against an-old-run") for c in commands)


def test_what_only_the_old_side_named_is_named_as_empty(result: RunResult) -> None:
    header = result.header
    assert header.baseline is not None
    of_old = replace(header.baseline.request, flags=("-O1",), compiler="clang++")
    other = replace(header, baseline=replace(header.baseline, request=of_old, rebuilt=True))
    again = ab_command_for(result.estimates[0].point, replace(result, header=other))
    assert again.endswith(" --against an-old-run --compiler= --flags= --rebuild")
    asked = replace(header.request, flags=("-O2",), compiler="g++")
    named = replace(result, header=replace(other, request=asked))
    again = ab_command_for(result.estimates[0].point, named)
    assert " --compiler g++ --flags=-O2 " in again
    assert again.endswith(" --against an-old-run --rebuild")


def test_a_size_that_the_machine_chose_is_left_to_it(result: RunResult) -> None:
    point = make_point("memory.stream", {"kernel": "triad", "size": 2**26}, Layout())
    chosen = replace(result, plan=replace(result.plan, sizes={"memory.stream": 2**26}))
    assert "size=" not in ab_command_for(point, chosen)
    named = replace(result, plan=replace(result.plan, sizes={}))
    assert "--set size=64MiB" in ab_command_for(point, named)


def test_the_page_leads_with_the_sides_and_with_the_old_side_s_records(
    result: RunResult, folder: RunFolder
) -> None:
    page = render_page(result, records_place(folder.path, folder.path / "report.html"))
    assert page.index('id="ab"') < page.index('id="findings"')
    assert "Records of the baseline" in page
    assert result.baseline is not None
    number = result.baseline.estimates[0].launch_numbers[0]
    assert f'href="launches/{number:05d}.jsonl"' in page
    assert 'id="rows-ab"' in page
