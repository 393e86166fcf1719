"""Bytes of a file, damaged at random: by a fault, an editor, or somebody who means it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

LARGEST = 2**20
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_QUOTED = re.compile(rb'"[^"\n]{0,200}"')
_NUMBERS = (
    *(b"-1", b"0", b"1e308", b"-1e-308", b"1e999", b"nan", b"inf", b"-inf", b"0x10", b"1,5"),
    *(b"9" * 18, b"9" * 19, b"18446744073709551616", b"9" * 400, b"9" * 5000, b"1" + b"0" * 40),
    *(b"0.000001", b"65535", b"65536", b"1000000", b"9223372036854775807", b"-9223372036854775809"),
    *("²".encode(), "٣".encode(), b"1e", b"--", b"****", b"1_000", b"0-65535", b"true"),
)
_WORDS = (
    *(b"", b"#", b"{", b"}", b"[]", b"{}", b"null", b"true", b'"', b"'", b"=", b"\\", b"%s", b"$("),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xe2\x80\xa8", b"\xc2\x85"),
    *(b"\0", b"\r", b"\x1b[31m", b"\x1b]0;", b"\xef\xbb\xbf", b"../../etc/passwd", b"a.b.c.d"),
    *(b"&lt;", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"(?:a*)*$"),
)
_NESTED = (
    b"[",
    b"{",
    b'{"a":',
    b"<object>",
    b"<object type='Core'>",
    b"(",
    b"a.",
    b'[["',
    b"a = [",
)
Mutation = Callable[[bytes, random.Random], bytes]


def mutated(content: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """One to five of the kinds of damage, one after the other; at most a MiB comes of it."""
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        if chance.random() < 0.05:
            content = _spliced(content, chance.choice(others), chance)
        else:
            content = chance.choice(_KINDS)(content, chance)[:LARGEST]
    return content


def _span(content: bytes, chance: random.Random) -> tuple[int, int]:
    begin = chance.randrange(len(content) + 1)
    return begin, min(begin + chance.choice((1, 4, 20, 300)), len(content))


def _bits_flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 2, 8, 64)) if content else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _without_beginning(content: bytes, chance: random.Random) -> bytes:
    return content[chance.randrange(len(content) + 1) :]


def _span_removed(content: bytes, chance: random.Random) -> bytes:
    begin, end = _span(content, chance)
    return content[:begin] + content[end:]


def _span_repeated(content: bytes, chance: random.Random) -> bytes:
    begin, end = _span(content, chance)
    return content[:end] + content[begin:end] * chance.choice((1, 3, 100, 2000)) + content[end:]


def _word_inserted(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice((*_WORDS, *_NUMBERS)) + content[at:]


def _one_replaced(pattern: re.Pattern[bytes], words: Sequence[bytes]) -> Mutation:
    def replaced(content: bytes, chance: random.Random) -> bytes:
        found = list(pattern.finditer(content))
        if not found:
            return content
        begin, end = chance.choice(found).span()
        return content[:begin] + chance.choice(words) + content[end:]

    return replaced


def _number_copied(content: bytes, chance: random.Random) -> bytes:
    """One that is sound in its form, in the place of another."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    (begin, end), other = chance.choice(found).span(), chance.choice(found).group()
    return content[:begin] + other + content[end:]


def _on_lines(change: Callable[[list[bytes], random.Random], None]) -> Mutation:
    def changed(content: bytes, chance: random.Random) -> bytes:
        lines = content.split(b"\n")
        change(lines, chance)
        return b"\n".join(lines)

    return changed


def _line_repeated(lines: list[bytes], chance: random.Random) -> None:
    line = chance.choice(lines)
    at = chance.randrange(len(lines) + 1)
    lines[at:at] = [line] * chance.choice((1, 2, 50, 3000))


def _lines_swapped(lines: list[bytes], chance: random.Random) -> None:
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def _line_removed(lines: list[bytes], chance: random.Random) -> None:
    del lines[chance.randrange(len(lines))]


def _lines_shuffled(lines: list[bytes], chance: random.Random) -> None:
    chance.shuffle(lines)


def _block_repeated(lines: list[bytes], chance: random.Random) -> None:
    begin = chance.randrange(len(lines))
    block = lines[begin : begin + chance.choice((2, 5, 30, 400))]
    at = chance.randrange(len(lines) + 1)
    lines[at:at] = block * chance.choice((1, 2, 20))


def _words_left_out(lines: list[bytes], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    lines[at] = b" ".join(word for word in lines[at].split() if chance.random() < 0.8)


def _long_line(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    one = chance.choice((b"a", b" ", b"\t", b"9", b"1 ", b"a=", b"-n 1 ", b'"', b"\\", b".", b"["))
    return content[:at] + one * chance.choice((100, 5000, 100_000)) + content[at:]


def _nested(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    opened = chance.choice(_NESTED) * chance.choice((10, 200, 2000, 60_000))
    return content[:at] + opened + content[at:]


def _nested_value(content: bytes, chance: random.Random) -> bytes:
    """Deep, and closed again: sound in its form."""
    found = list(_NUMBER.finditer(content)) or list(_QUOTED.finditer(content))
    if not found:
        return content
    begin, end = chance.choice(found).span()
    depth = chance.choice((1, 60, 900, 20_000))
    value = chance.choice((b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    return content[:begin] + value + content[end:]


def _in_other_encoding(content: bytes, chance: random.Random) -> bytes:
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7"))
    return content.decode("utf-8", errors="replace").encode(encoding)


def _with_other_ends(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", chance.choice((b"\r", b"\r\n", b"\r\r\n", b"\n\n", b"\0", b" ")))


def _prefixed(content: bytes, chance: random.Random) -> bytes:
    prefix = chance.choice((b"0: ", b"[1,0]<stdout>:", b"> ", b"2025-03-04T09:12:44Z ", b"\x1b[1m"))
    return b"\n".join(prefix + line for line in content.split(b"\n"))


def _spliced(content: bytes, other: bytes, chance: random.Random) -> bytes:
    return _cut(content, chance) + _without_beginning(other, chance)


_KINDS: tuple[Mutation, ...] = (
    *(_bits_flipped, _cut, _without_beginning, _span_removed, _span_repeated, _word_inserted),
    *(_one_replaced(_NUMBER, _NUMBERS),) * 5,
    *(
        _one_replaced(
            _QUOTED, (b'""', b"null", b"[]", b"{}", b"7", b'"\\ud800"', b'"\xff"', b"NaN")
        ),
    )
    * 2,
    *(_number_copied,) * 3,
    *map(_on_lines, (_line_repeated, _lines_swapped, _line_removed, _block_repeated)),
    *map(_on_lines, (_lines_shuffled, _words_left_out)),
    *(_long_line, _nested, _nested_value, _in_other_encoding, _with_other_ends, _prefixed),
)
