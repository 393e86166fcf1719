"""Limits that control groups set to this process (kernel documentation, cgroup-v1, cgroup-v2), and
that of its addresses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from machmeter.machine.system_files import (
    MOST_CPUS,
    is_count,
    key_values,
    parse_cpu_list,
    read_cpu_list,
    read_int,
    read_text,
)

_UNLIMITED_V1 = 2**60
# Beyond `memory.high` the kernel throttles and swaps: what is measured then is that.
_MEMORY_LIMITS = ("memory.max", "memory.high", "memory.limit_in_bytes")


# Addresses that a program of MPI takes for itself.
_OF_LIBRARIES = 256 * 2**20


class Limits(Struct, frozen=True):
    """What control groups allow."""

    cpus: tuple[int, ...] | None = None
    """Allowed CPUs; None: all."""
    memory_bytes: int = 0
    """Memory limit, bytes (0: none)."""
    cpu_quota: float = 0.0
    """CPU time, in CPUs (0: all)."""
    throttled_periods: int = 0
    """How often the quota has stopped this group so far."""
    memory_left_bytes: int | None = None
    """What may be allocated before a limit is reached, bytes; None: no limit."""
    memory_source: str = ""
    """The file that sets the memory limit; empty: no limit."""
    memory_domains: tuple[int, ...] | None = None
    """NUMA domains that memory may be allocated of; None: all."""


class _MemoryLimit(Struct, frozen=True):
    limit: int
    left: int
    file: str


def read_limits(root: Path = Path("/")) -> Limits:
    """The tightest limits from this process's groups up to the top of what is visible, v1 and v2.

    A container often shows its own group as the top while /proc names the host's path; then the
    top itself is read.
    """
    cpus: set[int] | None = None
    domains = _mems_allowed(root)
    memory = _address_space(root)
    quotas: list[float] = []
    throttled = 0
    for folder in _folders(root):
        found = read_cpu_list(folder / "cpuset.cpus.effective") or read_cpu_list(
            folder / "cpuset.effective_cpus"
        )
        if found:
            cpus = set(found) if cpus is None else cpus & set(found)
        mems = read_cpu_list(folder / "cpuset.mems.effective") or read_cpu_list(
            folder / "cpuset.effective_mems"
        )
        if mems:
            domains = set(mems) if domains is None else domains & set(mems)
        memory += _memory(folder)
        quotas += _quota(folder)
        throttled = max(throttled, _throttled(folder))
    tightest = min(memory, key=lambda one: one.limit, default=None)
    return Limits(
        None if cpus is None else tuple(sorted(cpus)),
        tightest.limit if tightest else 0,
        min(quotas, default=0.0),
        throttled,
        min((one.left for one in memory), default=None),
        tightest.file if tightest else "",
        None if domains is None else tuple(sorted(domains)),
    )


def _folders(root: Path) -> Iterator[Path]:
    """Group folders, from the innermost to the mount's top, of every hierarchy."""
    mount = root / "sys/fs/cgroup"
    for line in read_text(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        parts = PurePosixPath(group).parts[1:]
        names = (controllers, *controllers.split(",")) if controllers else ("", "unified")
        for name in dict.fromkeys(names):
            top = mount / name
            if not _is_folder(top) or name.startswith("name="):
                continue
            inner = () if ".." in parts or not _is_folder(top.joinpath(*parts)) else parts
            for depth in range(len(inner), -1, -1):
                yield top.joinpath(*inner[:depth])


def _is_folder(path: Path) -> bool:
    """No for what is no folder's name."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _address_space(root: Path) -> list[_MemoryLimit]:
    """What one process may map (setrlimit(2), RLIMIT_AS), which its program and libraries share
    with its data."""
    limits = key_values(read_text(root / "proc/self/limits").replace("Max address space", "as:"))
    words = limits.get("as", "").split()
    if not words or not is_count(words[0]):
        return []
    limit = int(words[0])
    return [_MemoryLimit(limit, max(limit - _OF_LIBRARIES, 0), "ulimit -v")]


def _mems_allowed(root: Path) -> set[int] | None:
    """NUMA domains in this process's status, as a list or as words of 32 bits; None: not known."""
    status = key_values(read_text(root / "proc/self/status"))
    words = status.get("Mems_allowed", "").split(",")
    try:
        if "Mems_allowed_list" in status:
            return set(parse_cpu_list(status["Mems_allowed_list"])) or None
        if len(words) > MOST_CPUS // 32:
            return None
        bits = int("".join(f"{int(word, 16):08x}" for word in words), 16)
    except ValueError:
        return None
    return {bit for bit in range(bits.bit_length()) if bits >> bit & 1} or None


def _memory(folder: Path) -> list[_MemoryLimit]:
    limits = {name: read_int(folder / name) for name in _MEMORY_LIMITS}
    return [
        _MemoryLimit(limit, max(limit - _held(folder), 0), name)
        for name, limit in limits.items()
        if 0 < limit < _UNLIMITED_V1
    ]


def _held(folder: Path) -> int:
    """Bytes that a group uses and the kernel would not drop before refusing more.

    File pages are dropped first, those used lately too (`active_file`): a program that read its
    input twice would otherwise have no memory left. The kernel counts `MemAvailable` so
    (si_mem_available in mm/page_alloc.c).
    """
    used = max(read_int(folder / "memory.current"), read_int(folder / "memory.usage_in_bytes"))
    facts = _facts(folder / "memory.stat")
    # Version 1 counts groups inside this one only in what is called `total_`.
    of_files = (
        facts.get(f"total_{name}", facts.get(name, 0)) for name in ("inactive_file", "active_file")
    )
    return max(used - sum(of_files), 0)


def _quota(folder: Path) -> list[float]:
    words = read_text(folder / "cpu.max").split()
    if len(words) == 2 and all(map(is_count, words)) and int(words[1]):
        return [int(words[0]) / int(words[1])]
    quota = read_int(folder / "cpu.cfs_quota_us")
    period = read_int(folder / "cpu.cfs_period_us")
    return [quota / period] if quota > 0 and period > 0 else []


def _throttled(folder: Path) -> int:
    return _facts(folder / "cpu.stat").get("nr_throttled", 0)


def _facts(path: Path) -> dict[str, int]:
    """Lines of a name and a whole number."""
    words = read_text(path).split()
    pairs = zip(words[::2], words[1::2], strict=False)
    return {name: int(value) for name, value in pairs if is_count(value)}
