"""What is shown of stored runs, noun by noun in every medium: the commands that show it."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path

from machmeter import __version__
from tests.support.golden.page_text import page_text
from tests.support.paths import DATA

GOLDEN = DATA / "golden"
PAGE = "page.html"

Commands = tuple[tuple[str, ...], ...]

_MEDIA = ("text", "markdown", "latex")


def _in_every_medium(*words: str) -> Commands:
    return tuple((*words, "--format", medium) for medium in _MEDIA)


STORED = ("plain", "other", "ab", "explored", "modes", "simulated")
"""Runs: of benchmarks on one machine, of some of them under another name, an A/B run, explorations
of layouts and of launch modes, and one on a twin."""

_ONE = ("--point", "kernel=triad", "--metric", "stream_bandwidth")

NOUNS: dict[str, Commands] = {
    "run": (
        ("show", "plain"),
        ("report", "plain", "-o", PAGE),
        ("report", "plain", "--brief", "-o", PAGE),
        *_in_every_medium("show", "explored", "--all"),
        ("export", "explored", "--format", "csv"),
    ),
    "ab": (("show", "ab"), ("report", "ab", "-o", PAGE)),
    "simulated": (("show", "simulated"), ("report", "simulated", "-o", PAGE)),
    "explored": (("show", "explored"), ("report", "explored", "-o", PAGE)),
    "modes": (("show", "modes"), ("report", "modes", "-o", PAGE)),
    "findings": _in_every_medium("findings", "plain", "--all"),
    "comparison": (
        ("compare", "plain", "other"),
        ("report", "plain", "other", "-o", PAGE),
        *_in_every_medium("compare", "explored", "modes", "--all"),
        ("compare", "plain", "murska"),
    ),
    "machine": (*_in_every_medium("show", "machine", "murska"), ("report", "comet", "-o", PAGE)),
    "normal": _in_every_medium("compare", "plain", "normal"),
    "history": (*_in_every_medium("history", *_ONE), ("history", *_ONE, "-o", PAGE)),
    "scaling": _in_every_medium("scaling", "plain", "--benchmark", "memory.stream", "--no-extra-p"),
    "runs": _in_every_medium("runs"),
    "scores": (
        *_in_every_medium("compare", "gordon", "comet", "--score", "spec"),
        ("report", "gordon", "comet", "--score", "spec", "-o", PAGE),
    ),
    "twin": (("twin", "show", "louhi"), ("reproduce", "murska")),
}


def unpack(home: Path) -> None:
    """Put the stored runs among those of a home."""
    for archive in sorted((GOLDEN / "stored").glob("*.tar.xz")):
        with tarfile.open(archive) as file:
            file.extractall(home / "runs", filter="data")


def masked(text: str, home: Path) -> str:
    """Text without what differs from checkout to checkout."""
    text = text.replace(str(home.resolve()), "HOME").replace(str(home), "HOME")
    text = re.sub(r"\b[0-9a-f]{16,64}\b", "DIGEST", text)
    text = text.replace(f"machmeter {__version__}", "machmeter VERSION")
    return "\n".join(line.rstrip() for line in text.splitlines())


def shown(words: tuple[str, ...], out: str, page: Path, home: Path) -> str:
    """What a command showed: what it printed, or the text of the page that it wrote."""
    text = page_text(page.read_text()) if PAGE in words else out
    return f"$ machmeter {' '.join(words)}\n{masked(text, home)}\n"
