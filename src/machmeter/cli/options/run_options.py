"""From the options of `machmeter run` to a request."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from machmeter.launch.hosts import Hosts
from machmeter.model.errors import UsageError
from machmeter.model.layout import Binding, ProgressMode, WaitPolicy
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.units import parse_bytes

if TYPE_CHECKING:
    from machmeter.model.results.run import Request

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
_WAIT_POLICIES = {policy.value: policy for policy in WaitPolicy}
_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(s|m|min|h)?$")
_UNIT_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class RunOptions(Struct, frozen=True):
    """The options of `machmeter run` as written; None where the default is meant."""

    names: tuple[str, ...]
    settings: tuple[str, ...]
    precision: str
    budget: str | None
    min_launches: int
    max_launches: int
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
    hosts: Hosts = Hosts()
    progress: str = ""
    flags: str = ""


def options_of(params: Mapping[str, Any], hosts: Hosts) -> RunOptions:
    """The options of a command line, by the names of its parameters.

    hosts: as `cli.options.hosts.hosts_of` makes them.
    """
    values = {name: params[name] for name in RunOptions.__struct_fields__ if name in params}
    several = {name: tuple(params[name] or ()) for name in ("names", "settings", "mpi")}
    return RunOptions(**{**values, **several, "hosts": hosts})


def request_of(options: RunOptions) -> Request:
    """What the options request. Raises UsageError for a value without meaning."""
    from machmeter.api.requests import request

    return request(
        *options.names,
        settings=parse_settings(options.settings),
        layout=_layout(options),
        precision=parse_share("--precision", options.precision),
        budget_seconds=parse_seconds(options.budget) if options.budget else None,
        min_launches=options.min_launches,
        max_launches=options.max_launches,
        mpi=tuple(word for text in options.mpi for word in _words(text)),
        compiler=options.compiler,
        flags=options.flags,
    )


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


def parse_share(option: str, text: str) -> float:
    """A share such as `2%` or `0.02`. Raises UsageError outside 0.01 % to 50 %."""
    stripped = text.strip()
    try:
        value = float(stripped.rstrip("%").strip()) / (100 if stripped.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0.0001 <= value <= 0.5:
        raise UsageError(f"{option} {text!r} is not between 0.01% and 50%", "write 2% or 0.02")
    return value


def _layout(options: RunOptions) -> LayoutOptions:
    return LayoutOptions(
        rank_counts=_counts("--ranks", options.ranks),
        nodes=_counts("--nodes", options.nodes),
        hosts=options.hosts.names,
        agent=options.hosts.agent,
        by_slurm=options.hosts.by_slurm,
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
