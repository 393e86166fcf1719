"""What a comparison says first: verdict, consequence, caveats, facts that differ."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.caveat import Caveat, CaveatKind
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.report.views.comparison_lead import (
    MOST_CAVEATS,
    ComparisonLead,
    group_name,
    group_ratio,
    group_standing_text,
    lead_of,
    typical_text,
)
from machmeter.text.comparison import MachinePair
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine, printed

PAIR = Layout(ranks_per_node=2)
HARDWARE = {"host": "n1", "processor": "x", "cores": "2", "memory": "1 GiB"}


def latency(value: float, size: int = 8) -> Estimate:
    return made_up("network.latency", {"size": size}, PAIR, "latency", value)


def barrier(value: float, wait: WaitPolicy = WaitPolicy.ACTIVE) -> Estimate:
    layout = Layout(threads_per_rank=2, wait_policy=wait)
    return made_up("threads.sync", {"construct": "barrier"}, layout, "overhead", value)


def pair_of(a: MachineResults, b: MachineResults) -> MachinePair:
    return MachinePair(a, b, compare_machines(a, b))


def lead(a: MachineResults, b: MachineResults) -> ComparisonLead:
    return lead_of(pair_of(a, b))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1e-6 / 1.17, "The b is 17 % better in MPI latency than The a"),
        (1e-6 / 1.05, "The b is 5.0 % better in MPI latency than The a"),
        (1e-6 / 0.9, "The b is 10 % worse in MPI latency than The a"),
        (4e-6, "The b is 4.00x worse in MPI latency than The a"),
        (1e-6, "The b is within 2 % of The a in every group"),
    ],
)
def test_the_verdict_has_the_value_in_it(value: float, said: str) -> None:
    assert lead(machine("a", latency(1e-6)), machine("b", latency(value))).verdict == said


def test_groups_of_which_one_differs_are_counted() -> None:
    found = lead(
        machine("a", latency(1e-6), barrier(1e-6)), machine("b", latency(0.5e-6), barrier(1e-6))
    )
    assert found.verdict == "The b is 2.00x better in MPI latency than The a"
    assert found.consequence == "1 of 2 groups differs."


def test_different_builds_of_one_machine_are_named() -> None:
    a, b = (
        replace(machine(n, latency(v)), title="vm", properties={**HARDWARE, "compiler": c})
        for n, v, c in (("a", 1e-6, "GNU 12"), ("b", 0.5e-6, "GNU 13"))
    )
    found = lead(a, b)
    assert found.consequence == "The runs differ in compiler."
    assert [(one.name, one.a, one.b) for one in found.differing] == [
        ("Compiler", "GNU 12", "GNU 13")
    ]
    assert found.equal == ("Host", "Processor", "Cores", "Memory")


def test_there_are_three_caveats_at_most_the_gravest_first() -> None:
    caveats = tuple(Caveat(kind, "seen") for kind in CaveatKind)
    a, b = (
        replace(machine(name, latency(1e-6)), caveats=caveats, properties=HARDWARE)
        for name in ("a", "b")
    )
    found = lead(a, b).caveats
    assert len(found) == MOST_CAVEATS
    assert found[0].title == "Too few launches in A and B."
    assert found[1].title == "Both runs drifted."
    assert "`machmeter run --against a`" in found[1].text


def test_published_values_are_not_said_to_be_tested() -> None:
    stated = printed(latency(2e-6), stated="nodes, ranks_per_node")
    pair = pair_of(machine("a", stated, origin=Origin.PUBLISHED), machine("b", latency(1e-6)))
    found = lead_of(pair)
    assert found.verdict == "The b is 2.00x better in MPI latency than The a"
    assert "1 result without a confidence interval: nothing was tested" in found.consequence
    (mean,) = pair.comparison.groups
    assert group_standing_text(mean) == "better (no CI)"
    assert group_ratio(mean) == ("2.00x", "")


def test_a_setting_left_open_is_named_and_no_verdict_given() -> None:
    stated = printed(barrier(2e-6), stated="nodes, threads_per_rank")
    both = (barrier(1e-6), barrier(40e-6, WaitPolicy.PASSIVE))
    pair = pair_of(machine("a", stated, origin=Origin.PUBLISHED), machine("b", *both))
    found = lead_of(pair)
    assert "2.00x with active wait" in found.verdict
    assert "0.05x with passive wait" in found.verdict
    assert found.consequence == (
        "The a does not state the setting of OpenMP constructs (passive wait or active wait), so "
        "no verdict is given there."
    )
    assert {group_standing_text(one) for one in pair.comparison.groups} == {"no verdict"}
    assert {group_name(one) for one in pair.comparison.groups} == {
        "OpenMP constructs, active wait",
        "OpenMP constructs, passive wait",
    }


def test_the_typical_result_has_both_values_in_one_unit_once() -> None:
    results = [
        machine(n, *(latency(v, size) for size in (8, 64))) for n, v in (("a", 2e-6), ("b", 1e-6))
    ]
    (mean,) = pair_of(*results).comparison.groups
    assert typical_text(mean) in {f"2 results, as {size} B 2.00 → 1.00 µs" for size in (8, 64)}


def test_nothing_in_common_is_said() -> None:
    found = lead(machine("a", latency(1e-6)), machine("b", barrier(1e-6)))
    assert found.verdict == "The b and The a have no comparable result"
    assert found.consequence == "No benchmark in common: network.latency against threads.sync."


def test_another_definition_of_the_same_benchmark_is_the_reason() -> None:
    a = made_up("network.latency", {"size": 8, "buffers": "hot"}, PAIR, "latency", 1e-6)
    b = made_up("network.latency", {"size": 8, "buffers": "cold"}, PAIR, "latency", 1e-6)
    found = lead(machine("a", a), machine("b", b))
    assert found.consequence.startswith("network.latency, not the same measurement: buffers ")


def overlap(value: float) -> Estimate:
    return made_up("network.overlap", {"size": 8, "side": "send"}, PAIR, "work_hidden", value)


def test_shares_alone_have_no_mean_and_are_said_to_be_compared_in_points() -> None:
    found = lead(machine("a", overlap(0.5)), machine("b", overlap(0.7)))
    assert found.consequence.startswith("Shares have no ratio")


def test_a_setting_left_open_is_that_of_its_group() -> None:
    stated = printed(barrier(2e-6), stated="nodes, threads_per_rank")
    message = printed(latency(1e-6), stated="nodes, ranks_per_node")
    own = (latency(1e-7), barrier(1e-6), barrier(40e-6, WaitPolicy.PASSIVE))
    found = lead(
        machine("a", message, stated, origin=Origin.PUBLISHED),
        machine("b", *own),
    )
    assert "x better in MPI latency" in found.verdict
    assert "the setting of OpenMP constructs (passive wait or active wait)" in found.consequence


def test_a_printed_value_is_not_cut() -> None:
    stated = printed(latency(2e-6), stated="nodes, ranks_per_node")
    assert stated.printed
    said = replace(stated, printed=replace(stated.printed, qualifier="peak", unit="us one way"))
    pair = pair_of(
        machine("a", said, origin=Origin.PUBLISHED), machine("b", said, origin=Origin.PUBLISHED)
    )
    (mean,) = pair.comparison.groups
    first, _, second = typical_text(mean).partition(" → ")
    assert first.endswith("µs one way")
    assert second.startswith("peak ")


def test_runs_of_one_machine_without_a_fact_in_common_say_so() -> None:
    bare = {name: text for name, text in HARDWARE.items() if name != "processor"}
    a, b = (replace(machine(n, latency(1e-6)), properties=bare) for n in "ab")
    assert "No recorded fact differs." in lead(a, b).consequence


def test_drift_of_an_a_b_run_is_said_once_and_of_no_machine() -> None:
    drift = (Caveat(CaveatKind.DRIFT, "it drifted"),)
    a, b = (
        replace(machine(n, latency(1e-6)), caveats=drift, runs=("one",), properties=HARDWARE)
        for n in "ab"
    )
    (said,) = (one for one in lead(a, b).caveats if "drift" in one.title)
    assert said.title == "Performance drifted during the run."
