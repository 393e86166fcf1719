"""CPU sets as hwloc writes them: 32-bit words in hexadecimal, the most significant first."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"(?:0x[0-9a-fA-F]{1,8})?")


def parse_bitmap(text: str, most: int) -> tuple[int, ...]:
    """`0x00000003,0x000000ff` as ascending numbers (0..7, 32, 33); an empty word is zero.

    Raises ValueError when the text is no bitmap, is endless (`0xf...f`) or holds `most` or above.
    """
    words = text.strip().split(",")
    if len(words) > most // 32 + 1:
        raise ValueError(f"a CPU set of {len(words)} words is beyond {most} CPUs")
    numbers: list[int] = []
    for index, word in enumerate(reversed(words)):
        if not _WORD.fullmatch(word):
            raise ValueError(f"{text[:40]!r} is not a finite CPU set such as 0x0000000f")
        bits = int(word, 16) if word else 0
        numbers += (32 * index + bit for bit in range(32) if bits >> bit & 1)
    if numbers and numbers[-1] >= most:
        raise ValueError(f"CPU {numbers[-1]} is beyond {most} CPUs")
    return tuple(numbers)


def format_bitmap(numbers: Iterable[int]) -> str:
    """Numbers as a bitmap that `parse_bitmap` and hwloc read."""
    whole = 0
    for number in numbers:
        whole |= 1 << number
    words = [f"0x{whole & 0xFFFFFFFF:08x}"]
    while whole := whole >> 32:
        words.append(f"0x{whole & 0xFFFFFFFF:08x}")
    return ",".join(reversed(words))
