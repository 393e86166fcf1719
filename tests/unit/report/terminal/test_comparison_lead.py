"""The first lines of a comparison in terminals of any width."""

from __future__ import annotations

import pytest

from machmeter.analysis.matching.compare_machines import compare_machines
from machmeter.model.layout import Layout
from machmeter.report.terminal.comparison_lead import lead_lines
from machmeter.text.comparison import MachinePair
from tests.support.made_up.estimates import made_up
from tests.support.made_up.named_machines import machine

PAIR = Layout(ranks_per_node=2)


@pytest.mark.parametrize("columns", [50, 80, 100])
def test_ratio_interval_and_verdict_of_a_group_stand_on_one_line(columns: int) -> None:
    sides = [
        machine(name, made_up("network.latency", {"size": 8}, PAIR, "latency", value))
        for name, value in (("a", 2e-6), ("b", 1e-6))
    ]
    lines = lead_lines(MachinePair(*sides, compare_machines(*sides)), columns)
    texts = [line.plain for line in lines]
    assert max(map(len, texts)) <= columns
    (row,) = (one for one in texts if "2.00x  [" in one)
    assert row.endswith("better")


def test_of_several_machines_only_verdict_and_means_are_said() -> None:
    sides = [
        machine(name, made_up("network.latency", {"size": 8}, PAIR, "latency", 1e-6))
        for name in ("a", "b")
    ]
    pair = MachinePair(*sides, compare_machines(*sides))
    texts = "\n".join(line.plain for line in lead_lines(pair, 100, several=True))
    assert "Geometric mean by group" in texts
    assert "baseline" not in texts
