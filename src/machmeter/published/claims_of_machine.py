"""What the studies claim about one machine, by the figures that each claim names."""

from __future__ import annotations

from msgspec import Struct

from machmeter.published.format import Claim, Claims, Formula, Powers, Waves
from machmeter.published.load import claim_names, published_claims
from machmeter.published.verdicts import JudgedClaim, judge_claims


class StudyClaims(Struct, frozen=True):
    """One study's claims, by their relation to one machine."""

    study: Claims
    """The study."""
    own: tuple[JudgedClaim, ...]
    """Those that rest on a figure of the machine, or contradict one."""
    others: tuple[JudgedClaim, ...]
    """Those that rest on figures of other machines alone, or on none."""


def claims_about(machine: str) -> tuple[StudyClaims, ...]:
    """The claims of every study that is about the published machine with that id.

    Raises MachmeterError for a formula that names what is not there.
    """
    studies = (published_claims(name) for name in claim_names())
    return tuple(_standing_to(machine, study) for study in studies if machine in study.machines)


def references_of(claim: Claim) -> tuple[str, ...]:
    """The figures that a claim names, each once: those of its formulas, then those contradicted."""
    named = (name for formula in claim.formulas for name in _named(formula))
    return tuple(dict.fromkeys((*named, *claim.contradicts)))


def _standing_to(machine: str, study: Claims) -> StudyClaims:
    judged = judge_claims(study)
    own = tuple(one for one in judged if _names(one.claim, machine))
    return StudyClaims(study, own, tuple(one for one in judged if one not in own))


def _names(claim: Claim, machine: str) -> bool:
    return any(name.partition("/")[0] == machine for name in references_of(claim))


def _named(formula: Formula) -> tuple[str, ...]:
    if isinstance(formula, Waves):
        return (formula.serial, *formula.seconds.values())
    if isinstance(formula, Powers):
        return tuple(formula.of)
    return (*formula.over, *formula.under)
