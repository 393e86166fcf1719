"""What arithmetic says of the claims that studies print."""

from __future__ import annotations

from collections import Counter

import pytest

from machmeter.published.format import Claim, ClaimKind, Quotient
from machmeter.published.formulas import PublishedNumber
from machmeter.published.load import published_claims
from machmeter.published.verdicts import ClaimVerdict, JudgedClaim, judge, judge_claims

PAPER = published_claims("schmidl2010")
JUDGED = {judged.claim.id.removeprefix("002-schmidl-"): judged for judged in judge_claims(PAPER)}


def test_every_claim_of_the_paper_is_judged() -> None:
    assert list(JUDGED) == [f"{number:03d}" for number in range(1, 43)]
    verdicts = Counter(judged.verdict for judged in JUDGED.values())
    assert verdicts == {
        ClaimVerdict.REPRODUCED: 22,
        ClaimVerdict.UNDECIDABLE: 18,
        ClaimVerdict.CONTRADICTED: 2,
    }


def test_100_to_200_times_is_451_times_for_one_construct() -> None:
    assert JUDGED["022"].verdict is ClaimVerdict.CONTRADICTED
    assert JUDGED["022"].computed == pytest.approx([451.47], abs=0.01)
    assert JUDGED["022"].text.endswith("451.5 and not 100 to 200x")
    assert [JUDGED[n].verdict for n in ("021", "023")] == [ClaimVerdict.REPRODUCED] * 2


def test_conclusions_that_do_not_say_what_they_average_are_not_decided() -> None:
    assert [JUDGED[n].verdict for n in ("037", "038")] == [ClaimVerdict.UNDECIDABLE] * 2
    assert "14.6" in JUDGED["037"].claim.note
    assert "19.0" in JUDGED["037"].claim.note


def test_the_time_of_eight_derivatives_is_not_that_of_one() -> None:
    assert JUDGED["031"].verdict is ClaimVerdict.CONTRADICTED
    assert JUDGED["031"].computed == pytest.approx([16.38], abs=0.01)


def test_the_wave_model_is_recomputed_within_its_rounding() -> None:
    assert JUDGED["033"].verdict is ClaimVerdict.REPRODUCED
    assert round(JUDGED["033"].computed[0], 2) == 42.75
    assert JUDGED["034"].computed == pytest.approx([97.0], abs=0.05)


@pytest.mark.parametrize("judged", JUDGED.values(), ids=JUDGED)
def test_what_is_decided_rests_on_figures(judged: JudgedClaim) -> None:
    assert bool(judged.computed) == (judged.verdict is not ClaimVerdict.UNDECIDABLE)


def claim(least: float | None, most: float | None, decimals: int | None) -> Claim:
    return Claim(
        "c",
        "",
        ClaimKind.QUANTITATIVE,
        "",
        least=least,
        most=most,
        decimals=decimals,
        formulas=(Quotient({"a": 1}, {"b": 1}),),
    )


@pytest.mark.parametrize(
    ("least", "most", "decimals", "verdict"),
    [
        (2.0, 2.0, 0, ClaimVerdict.REPRODUCED),
        (2.6, 2.6, 1, ClaimVerdict.CONTRADICTED),
        (2.5, 2.5, None, ClaimVerdict.REPRODUCED),
        (None, 2.4, None, ClaimVerdict.CONTRADICTED),
        (2.6, None, None, ClaimVerdict.CONTRADICTED),
        (None, 3.0, None, ClaimVerdict.REPRODUCED),
        (None, None, None, ClaimVerdict.UNDECIDABLE),
    ],
)
def test_a_value_agrees_as_far_as_digits_were_printed(
    least: float | None, most: float | None, decimals: int | None, verdict: ClaimVerdict
) -> None:
    figures = {"a": PublishedNumber(5.0, 5.0, 5.0), "b": PublishedNumber(2.0, 2.0, 2.0)}
    assert judge(claim(least, most, decimals), figures.__getitem__).verdict is verdict
