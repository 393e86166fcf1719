"""A column of another tool's table in machmeter's words."""

from __future__ import annotations

import msgspec

from machmeter.importing.readings import Described, ForeignResult


class Meaning(Described, frozen=True, kw_only=True):
    """A column of a row, and what the result in it is."""

    column: str
    """Name of the column."""

    def result(
        self, value: float, decimals: int, group: str, line: int, flag: str
    ) -> ForeignResult:
        """The result with its value."""
        described = msgspec.structs.asdict(self)
        del described["column"]
        return ForeignResult(
            values=(value,), decimals=decimals, group=group, line=line, flag=flag, **described
        )
