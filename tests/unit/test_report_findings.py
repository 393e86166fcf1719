"""Findings in the order in which a person asks for them."""

from __future__ import annotations

from msgspec.structs import replace
from synthetic_run import make_run

from machmeter.model.estimate import Finding, Standing
from machmeter.report.findings import (
    findings_first_decided,
    told_one_by_one,
    undecidable_text,
)

MIXED = replace(
    make_run(),
    findings=(
        Finding("a?", "this machine cannot decide: one core", "", standing=Standing.UNDECIDABLE),
        Finding("b?", "not resolved", "", standing=Standing.UNRESOLVED),
        Finding("c?", "yes", "", standing=Standing.DECIDED),
        Finding("d?", "no", "", standing=Standing.DECIDED),
    ),
)


def test_what_was_decided_comes_first_and_keeps_its_order() -> None:
    assert [f.question for f in findings_first_decided(MIXED)] == ["c?", "d?", "b?", "a?"]


def test_what_cannot_be_decided_is_counted_not_told() -> None:
    assert [f.question for f in told_one_by_one(MIXED)] == ["c?", "d?", "b?"]
    assert undecidable_text(MIXED).startswith("1 question cannot be decided")
    assert undecidable_text(replace(MIXED, findings=MIXED.findings[1:])) == ""
