"""Which claims of a study rest on the figures of one machine."""

from __future__ import annotations

import pytest

from machmeter.published.claims_of_machine import claims_about, references_of
from machmeter.published.format import Claim, ClaimKind, Product, Quotient, Waves
from machmeter.published.load import claim_names, machine_names, published_claims


def claim(**fields: object) -> Claim:
    return Claim("c", "s", ClaimKind.QUANTITATIVE, "text", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", machine_names())
def test_every_claim_of_a_study_stands_on_one_side(name: str) -> None:
    for found in claims_about(name):
        assert name in found.study.machines
        told = sorted(one.claim.id for one in (*found.own, *found.others))
        assert told == sorted(one.id for one in found.study.claims)
        for one in found.own:
            assert any(ref.startswith(f"{name}/") for ref in references_of(one.claim))
        for one in found.others:
            assert not any(ref.startswith(f"{name}/") for ref in references_of(one.claim))


def test_each_study_is_told_on_the_pages_of_its_machines() -> None:
    for study in map(published_claims, claim_names()):
        for machine in study.machines:
            assert study.id in [found.study.id for found in claims_about(machine)]
    assert claims_about("unheard-of") == ()


def test_a_claim_names_what_its_formulas_take_and_what_it_contradicts() -> None:
    formulas = (
        Quotient({"a/x": 1.0}, {"b/y": 1.0}),
        Product(("a/x", "a/z"), ("b/w",)),
        Waves(8, 2, 4, "a/serial", {"1": "a/one"}),
    )
    found = references_of(claim(formulas=formulas, contradicts=("b/y", "b/v")))
    assert found == ("a/x", "b/y", "a/z", "b/w", "a/serial", "a/one", "b/v")
    assert references_of(claim()) == ()
