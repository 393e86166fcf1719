"""Integers of files: JSON and TOML have no end of them, and what is computed with them has."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.model.written.places import joined

_LEAST, _LARGEST = -(2**63), 2**64 - 1


def beyond_64_bits(value: object, place: str = "") -> Iterator[str]:
    """The places, within a decoded document, of integers that need more than 64 bits."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from beyond_64_bits(one, joined(place, str(key)))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from beyond_64_bits(one, f"{place}[{index}]")
    elif isinstance(value, int) and not _LEAST <= value <= _LARGEST:
        yield place
