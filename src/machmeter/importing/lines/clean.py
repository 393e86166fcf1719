"""Text without what launchers, logs, terminals and editors add to its lines."""

from __future__ import annotations

import codecs
import html
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
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
# What a test printed, in a report in JUnit's form.
_OUTPUT = re.compile(r"<(/?)system-(?:out|err)(?:\s[^<>]{0,200})?>")
_LITERAL, _LITERAL_END = "<![CDATA[", "]]>"
# Of GitLab's runner, with the number of a stream, and `+` where it goes on with its last line
# (docs.gitlab.com/runner/configuration/feature_flags, FF_TIMESTAMPS).
_OF_GITLAB = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ([0-9a-f]{2}[OE])([ +])")
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
    """The lines of a text without marks, colors, and the tags of ranks and times before them.

    Of a report in JUnit's form what the tests printed; what is escaped as in HTML is no more.
    """
    return without_tags(tagged_lines(content))


def tagged_lines(content: str) -> list[str]:
    """The lines of a text as `plain_lines` has them, but with their tags."""
    content = _printed(content)
    content = _ENDS.sub("\n", content).replace("\ufeff", "").replace("\xa0", " ")
    has_escapes = "\x1b" in content or "^[[" in content
    lines = (_ESCAPES.sub("", content) if has_escapes else content).split("\n")
    return _of_streams(lines) if any(map(_OF_GITLAB.match, lines)) else lines


def without_tags(lines: list[str]) -> list[str]:
    """The lines without what stands before the heads of tables and those below them."""
    shapes = _shapes(lines)
    return [_without(shapes, line) for line in lines] if shapes else lines


def begins_output(line: str) -> bool:
    """Whether the output of a test or tool begins in a line."""
    return bool(_HEAD.match(line.lstrip(" ")))


def _printed(content: str) -> str:
    """What was printed, without XML around it, and without entities where all of it has them."""
    is_markup = content.lstrip("\ufeff \t\r\n").startswith("<")
    if is_markup and _OUTPUT.search(content):
        return _in_report(content)
    # Raw characters stand beside entities only in a text that holds these.
    raw = () if is_markup else ("<", *('"' for entity in ("&quot;", "&#34;") if entity in content))
    if any(one in content for one in raw) or not _ENTITY.search(content):
        return content
    return html.unescape(content)


def _in_report(content: str) -> str:
    """The output in a report, on the lines where it stands."""
    kept: list[str] = []
    at, inside = 0, False
    for tag in _OUTPUT.finditer(content):
        part = content[at : tag.start()]
        kept.append(_without_markup(part) if inside else "\n" * max(part.count("\n"), bool(kept)))
        at, inside = tag.end(), not tag.group(1)
    rest = content[at:]
    return "".join((*kept, _without_markup(rest) if inside else "\n" * rest.count("\n")))


def _without_markup(output: str) -> str:
    """Text of XML: literal in CDATA, elsewhere escaped."""
    before, *literals = output.split(_LITERAL)
    parts = [html.unescape(before)]
    for one in literals:
        literal, _, after = one.partition(_LITERAL_END)
        parts += (literal, html.unescape(after))
    return "".join(parts)


def _of_streams(lines: Sequence[str]) -> list[str]:
    """The lines of a log of GitLab, each as its stream had it; what was a part of one is empty."""
    parts: list[list[str]] = []
    last: dict[str, list[str]] = {}
    for line in lines:
        tag = _OF_GITLAB.match(line)
        own = [line[tag.end() :] if tag else line]
        parts.append(own)
        if tag and tag.group(2) == "+" and tag.group(1) in last:
            last[tag.group(1)] += own
            parts[-1] = []
        elif tag:
            last[tag.group(1)] = own
    return ["".join(one) for one in parts]


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
