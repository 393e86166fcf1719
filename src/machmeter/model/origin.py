"""Whether a result was measured here, printed, read from another tool, or simulated."""

from __future__ import annotations

from enum import StrEnum


class Origin(StrEnum):
    """Where results come from."""

    MEASURED = "measured"
    PUBLISHED = "published"
    IMPORTED = "imported"
    SIMULATED = "simulated"

    @property
    def is_own(self) -> bool:
        """Whether machmeter made it, so that everything of it is stated."""
        return self in {Origin.MEASURED, Origin.SIMULATED}

    @property
    def is_quoted(self) -> bool:
        """Whether a source or a model states the value, so that it stands as it is and is not
        tested: there are no launches to test it by."""
        return self is not Origin.MEASURED
