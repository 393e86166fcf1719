"""The texts of one case of a finding."""

from __future__ import annotations

from msgspec import Struct

INCONCLUSIVE = "inconclusive"


class CaseWords(Struct, frozen=True):
    """What came out of one case."""

    name: str
    """The outcome; the same for cases that came out the same."""
    numbers: str = ""
    """The numbers behind it."""
    advice: str = ""
    """What to do."""
    evidence: str = ""
    """The results compared."""
    details: tuple[str, ...] = ()
    """Further results, one a line."""
    setting: str = ""
    """What the compared results share: `triad, 64 MiB, 2 threads`."""

    @property
    def answer(self) -> str:
        """The outcome and its numbers."""
        return ", ".join(part for part in (self.name, self.numbers) if part)

    @property
    def sentence(self) -> str:
        """The outcome, and what to do behind the last colon."""
        return f"{self.answer}: {self.advice}" if self.advice else self.answer
