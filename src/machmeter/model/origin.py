"""Whether a result was measured here, printed in a publication, or read from another tool."""

from __future__ import annotations

from enum import StrEnum


class Origin(StrEnum):
    """Where results come from."""

    MEASURED = "measured"
    PUBLISHED = "published"
    IMPORTED = "imported"

    @property
    def is_quoted(self) -> bool:
        """Whether a source states the value, so that it stands as printed and is not tested."""
        return self in {Origin.PUBLISHED, Origin.IMPORTED}
