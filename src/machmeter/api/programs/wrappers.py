"""What stands before a program on a command line: launchers, wrappers, interpreters. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

from machmeter.model.errors import UsageError

_LAUNCHERS = re.compile(
    r"(mpiexec|mpirun)(\.\S+|_rsh|_mpt|-\S+)?|orterun|prun|prterun|oshrun|shmemrun|srun|aprun|jsrun|lrun|ibrun"
    r"|flux|poe|ccc_mprun|pjrun|runjob"
)
# They start the rest of their words as they stand.
_TRANSPARENT = re.compile(
    r"env|nice|ionice|chrt|taskset|numactl|time|timeout|stdbuf|setsid|nohup|perf|hyperfine"
    r"|strace|ltrace|valgrind|likwid-\S+|setarch|linux64|prlimit|systemd-run|sudo"
)
# They start, or are, something that their own file says nothing of.
_OPAQUE = re.compile(
    r"apptainer|singularity|docker|podman|shifter|sarus|enroot|ch-run|pyxis|conda|mamba|micromamba|uv"
    r"|(ba|da|z|k|tc|c|fi)?sh|busybox|java|scala|node|deno|bun|julia|Rscript|R|perl|ruby|lua|luajit"
    r"|octave(-cli)?|matlab|mono|dotnet|ghc|racket|guile|erl|python[0-9.]*|pypy[0-9.]*|ipython[0-9.]*"
    r"|spark-submit|hadoop|ld-linux\S*|qemu-\S+|wine"
)
_COUNT = re.compile(r"[1-9]\d{0,6}")
_COUNTING = ("-n", "-np", "--np", "--ntasks", "-c")


def is_wrapper(word: str) -> bool:
    """Whether what runs is not the program that a word names, but what it starts or interprets: of
    its threads nothing is known by its own libraries."""
    name = PurePath(word).name
    return any(one.fullmatch(name) for one in (_TRANSPARENT, _OPAQUE))


def refuse_launcher(words: Sequence[str]) -> None:
    """Raise UsageError where the words start ranks by themselves: placing them is for machmeter."""
    before = 0
    while before < len(words) and not _LAUNCHERS.fullmatch(PurePath(words[before]).name):
        # Options and values of what only starts the rest.
        if before == 0 and not _TRANSPARENT.fullmatch(PurePath(words[0]).name):
            return
        before += 1
    if before == len(words):
        return
    name, counts = words[before], _counts(words[before + 1 :])
    ranks = f"--ranks {counts[0]} " if counts else "--ranks 1,2,4 "
    mpi = f"--mpi {shlex.quote(str(PurePath(name).parent.parent))} " if "/" in name else ""
    raise UsageError(
        f"{PurePath(name).name} starts ranks, and where these run is for machmeter to decide",
        f"name the program without it: machmeter explore {ranks}{mpi}-- PROGRAM [ARGUMENT]...",
    )


def _counts(words: Sequence[str]) -> list[str]:
    pairs = pairwise(words)
    return [value for word, value in pairs if word in _COUNTING and _COUNT.fullmatch(value)]
