"""What is kept under a tool's own names, by reason."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

_MOST_TESTS = 12


class Kept(Struct, frozen=True):
    """A test whose results are kept under its tool's own names, and why so."""

    tool: str
    """Its name."""
    test: str
    """The test."""
    why: str
    """Why it is not machmeter's own."""


def grouped_by_reason(kept: Iterable[Kept]) -> list[str]:
    """One remark a tool and reason, with its tests; of many the first twelve."""
    tests: dict[tuple[str, str], dict[str, None]] = {}
    for one in kept:
        tests.setdefault((one.tool, one.why), {})[one.test] = None
    return [
        f"kept under {tool}'s own names, {why}: {_listed(list(names))}"
        for (tool, why), names in tests.items()
    ]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_TESTS} more" if len(names) > _MOST_TESTS else ""
    return ", ".join(names[:_MOST_TESTS]) + more
