"""A named set of codes that one score is made of."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class CodeSet(Struct, frozen=True, forbid_unknown_fields=True):
    """Which codes, and of which version: scores of unlike sets are not comparable."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    """What `machmeter run` calls it."""
    version: Annotated[int, Meta(ge=1, le=10_000)]
    """Raised when a code is added, left out or replaced by another one."""
    codes: Annotated[dict[str, int], Meta(min_length=1, max_length=100)]
    """By benchmark the version of each code, which is raised when its work or its checks change."""

    @property
    def title(self) -> str:
        """`codes, version 1`."""
        return f"{self.name}, version {self.version}"
