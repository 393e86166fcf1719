"""The evidence of a finding names what the compared results share."""

from __future__ import annotations

from tests.support.synthetic.runs import run


def test_evidence_names_the_point_that_both_values_are_of() -> None:
    findings = {one.question: one for one in run("quick").findings}
    said = {question: case.evidence for question, one in findings.items() for case in one.cases}
    assert said["Does active waiting make parallel regions faster?"].startswith("parallel: ")
    assert said["Do non-temporal stores improve bandwidth?"].startswith("triad, ")
    assert "nontemporal" not in said["Do non-temporal stores improve bandwidth?"]
    assert all(" against " in text for text in said.values() if text)
