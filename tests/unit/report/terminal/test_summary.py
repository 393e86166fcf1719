import io
import re
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console

from machmeter.analysis.normal.position import Position
from machmeter.analysis.normal.report import KeyResult, Like, NormalReport
from machmeter.model.device import DeviceRanges, DeviceUse, HostCpus
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.comparison import Comparison, ComparisonVerdict
from machmeter.model.results.finding import AnswerStatus, Confidence, Finding
from machmeter.model.results.machine import MachineResults
from machmeter.model.results.run import RunResult, RunState
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.report.terminal.summary import MAX_COLUMNS, most_lines, print_page, print_summary
from machmeter.text.findings.order import answered, detail_lines
from machmeter.text.results import result_interval_text, value_text
from tests.support.made_up.findings import made_up_finding
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.node import make_node_run
from tests.support.synthetic.run import make_run


def summary(result: RunResult, width: int = 100, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=terminal,
        color_system="truecolor" if terminal else "auto",
    )
    print_summary(result, console, Path("/runs/a b"), Path("report.html"))
    return stream.getvalue()


def crowded() -> RunResult:
    run = make_run("knoten-" + "ü" * 300, caveats=tuple("many words " * 40 for _ in range(50)))
    findings = tuple(made_up_finding("why " * 60, "because " * 60, "figures") for _ in range(40))
    return replace(run, findings=findings, outcomes=run.outcomes * 30)


@pytest.mark.parametrize("width", [60, 100, 240])
@pytest.mark.parametrize("make", [make_run, crowded, make_node_run, make_network_run])
def test_summary_fits(make: object, width: int) -> None:
    assert callable(make)
    lines = summary(make(), width).splitlines()
    assert len(lines) <= most_lines(width)
    assert max(cell_len(line) for line in lines) <= min(width, MAX_COLUMNS)


def test_the_state_of_a_device_has_a_line() -> None:
    clocks = DeviceRanges((1.755e9, 1.98e9), None, (41.0, 63.0), None)
    use = DeviceUse("device.fma", "cuda:0", HostCpus.FAR, 2, clocks, clocks, None, None, {})
    expected = "device.fma on cuda:0: from far CPUs, SM clock 1,755 to 1,980 MHz, 41 to 63 °C"
    assert f"Device state: {expected}\n" in summary(replace(make_run(), device_uses=(use,)))
    assert "Device state" not in summary(make_run())


def test_caveats_come_before_findings_and_these_before_results() -> None:
    lines = summary(make_run()).splitlines()
    heads = [
        next(n for n, line in enumerate(lines) if line.startswith(name))
        for name in ("Caveats", "Findings", "Key results", "Precision")
    ]
    assert heads == sorted(heads)


def test_every_benchmark_has_a_figure_before_any_has_a_second() -> None:
    text = summary(make_network_run())
    for title in ("MPI latency, 8 B", "Allreduce, 8 B", "MPI barrier", "MPI_Init", "Slowest pair"):
        assert title in text
    assert "more\n" in text
    assert "Message latency, 1 MiB" not in text


def test_what_is_left_out_is_counted() -> None:
    for make in (make_network_run, make_node_run, crowded):
        run = make()
        shown: Counter[str] = Counter()
        left = dict.fromkeys(("Findings", "Key results"), 0)
        section = ""
        for line in summary(run).splitlines():
            section = line.partition("  ")[0].strip() if line[:1].isalpha() else section
            if (found := re.fullmatch(r"  and (\d+) more", line)) and section in left:
                left[section] = int(found.group(1))
            elif section == "Findings":
                shown[section] += line[:4] in ("  + ", "  ? ")
            elif re.match(r"  \S.* \[|  \S.*  –", line):
                shown[section] += 1
        assert shown["Key results"] + left["Key results"] == len(headline_results(run))
        assert shown["Findings"] + left["Findings"] == len(answered(run))


def test_transports_are_told_as_the_libraries_name_them() -> None:
    lines = summary(make_network_run()).splitlines()
    (line,) = [line for line in lines if line.startswith("Transport")]
    assert "openmpi: pml ob1, btl self,sm,tcp" in line
    assert not [line for line in summary(make_run()).splitlines() if line.startswith("Transport")]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_results_of_mpi_name_their_library_whole(width: int) -> None:
    run = replace(make_run(), mpi_libraries={"": "Open MPI v5.0.11, package: Open MPI root"})
    lines = summary(run, width).splitlines()
    for subject in ("MPI latency, 8 B", "MPI bandwidth, one way", "Communication hidden, receive"):
        assert [line for line in lines if line.startswith(f"  {subject} (Open MPI v5.0.11)")]
    assert max(map(cell_len, lines)) <= width
    shown = [f for f in headline_results(run) if f"\n  {f.title}" in "\n".join(lines)]
    for one in shown:
        value = f"{value_text(one.estimate)}  {result_interval_text(one.estimate)}"
        assert [line for line in lines if value in line]


def test_wide_characters_count_twice() -> None:
    lines = summary(make_run("機" * 200)).splitlines()
    assert max(cell_len(line) for line in lines) <= MAX_COLUMNS


def test_summary_has_color_only_in_a_terminal() -> None:
    assert "\x1b[" not in summary(make_run())
    assert "\x1b[" in summary(make_run(), terminal=True)


def test_summary_ends_with_where_page_and_records_lie() -> None:
    lines = summary(crowded()).splitlines()
    assert lines[-2:] == ["Records:  /runs/a b", "Page:     report.html"]


@pytest.mark.parametrize("width", [60, 100])
def test_after_the_page_comes_whether_results_are_normal(width: int) -> None:
    found = Position(make_run().estimates[0], 1.5, (), ())
    results = tuple(KeyResult(f"title {number} " * 9, "label", found) for number in range(9))
    here = MachineResults("here", "Node", Origin.MEASURED, "machmeter")
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    print_page(console, Path("report.html"), NormalReport(here, Like.ALL, (), results))
    *normal, page = stream.getvalue().splitlines()
    assert page == "Page:     report.html"
    assert normal[0].startswith("Normal:")
    assert max(map(cell_len, normal)) <= width
    assert len(normal) <= 3 * 100 / width


def test_summary_says_what_matters() -> None:
    text = summary(make_run())
    for words in (
        "node17: Xeon Platinum 8488C, 2 cores, 16 GiB, under KVM",
        "63 launches in 2 min 11 s, 60 accepted",
        "Memory bandwidth, triad",
        "? Should large arrays use 2 MiB pages? inconclusive",
        "! Two launches ran while the load was 1.8: end other programs and repeat.",
        "Precision: median ±",
        " results: machmeter show --all",
    ):
        assert words in text


def test_what_is_cut_keeps_its_remedy_and_items_stay_whole() -> None:
    remedy = "do this about it, `now`"
    long = [f"warning {number}: {'something is amiss ' * 20}: {remedy}" for number in range(40)]
    lines = summary(make_run(caveats=tuple(long))).splitlines()
    first = lines.index("Caveats") + 1
    shown = lines[first : lines.index(next(line for line in lines[first:] if "more" in line))]
    assert len(shown) >= 4
    assert all(line.startswith("  ! Warning") for line in shown[::2])
    assert all(line == f"    {remedy}" for line in shown[1::2])


def test_findings_take_room_from_figures() -> None:
    findings = tuple(made_up_finding(f"Question {i}?", f"answer {i}") for i in range(11))
    text = summary(replace(make_run(), findings=findings))
    assert all(f"Question {i}? answer {i}" in text for i in range(11))


def test_findings_of_a_study_stand_whole_with_the_cases_that_fit() -> None:
    run = make_node_run()
    text = summary(run)
    shown = [f for f in run.findings if f.question.split("?")[0][:40] in text]
    assert len(shown) >= 8
    assert f"  and {len(run.findings) - len(shown)} more" in text
    few = replace(run, findings=tuple(f for f in run.findings if detail_lines(f))[:3])
    text = summary(few)
    assert all(f.question.split("?")[0][:40] in text for f in few.findings)
    assert "triad: 2.1x [2.0, 2.2]; spmv: 3.1x [3.0, 3.2]" in text


def test_cases_that_do_not_fit_into_a_line_are_counted() -> None:
    parts = tuple(f"construct {n}: {n}.1x [{n}.0, {n}.2]" for n in range(2, 15))
    finding = made_up_finding("What costs most?", "critical", "figures", parts)
    lines = summary(replace(make_run(), findings=(finding,))).splitlines()
    (line,) = [line for line in lines if "construct 2" in line]
    whole = line.count("construct ")
    assert 1 < whole < len(parts)
    assert line.endswith(f"; {len(parts) - whole} more")


def test_cases_go_where_findings_fill_the_summary() -> None:
    findings = tuple(
        made_up_finding(f"Question {i}?", "yes " * 30, details=("case one", "case two"))
        for i in range(30)
    )
    lines = summary(replace(make_run(), findings=findings)).splitlines()
    assert len(lines) <= most_lines(MAX_COLUMNS)
    assert not [line for line in lines if "case one" in line]


def test_terminal_escapes_and_markup_of_others_are_not_obeyed() -> None:
    text = summary(make_run("\x1b[2Jnode[bold red]x[/]", caveats=("[link=x]\x07beware",)), 100)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "node[bold red]x[/]" in text
    assert "[link=x]beware" in text


def decided(decision: str, ratio: float, confidence: Confidence) -> Finding:
    finding = made_up_finding("Is it faster?", "yes", status=AnswerStatus.DECIDED)
    (case,) = finding.cases
    comparison = Comparison(
        ratio, 0.9 * ratio, 1.1 * ratio, True, 9, 0.001, ComparisonVerdict.FASTER
    )
    case = replace(case, decision=decision, comparison=comparison, confidence=confidence)
    return replace(finding, cases=(case,))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_decision_has_its_ratio_at_the_right(width: int) -> None:
    decision = "set OMP_WAIT_POLICY=active where every thread has its own core"
    likely = decided(decision, 13.3, Confidence.LIKELY)
    lines = summary(replace(make_run(), findings=(likely,)), width).splitlines()
    first = lines[lines.index("Findings") + 1]
    assert first.startswith("  + Set OMP_WAIT_POLICY=active")
    assert first.endswith("13.3x [12.0, 14.6] likely")
    assert len(first) == width


@pytest.mark.parametrize("width", [60, 80, 100])
def test_every_key_result_has_its_layout(width: int) -> None:
    run = replace(make_run(), caveats=(), findings=())
    (listed,) = re.findall(r"Key results.*?(?=\n\n)", summary(run, width), re.DOTALL)
    text = re.sub(r"\s+", " ", listed)
    shown = [one for one in headline_results(run) if one.title in text]
    assert len(shown) > 5
    assert [one.title for one in shown if one.label not in text] == []


def test_the_best_advice_stands_before_the_caveats_and_in_none() -> None:
    library = Caveat(CaveatKind.FASTER_LIBRARY, "messages can be 5.00x faster", "compare")
    noise = Caveat(CaveatKind.NOISE, "noise")
    lines = summary(replace(make_run(), caveats=(library, noise))).splitlines()
    said = [n for n, line in enumerate(lines) if "5.00x faster" in line]
    assert len(said) == 1
    assert said[0] < lines.index("Caveats")


@pytest.mark.parametrize(("low", "said"), [(0.9, False), (1.04, True)])
def test_an_inconclusive_interval_without_1_says_why(low: float, *, said: bool) -> None:
    comparison = Comparison(1.3, low, 1.6, True, 9, 0.12, ComparisonVerdict.INCONCLUSIVE)
    finding = made_up_finding("Is it faster?", "inconclusive", comparison=comparison)
    case = replace(finding.cases[0], doubts=("p = 12 %",))
    lines = summary(replace(make_run(), findings=(replace(finding, cases=(case,)),)))
    assert ("inconclusive: p = 12 %" in lines) is said


def test_too_few_launches_make_results_indicative() -> None:
    few = Caveat(CaveatKind.FEW_LAUNCHES, "too few launches", "more time")
    text = summary(replace(make_run(), caveats=(few,)))
    assert "Indicative results" in text
    assert "Key results" not in text
    assert "\nIndicative findings\n" in text


def test_unfinished_run_says_so() -> None:
    assert "quick, interrupted:" in summary(replace(make_run(), state=RunState.INTERRUPTED))


def test_run_in_which_no_launch_counts() -> None:
    empty = replace(make_run(), estimates=(), knees={}, findings=())
    assert "No result: no launch counts." in summary(empty)


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_terminal_shows_whole_answers_and_points(width: int) -> None:
    run = make_network_run()
    answer = "for some, " + ", ".join(f"case {number}" for number in range(20))
    finding = made_up_finding("Does it pay?", answer, status=AnswerStatus.DECIDED)
    text = summary(replace(run, findings=(finding,)), width)
    flat = " ".join(text.split())
    assert f"Does it pay? {answer}" in flat
    results = text[text.index("Key results") : text.index("Precision")]
    assert "…" not in results
    assert max(map(len, results.splitlines())) <= width


def test_results_of_several_settings_say_which_where_there_is_room_for_one() -> None:
    rows = [line for line in summary(make_run()).splitlines() if " GB/s" in line]
    triads = [row for row in rows if "riad" in row[:30]]
    assert len(triads) > 1
    assert all("thread" in row for row in triads)
