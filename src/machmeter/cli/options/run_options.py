"""From the options of `machmeter run` to what a run is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from machmeter.build.compiler import parse_flags
from machmeter.launch.hosts import is_host_name
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding, ProgressMode, WaitPolicy
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.results.run import Precision, Request
from machmeter.model.text import readable
from machmeter.model.units import parse_bytes
from machmeter.studies.select import select

Choice = TypeVar("Choice")
_BINDINGS = {
    "close": Binding.CLOSE,
    "spread": Binding.SPREAD,
    "outer": Binding.OUTER,
    "none": Binding.NONE,
}
_PROGRESS = {
    "library": ProgressMode.LIBRARY,
    "thread": ProgressMode.THREAD,
    "reserved": ProgressMode.RESERVED,
}
DEFAULT_MPI = "mpich"
_MOST_HOSTS = 100_000
_WAIT_POLICIES = {policy.value: policy for policy in WaitPolicy}
_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(s|m|min|h)?$")
_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class RunOptions(Struct, frozen=True):
    """The options of `machmeter run` as written; None where the default is meant."""

    names: tuple[str, ...]
    settings: tuple[str, ...]
    precision: str
    budget: str | None
    least: int
    most: int
    mpi: tuple[str, ...]
    compiler: str
    ranks: str
    threads: str
    smt: int
    binding: str
    pages: str
    wait: str
    reserve: int
    oversubscribe: bool
    openmp: str = ""
    allocator: str = ""
    nodes: str = ""
    hosts: tuple[str, ...] = ()
    agent: str = ""
    by_slurm: bool = False
    progress: str = ""
    flags: str = ""


def asked_for(options: RunOptions) -> Request:
    """What the options ask for. Raises UsageError for a value without meaning."""
    free = (*options.names, *options.settings, *options.mpi, options.compiler, options.agent)
    free = (*free, options.flags)
    for text in (*free, *options.hosts):
        check_text(text)
    study = select(options.names, parse_settings(options.settings))
    mpis = _mpis(options.mpi) or study.mpis or (DEFAULT_MPI,)
    return Request(
        names=options.names or ("quick",),
        study=study,
        layout_options=_wish(options, mpis),
        precision=_precision(options, study.budget_seconds),
        mpi=",".join(mpis),
        compiler=options.compiler,
        flags=parse_flags(options.flags),
    )


def check_text(text: str) -> str:
    """The text as it is. Raises UsageError for one that no file of a run can hold."""
    if readable(text) != text:
        raise UsageError(f"{text!a} is not UTF-8 text", "write it in UTF-8")
    return text


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUES` options by name. Raises UsageError where `=` or the name is missing, or
    a name is given twice.
    """
    settings = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not (equals and name.strip()):
            raise UsageError(
                f"--set {text!r} is not NAME=VALUE,...", "for example --set size=8,1KiB"
            )
        if name.strip() in settings:
            raise UsageError(
                f"--set {name.strip()} is given twice",
                f"write all its values at once: --set {name.strip()}=VALUE,VALUE",
            )
        settings[name.strip()] = values
    return settings


def parse_seconds(text: str) -> float:
    """A duration such as `90`, `90s`, `2min` in seconds. Raises UsageError for anything else."""
    found = _DURATION.match(text.strip())
    seconds = float(found.group(1)) * _UNIT_SECONDS[found.group(2) or ""] if found else 0.0
    if not 1 <= seconds <= 86400:
        raise UsageError(f"--budget {text!r} is no time from 1s to 24h", "write 90s, 5min or 1h")
    return seconds


def parse_share(text: str) -> float:
    """A precision such as `2%` or `0.02` as a share. Raises UsageError outside 0.01 % to 50 %."""
    stripped = text.strip()
    try:
        value = float(stripped.rstrip("%").strip()) / (100 if stripped.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0.0001 <= value <= 0.5:
        raise UsageError(f"--precision {text!r} is not within 0.01% and 50%", "write 2% or 0.02")
    return value


def _precision(options: RunOptions, study_seconds: float) -> Precision:
    if not 2 <= options.least <= options.most <= 100_000:
        raise UsageError(
            f"launches from {options.least} to {options.most} make no sense",
            "--least must be at least 2 and not above --most",
        )
    return Precision(
        half_width=parse_share(options.precision),
        least_launches=options.least,
        most_launches=options.most,
        budget_seconds=parse_seconds(options.budget) if options.budget else study_seconds,
    )


def parse_hosts(text: str) -> tuple[str, ...]:
    """Host names between commas, this machine's first. Raises UsageError for what is no name, or
    for one that is there twice.
    """
    names = [word for part in text.split(",") if (word := part.strip())]
    for name in names:
        if not is_host_name(name):
            raise UsageError(f"--hosts: {name!r} is no host name", "write node1,node2")
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice or len(names) > _MOST_HOSTS:
        what = f"{twice} is named twice" if twice else f"more than {_MOST_HOSTS} names"
        raise UsageError(f"--hosts: {what}", "name every host once")
    return tuple(names)


def _mpis(texts: Sequence[str]) -> tuple[str, ...]:
    """Each MPI once, in order; an option may hold several between commas."""
    return tuple(dict.fromkeys(word for text in texts for word in _words(text)))


def _wish(options: RunOptions, mpis: tuple[str, ...]) -> LayoutOptions:
    if not 1 <= options.smt <= 1_000_000:
        raise UsageError(f"--smt {options.smt} makes no sense", "--smt takes a number from 1 on")
    if options.agent and not options.hosts:
        raise UsageError("--agent starts ranks on other hosts, and none is named", "add --hosts")
    if options.reserve < 0:
        raise UsageError("--reserve cannot be negative")
    return LayoutOptions(
        rank_counts=_counts("--ranks", options.ranks),
        nodes=_counts("--nodes", options.nodes),
        hosts=options.hosts,
        agent=options.agent,
        by_slurm=options.by_slurm,
        mpis=mpis if len(mpis) > 1 else (),
        progress=_choices("--progress", options.progress, _PROGRESS),
        threads=_counts("--threads", options.threads),
        smt=options.smt,
        reserved_cores=options.reserve,
        bindings=_choices("--binding", options.binding, _BINDINGS),
        page_bytes=_pages(options.pages),
        wait_policies=_choices("--wait", options.wait, _WAIT_POLICIES),
        oversubscribe=options.oversubscribe,
        openmp=_words(options.openmp),
        allocators=_words(options.allocator),
    )


def _words(text: str) -> tuple[str, ...]:
    """The words between commas, each once, in order."""
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def _choices(option: str, text: str, known: Mapping[str, Choice]) -> tuple[Choice, ...]:
    for word in _words(text):
        if word not in known:
            raise UsageError(
                f"{option} cannot be {word!r}",
                f"choose of {', '.join(known)}; several stand between commas",
            )
    return tuple(known[word] for word in _words(text))


def _counts(option: str, text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    # Python converts no more than some thousand digits.
    if any(not (word.isdecimal() and len(word) < 8 and int(word) >= 1) for word in words):
        raise UsageError(f"{option} {text!r} is no list of numbers from 1 on", "write 1,2,4")
    return tuple(dict.fromkeys(int(word) for word in words))


def _pages(text: str) -> tuple[int, ...]:
    try:
        words = (word for word in text.split(",") if word.strip())
        sizes = tuple(dict.fromkeys(parse_bytes(word) for word in words))
    except ValueError as error:
        raise UsageError(f"--pages {text!r}: {error}", "write 4KiB, 2MiB or 4KiB,2MiB") from error
    for size in sizes:
        if size < 4096 or size > 2**30 or size & (size - 1):
            raise UsageError(f"--pages: no machine has pages of {size} bytes", "write 4KiB or 2MiB")
    return sizes
