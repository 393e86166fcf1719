"""Which claims of a study follow from the figures it prints."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from machmeter.published.format import Claim, Claims
from machmeter.published.formulas import (
    Lookup,
    PublishedNumber,
    evaluate,
    finder,
    half_unit,
    published_numbers,
)
from machmeter.published.load import published_machine

_MOST_VALUES = 4
_WHOLE_FROM = 10_000


class ClaimVerdict(StrEnum):
    """What arithmetic says of a claim."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted by its own arithmetic"
    UNDECIDABLE = "not decidable from what was printed"


class JudgedClaim(Struct, frozen=True):
    """A claim, what arithmetic says of it, and the values computed, in the claim's unit."""

    claim: Claim
    """The claim."""
    verdict: ClaimVerdict
    """What arithmetic shows."""
    computed: tuple[float, ...] = ()
    """Values of its formulas, in order."""

    @property
    def text(self) -> str:
        """The verdict with the values that it rests on: `contradicted ...: 451, not 100 to 200`."""
        if not self.computed:
            return self.verdict.value
        values = ", ".join(f"{value:.4g}" for value in self.computed)
        joined = "for" if self.verdict is ClaimVerdict.REPRODUCED else "and not"
        return f"{self.verdict.value}: {values} {joined} {printed_range(self.claim)}".strip()


def judge_claims(claims: Claims) -> tuple[JudgedClaim, ...]:
    """Every claim with its verdict, computed from the figures of the study's machines.

    A claim is reproduced where each of its formulas can take a printed value within the rounding
    of all figures, contradicted where one cannot, and not decidable where it has no formula.
    Raises MachmeterError for a formula that names what is not there.
    """
    figures = published_numbers(published_machine(name) for name in claims.machines)
    return tuple(judge(claim, finder(figures)) for claim in claims.claims)


def judge(claim: Claim, lookup: Lookup) -> JudgedClaim:
    """One claim with its verdict. Raises MachmeterError as `judge_claims` does."""
    if not claim.formulas or (claim.least is None and claim.most is None):
        return JudgedClaim(claim, ClaimVerdict.UNDECIDABLE)
    values = [evaluate(formula, lookup) for formula in claim.formulas]
    agrees = all(_within(claim, value) for value in values)
    return JudgedClaim(
        claim,
        ClaimVerdict.REPRODUCED if agrees else ClaimVerdict.CONTRADICTED,
        tuple(value.value for value in values),
    )


def _within(claim: Claim, known: PublishedNumber) -> bool:
    """Whether a value can be within what is printed, when both are rounded."""
    rounding = half_unit(claim.decimals)
    # What a decimal number loses in binary must not decide.
    slack = 1e-9 * abs(known.value)
    above = claim.least is None or known.high >= claim.least - rounding - slack
    below = claim.most is None or known.low <= claim.most + rounding + slack
    return above and below


def printed_range(claim: Claim) -> str:
    """What a claim says in numbers, with its unit: `at least 15 x`, `15 to 20 x`."""
    least, most = claim.least, claim.most
    if least is None:
        said = f"at most {most:g}"
    elif most is None:
        said = f"at least {least:g}"
    else:
        said = f"{least:g}" if least == most else f"{least:g} to {most:g}"
    return f"{said}{' ' * (claim.unit != 'x')}{claim.unit}".strip()


def computed_text(judged: JudgedClaim) -> str:
    """`451.5`, or of many values their ends; without the unit. Empty where none is computed."""
    values = judged.computed
    if len(values) > _MOST_VALUES:
        return f"{_number(min(values))} to {_number(max(values))} ({len(values)} values)"
    return ", ".join(map(_number, values))


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= _WHOLE_FROM else f"{value:.4g}"
