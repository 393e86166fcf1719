"""A published value that fits several results gives no verdict, and each says in which setting."""

from __future__ import annotations

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.analysis.matching.open_settings import quoted_key, settings_of
from machmeter.model.layout import Layout, WaitPolicy
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import MachineComparison, RelativeStanding
from machmeter.text.comparison import MachinePair, counts_of, standing_text, verdict_text
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine
from tests.support.made_up.named_machines import printed as as_printed


def barrier(value: float, wait: WaitPolicy, construct: str = "barrier") -> Estimate:
    layout = Layout(threads_per_rank=2, wait_policy=wait)
    return made_up("threads.sync", {"construct": construct}, layout, "overhead", value)


PAPER = machine(
    "paper",
    as_printed(barrier(2e-6, WaitPolicy.ACTIVE), stated="nodes, threads_per_rank"),
    origin=Origin.PUBLISHED,
)
BOTH = (barrier(1e-6, WaitPolicy.ACTIVE), barrier(40e-6, WaitPolicy.PASSIVE))


def compared(*here: Estimate) -> MachineComparison:
    return compare_machines(PAPER, machine("here", *here))


def test_of_a_value_that_fits_two_settings_there_is_no_verdict() -> None:
    found = compared(*BOTH)
    assert {one.setting for one in found.results} == {"active wait", "passive wait"}
    assert {one.standing for one in found.results} == {RelativeStanding.INCONCLUSIVE}
    assert {standing_text(one) for one in found.results} == {"no verdict"}
    assert not found.flips
    counts = counts_of(found.results)
    assert (counts.better, counts.worse, counts.no_verdict) == (0, 0, 2)


def test_the_sentence_counts_as_the_table_does() -> None:
    text = verdict_text(MachinePair(PAPER, machine("here", *BOTH), compared(*BOTH)))
    assert "no verdict in 2 of 2 results." in text


def test_a_value_that_fits_one_setting_alone_has_its_verdict() -> None:
    (one,) = compared(BOTH[0]).results
    assert one.setting == ""
    assert standing_text(one) == "better (no CI)"


def test_of_two_measured_machines_no_value_is_published() -> None:
    (one,) = compare_machines(machine("a", BOTH[0]), machine("b", BOTH[0])).results
    assert quoted_key(one) is None
    assert one.setting == ""


def test_the_settings_of_a_result_are_its_parameters_and_its_layout() -> None:
    known = settings_of(BOTH[1])
    assert known["construct"] == "barrier"
    assert known["wait_policy"] == "passive wait"
