"""Names of benchmarks among the words of a launch: no images of containers, no folders."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SUITE = re.compile(r"(osu|imb|hpcc|xhpl|stream|xhpcg)(?![a-z])", re.IGNORECASE)
_PROGRAM = re.compile(
    r"(?:(?:stream|hpcc|xhpl|xhpcg)(?![a-z])[\w.+-]{0,40}(?<=\w)"
    r"|osu_\w{1,40}|IMB-\w[\w-]{0,20}|(?:sync|sched|array|task)bench[\w.]{0,20}|likwid-bench)"
    r"(?<!\.c)(?<!\.f)(?<!\.o)(?<!\.cc|\.sh)(?<!\.cpp|\.f90|\.txt|\.out|\.log|\.csv|\.dat)(?<!\.json)"
    r"(?<!\.sif|\.img|\.tar)(?<!\.simg|\.sqsh|\.sqfs)(?<!\.squashfs)"
)
_IMAGE = re.compile(r"\.(?:sif|simg|img|sqsh|sqfs|squashfs|tar)$|:")


def benchmark_of(program: str) -> str:
    """`osu`, `imb` or another suite by the name of a program; empty where it is of none."""
    found = _SUITE.match(program.rsplit("/", 1)[-1])
    return found.group(1).lower() if found else ""


def is_program(word: str) -> bool:
    """Whether a word is a benchmark as such are named, with or without its folder."""
    return bool(_PROGRAM.fullmatch(word.rsplit("/", 1)[-1]))


def program_at(words: Sequence[str]) -> int:
    """Which of the words of a launch is its program: a benchmark behind wrappers, or the first."""
    named = next((at for at, word in enumerate(words) if is_program(word)), None)
    if named is not None:
        return named
    return next(
        (at for at, word in enumerate(words) if benchmark_of(word) and not _IMAGE.search(word)), 0
    )
