"""A comparison in a terminal: who, counts, rows, notes, refusals, flips, within 100 columns."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.scores.scores import Component, ScoreKind, geometric_score
from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults, Parts
from machmeter.model.units import format_bytes
from machmeter.report.terminal.comparison import MOST_ROWS, print_comparison
from machmeter.report.terminal.comparison_layout import pair_lines
from machmeter.report.terminal.scores import score_lines
from machmeter.text.comparison import difference_text
from machmeter.text.numbers import ValueText, ratio_text
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import code, machine, printed

PAIR = Layout(ranks_per_node=2)


def latency(value: float, size: int = 8) -> Estimate:
    return made_up("network.latency", {"size": size}, PAIR, "latency", value)


def shown(*machines: MachineResults, every: bool = False) -> str:
    out = io.StringIO()
    comparisons = [compare_machines(machines[0], other) for other in machines[1:]]
    console = Console(file=out, width=100, highlight=False)
    print_comparison(machines, comparisons, console, every=every)
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 100
    return text


def rows_of(text: str) -> list[str]:
    """The lines below the counts: the tables of results."""
    lines = text.splitlines()
    counts = [n for n, line in enumerate(lines) if " versus " in line and ": " in line]
    return lines[counts[0] + 1 :]


def test_measured_machines_with_interval_and_verdict() -> None:
    text = shown(machine("first", latency(2e-6)), machine("second", latency(1e-6)))
    lines = text.splitlines()
    assert lines[0] == "The second is 2.00x better in MPI latency than The first."
    assert "A, baseline: The first, run first: made up" in text
    assert "The second versus The first: better in 1 of 1 result." in text
    row = next(line for line in rows_of(text) if "2.00x" in line)
    assert "2.00 µs" in row
    assert "1.00 µs" in row
    assert "2.00x [" in row
    assert row.endswith("better")


@pytest.mark.parametrize("ratio", [0.0786, 0.00321, 1234.0])
def test_an_interval_is_never_cut(ratio: float) -> None:
    text = shown(machine("first", latency(2e-6)), machine("second", latency(2e-6 / ratio)))
    lines = rows_of(text)
    number = next(n for n, line in enumerate(lines) if ratio_text(ratio) in line)
    assert "…" not in lines[number]
    told = " ".join(lines[number : number + 2])
    (figure,) = compare_machines(
        machine("first", latency(2e-6)), machine("second", latency(2e-6 / ratio))
    ).results
    assert difference_text(figure).partition(" ")[2] in told


def test_a_printed_value_and_its_flag_are_told() -> None:
    flagged = printed(latency(2e-6), flag="a shared-memory time")
    paper = machine("paper", flagged, origin=Origin.PUBLISHED)
    text = shown(paper, machine("here", latency(1e-6)))
    assert "No ratio has a confidence interval" in text
    assert "better (no CI)" in text
    assert "1 paper's figure is contradicted: a shared-memory time" in text
    assert "network.latency: Latency, one way (1)" in text


def test_long_comparisons_show_the_largest_differences_unless_all_are_asked_for() -> None:
    sizes = [2**n for n in range(MOST_ROWS + 5)]
    a = machine("a", *(latency(1e-6, s) for s in sizes))
    b = machine("b", *(latency(1e-6 * (1 + n / 10), s) for n, s in enumerate(sizes)))
    short, whole = shown(a, b), shown(a, b, every=True)
    assert "and 5 more, which differ less: --all" in short
    for text, first in ((short, 5), (whole, 0)):
        places = [text.index(f"  {format_bytes(size)} ") for size in sizes[first:]]
        assert places == sorted(places)
    assert whole.count("x [") == len(sizes)
    assert "--all" not in whole


def test_refusals_and_flips_are_told_in_words() -> None:
    def triad(value: float, threads: int) -> Estimate:
        parameters: dict[str, Value] = {"kernel": "triad", "size": 2**26}
        layout = Layout(threads_per_rank=threads)
        return made_up("memory.stream", parameters, layout, "stream_bandwidth", value)

    big = machine("big", triad(90e9, 64), latency(1e-6), parts=Parts(1, 64))
    small = machine(
        "small",
        triad(30e9, 4),
        made_up("network.latency", {"size": 8}, Layout(nodes=2), "latency", 1e-6),
        parts=Parts(1, 4),
    )
    text = shown(big, small)
    assert "The ranking depends on the basis" in text
    assert "big is better as measured, small per core" in text
    assert "per core 5.33x [" in text
    assert "network.latency, Latency, one way: 2 ranks on 1 node against 2 ranks on 2 nodes" in text


def test_a_value_below_zero_has_no_ratio_and_was_not_tested() -> None:
    below = printed(replace(latency(1e-6), value=-1e-6))
    text = shown(machine("here", latency(1e-6)), machine("paper", below, origin=Origin.PUBLISHED))
    row = next(line for line in text.splitlines() if "-1e-06 s" in line)
    assert "1.00x" not in row
    assert "–  inconclusive" in row
    assert "inconclusive in 1" in text
    assert "Holm" not in text


def test_one_launch_is_not_said_to_be_printed() -> None:
    single = replace(printed(latency(2e-6)), origin=Origin.MEASURED, printed=None)
    text = shown(machine("here", latency(1e-6)), machine("once", single))
    row = next(line for line in rows_of(text) if "0.50x" in line)
    assert row.endswith("one launch")


def test_nothing_in_common_is_said() -> None:
    text = shown(machine("a", latency(1e-6)), machine("b", code("x", 1.0)))
    assert text.count("no comparable result") == 1


def test_notes_of_several_machines_say_of_whom_they_are() -> None:
    def triad(stores: str, value: float) -> Estimate:
        parameters: dict[str, Value] = {"kernel": "triad", "size": 2**26}
        parameters |= {"stores": stores} if stores else {}
        return made_up("memory.stream", parameters, Layout(), "stream_bandwidth", value)

    here = machine("here", triad("temporal", 1e10), triad("nontemporal", 1.5e10), latency(1e-6))
    stated = "threads_per_rank, binding, page_bytes"
    papers = machine("papers", printed(triad("", 2e10), stated=stated), origin=Origin.PUBLISHED)
    said = printed(latency(3e-6), flag="451 and not 100", qualifier="peak")
    other = machine("other", said, origin=Origin.PUBLISHED)
    lines = shown(here, papers, other).splitlines()
    first = next(n for n, line in enumerate(lines) if line == "Notes on results")
    notes = dict(line.strip().split(" ", 1)[::-1] for line in lines[first + 1 : first + 8] if line)
    assert notes["other's figure is contradicted: 451 and not 100"] == "1"
    for stores in ("temporal", "nontemporal"):
        number = notes[f"stores {stores}: not stated by papers"]
        row = next(line for line in lines if line.startswith(f"  {stores} ("))
        assert f"({number})" in row
    assert any(line.startswith("network.latency: Latency, one way (1,") for line in lines)


def test_several_figures_of_one_machine_beside_one_have_a_row_each() -> None:
    vague = printed(
        made_up("threads.sync", {"construct": "for"}, Layout(threads_per_rank=2), "overhead", 3e-6),
        stated="threads_per_rank, binding",
    )
    waits = [
        made_up(
            "threads.sync",
            {"construct": "for"},
            Layout(threads_per_rank=2, wait_policy=wait),
            "overhead",
            value,
        )
        for wait, value in ((WaitPolicy.ACTIVE, 1e-6), (WaitPolicy.PASSIVE, 9e-6))
    ]
    paper = machine("paper", vague, latency(1e-6), origin=Origin.PUBLISHED)
    text = shown(paper, machine("here", *waits), machine("there", latency(2e-6)))
    for wait, word in (("active", "3.00x no verdict*"), ("passive", "0.33x no verdict*")):
        assert word in "\n".join(rows_of(text)).partition(f"{wait} wait")[2].partition("*")[0] + "*"


def test_several_machines_stand_beside_the_first() -> None:
    others = [machine(f"m{n}", latency(1e-6 * n), latency(1e-6, 64)) for n in (2, 3, 4, 5)]
    text = shown(machine("first", latency(1e-6)), *others)
    for n, word in ((2, "0.50x worse"), (3, "0.33x worse"), (5, "0.20x worse")):
        assert f"m{n}" in text
        assert word in text


def test_what_others_wrote_cannot_steer_a_terminal() -> None:
    bad = replace(machine("a", latency(1e-6)), title="\x1b[31mred\u202e", source="x\ny")
    text = shown(bad, machine("b", latency(1e-6)))
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(451.2, "451x"), (12.34, "12.3x"), (1.484, "1.48x"), (0.0392, "0.0392x"), (1234.5, "1,234x")],
)
def test_ratios_keep_the_digits_that_tell(ratio: float, text: str) -> None:
    assert ratio_text(ratio) == text


def test_a_score_shows_what_it_is_made_of_and_both_intervals() -> None:
    components = [Component("a", 1.5, 1e-4, 9.0), Component("b", 2.0, 1e-4, 9.0)]
    score = geometric_score(
        ScoreKind.SPEC,
        components,
        machine="m",
        reference="r",
        missing=["c"],
        adjusted=True,
    )
    lines = score_lines(score)
    assert "m versus r" in lines[1]
    assert [line.split()[0] for line in lines[2:5]] == ["a", "b", "c"]
    assert lines[4].endswith("missing")
    assert "adjusted score of 2 codes: 1.73x; measurement [" in lines[5]
    assert "choice of codes [" in lines[6]


@pytest.mark.parametrize("width", [54, 60, 72, 80, 99, 100])
@pytest.mark.parametrize("several", [False, True])
def test_in_a_narrow_terminal_ratio_verdict_and_values_are_whole(width: int, several: bool) -> None:
    machines = [
        machine("first", *(latency(size * 1e-6, size) for size in (8, 64))),
        machine("second", latency(1e-6), latency(2e-6, 64)),
        *([machine("third", latency(3e-6)), machine("4th", latency(4e-6))] if several else []),
    ]
    out = io.StringIO()
    comparisons = [compare_machines(machines[0], other) for other in machines[1:]]
    console = Console(file=out, width=width, highlight=False)
    print_comparison(machines, comparisons, console, every=True)
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for said in ("8.00x", "32.0x", "8.00 µs", "64.0 µs", "better"):
        assert said in text


def test_long_values_flow_into_the_room_of_the_name() -> None:
    values = ("peak 8 GB/s both ways", "peak 15 GB/s both ways")
    before, behind = pair_lines("2 nodes", values, ValueText("1.88x"), 100)
    assert before[0] == "  2 nodes"
    assert f"{values[0]}  {values[1]}" in before[1]
    assert not behind
    narrow, _ = pair_lines("2 nodes", values, ValueText("1.88x"), 60)
    assert narrow[1].strip() == f"{values[0]} versus {values[1]}"
    assert narrow[2].endswith("1.88x")


def test_a_mean_of_each_group_leads_with_what_it_rests_on() -> None:
    sizes = (8, 64, 512)
    text = shown(
        machine("first", *(latency(2e-6, size) for size in sizes)),
        machine("second", *(latency(1e-6, size) for size in sizes)),
    )
    assert "B over A  95 % interval" in text
    row = next(line for line in text.splitlines() if line.startswith("  MPI latency"))
    assert "2.00x  [" in row
    assert row.endswith("better")
    assert "    3 results, as " in text


def test_two_runs_of_one_machine_are_told_apart_and_sent_to_an_ab_run() -> None:
    facts = {"host": "n1", "processor": "x", "cores": "2", "memory": "1 GiB", "compiler": "g"}
    runs = [
        replace(
            machine(f"20261122-{hour}0000-vm-{end}", latency(value)),
            title="vm",
            properties=facts | {"request": "quick", "date": f"2026-11-22 {hour}:00 UTC"},
            caveats=(Caveat(CaveatKind.DRIFT, "performance drifted"),),
        )
        for hour, end, value in ((15, "cfcf", 2e-6), (16, "4013", 1e-6))
    ]
    text = " ".join(shown(*runs).split())
    assert text.startswith("Same machine, two runs: inconclusive in every group.")
    assert "; both runs drifted." in text
    assert "no verdict: drifted" in text
    assert "vm (quick, 16:00 UTC, …4013) versus vm (quick, 15:00 UTC, …cfcf)" in text
    assert "machmeter run --against 20261122-150000-vm-cfcf" in text
    assert "Equal: Host, Processor, Cores, Memory, Compiler, Request" in text
