"""The private dialect that the vocabulary retired stays retired, in texts and in identifiers.

Texts: all Markdown documents, strings and docstrings of Python, published files, templates, and
messages of the native programs. A phrase is refused in its context; common words stay usable.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import re2

from tests.support.paths import ROOT


class RetiredPhrase(NamedTuple):
    """A phrase that is refused, what to write instead, and one example of each."""

    pattern: str
    instead: str
    bad: str
    good: str


PHRASES = (
    RetiredPhrase(
        r"\btold\b",
        "reported, stated, distinguished",
        "guided (not told apart from balanced)",
        "guided (tied with balanced)",
    ),
    RetiredPhrase(
        r"\btell(?:s|ing)? (?:apart|from|of|that|which|what|how|whether|where|why|the|its|it)\b",
        "show, report, distinguish",
        "the exit code does not tell which one failed",
        "the exit code does not show which one failed",
    ),
    RetiredPhrase(
        r"\b(?:lies?|lay|lying) (?:in|inside|within|outside|between|below|above|beyond|on|at|apart"
        r"|near|nearest|near each other|together|across|behind|where|elsewhere)\b",
        "is in, is within; contiguous; memory level",
        "the interval lies within 2 %, the working set lies in L2",
        "the interval is within 2 %, the working set is in L2; how ranks lay out data",
    ),
    RetiredPhrase(r"\bbesides\b", "also, other than", "besides the mean", "other than the mean"),
    RetiredPhrase(
        r"\b(?:set|sets|setting|put|stands?|standing|stood)"
        r"(?: \w+){0,3} beside\b"
        r"|\bbeside (?:another|other|one another|each other|its peers?|a run|the first|the run)\b",
        "compare with, versus",
        "Set machines beside the first one",
        "Compare machines with a baseline; headers are beside the kernel",
    ),
    RetiredPhrase(
        r"\bto mind\b|\bmind (?:when|that)\b|^mind\b",
        "caveats",
        "4 things to mind",
        "4 caveats",
    ),
    RetiredPhrase(r"\bdistrust\b", "data quality", "What to distrust", "Data quality"),
    RetiredPhrase(
        r"\bnot (?:be )?resolved\b|\bunresolved\b",
        "inconclusive; for an overhead: below resolution",
        "the difference is not resolved",
        "the difference is inconclusive, the overhead is below resolution",
    ),
    RetiredPhrase(
        r"\bwould change (?:it|that|the answer)\b",
        "sensitivity: would change if",
        "What would change it",
        "Would change if the true ratio were below 1.02",
    ),
    RetiredPhrase(
        r"\blook(?:s|ed|ing)? after\b",
        "maintain, service",
        "Look after the index over the runs",
        "Manage the run index",
    ),
    RetiredPhrase(
        r"\b(?:comes?|came|coming) to the same\b",
        "equivalent placement",
        "layouts that come to the same",
        "equivalent placements",
    ),
    RetiredPhrase(
        r"\bin (?:the|its|their|his) (?:own )?words\b|\bin words\b",
        "as text, as printed",
        "the unit in the words of its source",
        "the unit as its source prints it",
    ),
    RetiredPhrase(r"\bspeed-ups?\b", "speedup", "its speed-up", "its speedup"),
    RetiredPhrase(r"\banew\b", "again, new", "compiled anew", "compiled again"),
    RetiredPhrase(
        r"\b(?:as|than|the|was|were|is|are|be|been|not|what|those|of|with|other) asked\b"
        r"|\basked (?:for|precision|±|\+-|one|ones|pages|layout|runtime)\b",
        "requested; target precision",
        "asked +-2 % not reached; more pages than asked",
        "target precision +-2 % not met; more pages than requested; who asked first",
    ),
    RetiredPhrase(
        r"\b(?:old|new|both|two|other|first|second) sides?\b|\bone side\b(?:[^ ]| [^o]| o[^f]|$)",
        "baseline and candidate; operands",
        "the new side's figures",
        "the candidate's results; side by side",
    ),
    RetiredPhrase(
        r"\bkept (?:programs?|binar(?:y|ies))\b|\boutdated\b",
        "cached binaries; stale",
        "kept programs are started again",
        "cached binaries are started again",
    ),
    RetiredPhrase(
        r"\balike\b|\blikeness\b",
        "identical, comparable",
        "Alike in name, and not compared",
        "Not comparable, and why; is likely",
    ),
    RetiredPhrase(
        r"\bcircumstances\b", "conditions, point label", "under other circumstances", "point label"
    ),
    RetiredPhrase(r"\bsittings?\b", "session", "over two sittings", "over two sessions"),
    RetiredPhrase(
        r"\b(?:measured|our|imported|primary|ours|run's|baseline's|candidate's) figures?\b"
        r"|\bfigures? (?:precise enough|measured)\b"
        r"|\bfigures? of (?:a|the|this|that|one|both|two) (?:runs?|launch|launches)\b",
        "result (a figure is what a paper prints or a page draws)",
        "0 of 122 figures precise enough",
        "0 of 122 results at target precision; figures of the paper",
    ),
    RetiredPhrase(
        r"\b(?:ranks|threads|processes|figures?|results?) meets?\b"
        r"|\bmeets? (?:a|in|again|before|each|the other|one another|what)\b",
        "match, wait in a barrier, intersect",
        "fewer imported figures meet a run's; the threads meet",
        "fewer imported results match a run's; the target is met",
    ),
    RetiredPhrase(
        r"\bgrounds\b|\bclearance\b", "evidence, margin", "the grounds of a finding", "the evidence"
    ),
    RetiredPhrase(r"\bwish(?:es|ed)?\b", "request", "the wish of the caller", "the request"),
    RetiredPhrase(
        r"\bknown (?:machines?|runs?)\b", "machine, run", "a known machine", "a published machine"
    ),
    RetiredPhrase(
        r"\bpairs? of places\b|\bbetween (?:any )?(?:two )?places\b|\bsurroundings\b",
        "pairs of CPUs, NUMA domains; build context",
        "pairs of places are parameters",
        "pairs of CPUs are parameters; OMP_PLACES",
    ),
    RetiredPhrase(
        r"\b(?:is|are|was|were|comes?|who is|stays?) (?:ahead|behind) (?:of|in|by|as)\b"
        r"|\b(?:ahead|behind), (?:as )?printed\b",
        "better, worse",
        "who is ahead in what; ahead, as printed",
        "which is better; 1.2x ahead of time",
    ),
    RetiredPhrase(
        r"\b(?:left|leaves?) (?:\w+ )?open\b",
        "unstated; inconclusive",
        "what the source leaves open",
        "what the source does not state; the epoch stays open",
    ),
    RetiredPhrase(
        r"\bmachine (?:itself )?(?:drifts|drifted)\b",
        "performance drifted",
        "the machine itself drifted",
        "performance drifted during the run",
    ),
    RetiredPhrase(r"\bsoonest\b", "lowest latency", "which call is soonest", "the lowest latency"),
    RetiredPhrase(
        r"\bpays? (?:when|off|here)\b|\bstops? paying\b|\bdo(?:es)? (?:\w+ ){1,3}pay\b",
        "improve",
        "Do huge pages pay when memory is swept?",
        "Do huge pages improve streaming bandwidth?",
    ),
    RetiredPhrase(
        r"\bat (?:this|the) spread\b", "at the current variance", "at this spread", "at this size"
    ),
    RetiredPhrase(
        r"\bof an even share\b",
        "parallel efficiency",
        "86 % of an even share",
        "even shares",
    ),
    RetiredPhrase(
        r"\bmany in flight\b", "windowed (64 outstanding)", "many in flight", "64 in flight"
    ),
    RetiredPhrase(
        r"\bturning order\b", "alternating order", "in turning order", "in alternating order"
    ),
    RetiredPhrase(r"\bdo it again\b", "Reproduce", "Do it again", "Reproduce"),
    RetiredPhrase(
        r"\beach lack\b|\bsomething lacks\b|\bwhat lacks\b",
        "missing prerequisite",
        "each lack with its remedy",
        "missing prerequisites with remedies; lacks memory",
    ),
    RetiredPhrase(
        r"\bhow (?:that|it) begins\b", "unique prefix", "its id or how that begins", "unique prefix"
    ),
    RetiredPhrase(
        r"\bneither holds the other\b",
        "the two intervals are independent",
        "Neither holds the other",
        "the two intervals are independent",
    ),
    RetiredPhrase(
        r"\bshould talk\b|\bare to proceed\b",
        "plain words",
        "Which socket should talk?",
        "Which socket has lower MPI latency?",
    ),
)

COMPILED = tuple((re.compile(p.pattern, re.IGNORECASE | re.MULTILINE), p.instead) for p in PHRASES)
# All of them in one pass, which most texts need alone: `re` would try each at every letter.
ANY_PHRASE = re2.compile(f"(?im){'|'.join(phrase.pattern for phrase in PHRASES)}")

# Parts of snake_case and CamelCase names.
NAME_PARTS = {
    "alike": "comparable",
    "asked": "request",
    "beside": "versus",
    "circumstances": "point label",
    "clearance": "margin",
    "grounds": "evidence",
    "likeness": "comparability",
    "outdated": "trust, stale",
    "sitting": "session",
    "surroundings": "BuildContext",
    "tell": "notify, warn",
    "told": "result, reported",
    "wish": "request",
}
NAMES = {
    "KnownFigure": "result",
    "KnownMachine": "machine",
    "Rest": "unpaired",
    "Sided": "baseline, candidate",
    "around": "context",
    "kept_programs": "cached binaries",
    "new_side": "candidate",
    "old_side": "baseline",
    "sided": "baseline, candidate",
}
WORD = re.compile(r"\w+")
CPP_NAMES = {"leads": "is_root", "meet": "barrier"}

LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
CPP_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
CPP_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TOML_TEXT = re.compile(r'^(?:title|section|text|note|summary) = "(.*)"$', re.MULTILINE)
TEMPLATE_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<[^>]*>", re.DOTALL)
CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Passage(NamedTuple):
    """A text that people read, and the line where it begins."""

    line: int
    text: str


def markdown(source: str) -> Iterator[Passage]:
    """A document by paragraphs, without the targets of its links."""
    line = 1
    for block in re.split(r"(\n\s*\n)", LINK_TARGET.sub("]", source)):
        if block.strip():
            yield Passage(line, " ".join(block.split()))
        line += block.count("\n")


def python(source: str) -> Iterator[Passage]:
    """Strings with a space in them, and docstrings; what an f-string inserts becomes {}."""
    nodes = list(ast.walk(ast.parse(source)))
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in node.values}
    found = [(node.lineno, "".join(map(_text_of, node.values))) for node in joined]
    found += [
        (node.lineno, _text_of(node))
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
    ]
    for line, text in sorted(found):
        if " " in text:
            yield Passage(line, " ".join(text.split()))


def _text_of(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def cpp(source: str) -> Iterator[Passage]:
    """String literals with a space in them, adjacent ones joined."""
    code = CPP_COMMENT.sub("", source)
    for match in CPP_STRINGS.finditer(code):
        text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group()))
        if " " in text:
            yield Passage(code.count("\n", 0, match.start()) + 1, text)


def toml(source: str) -> Iterator[Passage]:
    """Titles, texts and notes of a published study or machine."""
    for match in TOML_TEXT.finditer(source):
        yield Passage(source.count("\n", 0, match.start()) + 1, match.group(1))


def template(source: str) -> Iterator[Passage]:
    """A Jinja template without its code and tags."""
    text = TEMPLATE_CODE.sub(lambda m: "\n" * m.group().count("\n"), source)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield Passage(number, line.strip())


def reader_of(path: str) -> Callable[[str], Iterator[Passage]] | None:
    """What finds the texts of a file; None where it has none for people."""
    top, suffix = path.split("/", maxsplit=1)[0], Path(path).suffix
    if suffix == ".md" and top != "tests":
        return markdown
    if suffix == ".py" and top in {"src", "bench", "tools"}:
        return python
    if suffix in {".cpp", ".hpp"} and top == "native":
        return cpp
    return {".toml": toml, ".j2": template}.get(suffix) if top == "src" else None


def retired_phrases(text: str) -> list[str]:
    """What is refused in a text, with what to write instead."""
    if not ANY_PHRASE.search(text):
        return []
    return [
        f"{match.group()!r}: write {instead}"
        for pattern, instead in COMPILED
        for match in pattern.finditer(text)
    ]


@cache
def retired_name(name: str) -> str:
    """What to call an identifier instead; empty where it may stay."""
    parts = {part.lower() for part in CAMEL.findall(name)}
    return NAMES.get(name, "") or next((NAME_PARTS[part] for part in parts & NAME_PARTS.keys()), "")


def names_of(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of the identifiers of a Python file, if any may be refused."""
    if not any(map(retired_name, set(WORD.findall(source)))):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def files_with(*suffixes: str) -> Iterator[tuple[str, str]]:
    """Path and content of the files with these suffixes."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for path in listed.stdout.splitlines():
        if path.endswith(suffixes) and (ROOT / path).is_file():
            yield path, (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.bad)
def test_a_phrase_is_refused_in_its_bad_example_and_not_in_its_good_one(
    phrase: RetiredPhrase,
) -> None:
    refused = retired_phrases(phrase.bad)
    assert any(one.endswith(f": write {phrase.instead}") for one in refused)
    assert not re.search(phrase.pattern, phrase.good, re.IGNORECASE)


@pytest.mark.parametrize(
    ("read", "source"),
    [
        (markdown, "# A\n\nmore\nthan\nasked, [x](told.md)\n"),
        (python, 'x = 1\n\nprint(f"{x} more "\n      "than asked")\nkey = "told"\n'),
        (python, '"""A.\n\nMore than asked.\n"""\n'.replace("A.\n\n", "A more ")),
        (cpp, '// told\n\nrefuse("more than " // told\n       "asked");\nkey("told");\n'),
        (toml, 'id = "told"\n\ntext = "more than asked"\n'),
        (template, "{{ told }}\n\n<p told>more than asked</p>\n"),
    ],
    ids=["markdown", "f-string", "docstring", "cpp", "toml", "template"],
)
def test_texts_are_found_and_nothing_else(
    read: Callable[[str], Iterator[Passage]], source: str
) -> None:
    refused = [(p.line, phrase) for p in read(source) for phrase in retired_phrases(p.text)]
    assert [phrase for _, phrase in refused] == ["'than asked': write requested; target precision"]
    assert refused[0][0] in {1, 3}


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("told_apart", "result, reported"),
        ("LayoutLikeness", "comparability"),
        ("around", "context"),
        ("one_sided", ""),
        ("likely", ""),
        ("is_retold", ""),
    ],
)
def test_names_are_refused_by_their_parts(name: str, instead: str) -> None:
    assert retired_name(name) == instead


def test_no_text_uses_a_retired_phrase() -> None:
    found = [
        f"{path}:{passage.line}: {phrase}"
        for path, source in files_with(".md", ".py", ".cpp", ".hpp", ".toml", ".j2")
        if (read := reader_of(path))
        for passage in read(source)
        for phrase in retired_phrases(passage.text)
    ]
    assert not found, "\n".join(found)


def test_no_identifier_uses_a_retired_word() -> None:
    found = [
        f"{path}:{line}: {name}: write {instead}"
        for path, source in files_with(".py")
        if path.startswith(("src/", "bench/", "tools/"))
        for line, name in names_of(source)
        if (instead := retired_name(name))
    ]
    assert not found, "\n".join(found)


def test_no_native_identifier_uses_a_retired_word() -> None:
    found = [
        f"{path}: {name}: write {instead}"
        for path, source in files_with(".cpp", ".hpp")
        for name, instead in CPP_NAMES.items()
        if re.search(rf"\b{name}\b", CPP_STRINGS.sub("", CPP_COMMENT.sub("", source)))
    ]
    assert not found, "\n".join(found)
