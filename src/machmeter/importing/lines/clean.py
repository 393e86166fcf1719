"""Text without what launchers, logs, terminals and editors add to its lines."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16, whose mark is the beginning of this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,5}[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)"
    r"|[ -/]{1,3}[0-~]|[0-~])|\^\[\[[\d;]{0,20}[mK]"
)
_ENDS = re.compile(r"\r+\n|\r|\x85|\u2028")
# The first words of what is read: what stands before them was added.
_HEAD = re.compile(
    r"# OSU (?:MPI|OpenSHMEM|One Sided|[NRxX]CCL|UPC)"
    r"|#\s{1,8}Intel ?\([RrMmTt]{1,4}\) MPI Benchmark|STREAM [Vv]ersion \$Revision"
    r"|Running OpenMP benchmark|Begin of Summary section\."
    r"|Test: \w{1,60}\s*$|[{\[]\s*$"
)
_TOKEN = re.compile(r"\w+|\s+|.")
_LONGEST_PREFIX = 160
_MOST_SHAPES = 4
_FOLLOWING = 4


def decoded(content: bytes) -> str | None:
    """The text of a file in UTF-8, UTF-16 or UTF-32; None where it is binary data.

    Bytes that are no UTF-8 become question marks.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    if b"\0" not in content:
        return content.decode("utf-8", errors="replace")
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        sample = content[:_SAMPLE][first::2]
        if sample.count(0) > 0.9 * len(sample):
            text = content.decode(encoding, errors="replace")
            return None if "\0" in text else text
    return None


def plain_lines(content: str) -> list[str]:
    """The lines of a text without marks, colors, and the tags of ranks and times before them."""
    content = _ENDS.sub("\n", content).replace("\ufeff", "").replace("\xa0", " ")
    has_escapes = "\x1b" in content or "^[[" in content
    lines = (_ESCAPES.sub("", content) if has_escapes else content).split("\n")
    shapes = _shapes(lines)
    return [_without(shapes, line) for line in lines] if shapes else lines


def _shapes(lines: Sequence[str]) -> list[re.Pattern[str]]:
    """What the prefixes before the heads of tables look like, where lines below have it too."""
    found: dict[str, re.Pattern[str]] = {}
    for number, line in enumerate(lines):
        head = _HEAD.search(line, 0, _LONGEST_PREFIX + 100)
        if not head or not _is_prefix(line[: head.start()], head.group()):
            continue
        shape = re.compile(_shape(line[: head.start()]))
        below = [one for one in lines[number + 1 : number + 1 + _FOLLOWING] if one]
        matching = sum(bool((found_in := shape.match(one)) and found_in.end()) for one in below)
        if below and 2 * matching > len(below):
            found[shape.pattern] = shape
        if len(found) == _MOST_SHAPES:
            break
    return list(found.values())


def _is_prefix(before: str, head: str) -> bool:
    """Whether what stands before a head may be a tag: no word of a sentence, nor a name in JSON."""
    if not before or len(before) > _LONGEST_PREFIX:
        return False
    if before == " " and head.startswith("STREAM"):
        # So it is printed in Fortran.
        return False
    if head.strip() in ("{", "["):
        return bool(before.strip()) and '"' not in before
    return not before.strip() or bool(re.search(r"[^A-Za-z\s]", before))


def _shape(prefix: str) -> str:
    """A pattern of prefixes like this one, whose numbers and words are others."""
    core = prefix.rstrip()
    end = prefix[len(core) :]
    # What is printed in Fortran begins with a space of its own, but for its rows.
    after = f" {{0,{len(end)}}}" if end.strip(" ") == "" else f"(?:{re.escape(end)}|\\s*$)"
    return "".join(_patterns(_TOKEN.findall(core))) + after


def _patterns(tokens: Sequence[str]) -> Iterator[str]:
    for at, token in enumerate(tokens):
        if token.isspace():
            words = (
                0 < at < len(tokens) - 1 and _is_word(tokens[at - 1]) and _is_word(tokens[at + 1])
            )
            yield r"\s{1,40}" if words else r"\s{0,40}"
        elif not _is_word(token):
            yield re.escape(token)
        else:
            # Numbers are padded to one width.
            pad = r"\s{0,8}" if at == 0 else ""
            yield pad + (r"\d{1,30}" if token.isdecimal() else r"\w{1,60}")


def _is_word(token: str) -> bool:
    return bool(re.match(r"\w", token))


def _without(shapes: Sequence[re.Pattern[str]], line: str) -> str:
    """The line without the first prefix that it has."""
    found = next((match for shape in shapes if (match := shape.match(line))), None)
    return line[found.end() :] if found else line
