"""Every claim of every study: what arithmetic says, beside what is known of it."""

from __future__ import annotations

from collections import Counter

import pytest

from machmeter.published.format import ClaimKind
from machmeter.published.load import claim_names, published_claims
from machmeter.published.verdicts import ClaimVerdict, JudgedClaim, judge_claims

R, C, U = ClaimVerdict.REPRODUCED, ClaimVerdict.CONTRADICTED, ClaimVerdict.UNDECIDABLE
JUDGED = {
    judged.claim.id: judged
    for name in claim_names()
    for judged in judge_claims(published_claims(name))
}
UNDECIDED = [judged for judged in JUDGED.values() if judged.verdict is U]
CLAIMS_OF_STUDIES = {
    "younge2016": 37,
    "austin2013": 44,
    "schmidl2010": 42,
    "lehto2008": 31,
    "tatineni2015": 46,
}
# Those that whoever collected the claims found not to agree with what else is printed.
INCONSISTENT = (
    "000-younge-021",
    "000-younge-022",
    "000-younge-027",
    "001-austin-001",
    "001-austin-017",
    "001-austin-040",
    "002-schmidl-022",
    "002-schmidl-031",
    "004-tatineni-034",
)
# Of Austin et al. and Lehto: every quantitative claim.
QUANTITATIVE = {
    "001-austin-004": R,
    "001-austin-006": R,
    "001-austin-008": R,
    "001-austin-009": R,
    "001-austin-010": R,
    "001-austin-011": U,
    "001-austin-013": R,
    "001-austin-015": U,
    "001-austin-016": U,
    "001-austin-018": U,
    "001-austin-019": U,
    "001-austin-027": U,
    "001-austin-041": R,
    "001-austin-042": R,
    "001-austin-043": R,
    "003-lehto-018": U,
    "003-lehto-019": U,
    "003-lehto-020": U,
}
# Claims of other kinds that numbers decide all the same.
OTHER_KINDS = {
    "001-austin-001": C,
    "001-austin-017": C,
    "001-austin-028": R,
    "001-austin-029": R,
    "001-austin-032": R,
    "001-austin-040": C,
    "003-lehto-003": R,
    "003-lehto-004": R,
    "003-lehto-005": R,
    "003-lehto-006": R,
    "003-lehto-027": R,
}


def test_every_study_has_all_its_claims() -> None:
    assert {name: len(published_claims(name).claims) for name in claim_names()} == CLAIMS_OF_STUDIES
    assert len(JUDGED) == 200


@pytest.mark.parametrize("name", INCONSISTENT)
def test_an_inconsistent_claim_is_contradicted_or_says_why_numbers_do_not_show_it(
    name: str,
) -> None:
    judged = JUDGED[name]
    assert judged.verdict is C or (judged.verdict is U and judged.claim.note)
    assert judged.verdict is U or judged.claim.contradicts


def test_nothing_else_is_contradicted() -> None:
    contradicted = {name for name, judged in JUDGED.items() if judged.verdict is C}
    assert contradicted <= set(INCONSISTENT)
    assert len(contradicted) == 8


@pytest.mark.parametrize(("name", "verdict"), (QUANTITATIVE | OTHER_KINDS).items())
def test_a_claim_has_the_verdict_that_its_numbers_give(name: str, verdict: ClaimVerdict) -> None:
    assert JUDGED[name].verdict is verdict


def test_no_quantitative_claim_of_the_two_studies_is_left_out() -> None:
    two = [judged.claim for name, judged in JUDGED.items() if name.startswith(("001", "003"))]
    quantitative = {claim.id for claim in two if claim.kind is ClaimKind.QUANTITATIVE}
    assert quantitative == set(QUANTITATIVE)
    assert {claim.id for claim in two if claim.formulas} - quantitative == set(OTHER_KINDS)


@pytest.mark.parametrize("study", ["austin2013", "lehto2008"])
def test_the_counts_of_a_study_by_verdict(study: str) -> None:
    counts = Counter(JUDGED[claim.id].verdict for claim in published_claims(study).claims)
    expected = {"austin2013": {R: 12, U: 29, C: 3}, "lehto2008": {R: 5, U: 26}}
    assert counts == expected[study]


@pytest.mark.parametrize("judged", UNDECIDED, ids=lambda judged: judged.claim.id)
def test_a_quantitative_claim_that_is_not_decided_says_why(judged: JudgedClaim) -> None:
    assert not judged.computed
    assert judged.claim.note or judged.claim.kind is not ClaimKind.QUANTITATIVE


@pytest.mark.parametrize(
    ("name", "computed"),
    [
        ("001-austin-001", 2013.353 - 2013.748),
        ("001-austin-017", 256),
        ("001-austin-041", 1.4 * 24 / 16),
        ("001-austin-042", 2.2 * 16 / 24),
        ("003-lehto-003", 2024 * 2.6 * 2 / 1000),
        ("003-lehto-004", 6736 * 2.6 * 4 / 1000),
        ("003-lehto-006", 16 * 16 / (8 * 8)),
    ],
)
def test_what_is_computed_is_the_arithmetic_of_the_note(name: str, computed: float) -> None:
    assert JUDGED[name].computed == pytest.approx([computed])
