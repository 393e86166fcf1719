"""Which published figures their own study contradicts: computed from claims, never written down."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType

from machmeter.model.errors import MachmeterError
from machmeter.published.format import PublishedMachine
from machmeter.published.formulas import published_numbers
from machmeter.published.load import claim_names, published_claims, published_machine
from machmeter.published.verdicts import (
    ClaimVerdict,
    JudgedClaim,
    computed_text,
    judge_claims,
    printed_range,
)


@cache
def published_flags() -> MappingProxyType[str, str]:
    """Briefly, what is wrong with a figure, by `machine/figure`, for all that are flagged.

    Raises MachmeterError for a claim that names a figure that is not there.
    """
    found: dict[str, list[str]] = {}
    for study in claim_names():
        claims = published_claims(study)
        there = _flaggable([published_machine(name) for name in claims.machines])
        for judged in judge_claims(claims):
            for reference in judged.claim.contradicts:
                if reference not in there:
                    raise MachmeterError(
                        f"claim {judged.claim.id} contradicts {reference!r}, which is not there",
                        "correct its reference",
                    )
                if judged.verdict is ClaimVerdict.CONTRADICTED:
                    found.setdefault(reference, []).append(_flag(judged))
    return MappingProxyType({name: "; ".join(said) for name, said in found.items()})


def flags_of(machine: str) -> dict[str, str]:
    """The flags of one machine, by the figure's id in it. Raises as `published_flags` does."""
    start = f"{machine}/"
    return {
        name.removeprefix(start): said
        for name, said in published_flags().items()
        if name.startswith(start)
    }


def _flaggable(machines: Sequence[PublishedMachine]) -> set[str]:
    parts = (f"{machine.id}/parts.{name}" for machine in machines for name in machine.parts)
    return {*published_numbers(machines), *parts}


def _flag(judged: JudgedClaim) -> str:
    """Which claim of the source the figure contradicts, and by what numbers."""
    claim = judged.claim
    numbers = f"{computed_text(judged)} against {printed_range(claim)}"
    said = f"its source claims “{claim.text}”, which its own figures contradict"
    return f"{said}: {numbers} ({claim.id})"
