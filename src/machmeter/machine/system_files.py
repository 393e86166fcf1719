"""Reading the small text files in which Linux describes itself; any of them may be missing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

MOST_CPUS = 65536
_MOST_CHARACTERS = 8 * 2**20
_MOST_DIGITS = 19
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6})(?::(\d{1,6})/(\d{1,6}))?)?")
_SIZE = re.compile(r"(\d{1,15})\s*([KMG]?)B?", re.IGNORECASE)
_FACTORS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def read_text(path: Path) -> str:
    """The stripped start (8 MiB at most) of a file; empty when it is missing or unreadable."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_CHARACTERS).strip("\0 \t\n")
    except (OSError, ValueError):
        return ""


def is_count(word: str) -> bool:
    """Whether a word is a whole number of at most 64 bits: nothing can be computed from others."""
    return word.isdecimal() and len(word) <= _MOST_DIGITS


def read_int(path: Path, default: int = -1) -> int:
    """The number in a file, or `default` when there is none of at most 64 bits."""
    text = read_text(path)
    return int(text) if is_count(text.removeprefix("-")) else default


def read_size(path: Path) -> int:
    """A size such as `32K` in bytes; 0 when there is none."""
    found = _SIZE.fullmatch(read_text(path))
    return int(found.group(1)) * _FACTORS[found.group(2).upper()] if found else 0


def read_cpu_list(path: Path) -> tuple[int, ...] | None:
    """The CPUs named in a file such as `/sys/devices/system/cpu/online`; None when missing."""
    if not path.is_file():
        return None
    try:
        return parse_cpu_list(read_text(path))
    except ValueError:
        return None


def parse_cpu_list(text: str) -> tuple[int, ...]:
    """`0-3,8,16-30:2/4` as sorted numbers (the list format of Linux' cpuset(7)).

    Raises ValueError when the text is no such list or names a CPU of 65,536 or above.
    """
    numbers: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _RANGE.fullmatch(part)
        if not found:
            raise ValueError(f"{part!r} in {text[:80]!r} is not a CPU or a range such as 0-3")
        first, last = int(found.group(1)), int(found.group(2) or found.group(1))
        if last < first or last >= MOST_CPUS:
            raise ValueError(f"{part!r} is not an ascending range of CPUs below {MOST_CPUS}")
        used, group = int(found.group(3) or 1), int(found.group(4) or 1)
        if not 0 < used <= group:
            raise ValueError(f"{part!r} does not use 1 or more CPUs of each group")
        numbers.update(cpu for cpu in range(first, last + 1) if (cpu - first) % group < used)
    return tuple(sorted(numbers))


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Numbers as `0-3,8`, what `parse_cpu_list` reads."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def numbered(folder: Path, prefix: str) -> dict[int, Path]:
    """Entries `<prefix><number>` of a folder by number, ascending; empty when it is missing."""
    entries = {}
    try:
        for path in folder.iterdir():
            digits = path.name.removeprefix(prefix)
            if path.name.startswith(prefix) and digits.isdecimal() and len(digits) < 6:
                entries[int(digits)] = path
    except OSError:
        return {}
    return dict(sorted(entries.items()))


def key_values(text: str, separator: str = ":") -> dict[str, str]:
    """Lines `key<separator> value`; of a repeated key the first value counts."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, found, value = line.partition(separator)
        if found:
            values.setdefault(key.strip(), value.strip())
    return values


def selected_word(text: str) -> str:
    """Of `always [madvise] never` the word in brackets; the text itself when it has none."""
    found = re.search(r"\[([^\]]*)\]", text)
    return found.group(1) if found else text
