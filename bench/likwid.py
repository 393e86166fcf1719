"""likwid-bench: which of its loops this machine can run, and a launch of one loop."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from bench.ours import OurPrograms
from bench.parsers import parse_likwid, parse_likwid_loop, parse_likwid_names
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.build.process import run_tool
from machmeter.model.errors import MachineLacksError
from machmeter.model.layout import Layout

# Arrays that STREAM would count for a loop of this family.
STREAM_ARRAYS = {"stream": 3, "triad": 4, "copy": 2, "update": 2, "load": 1, "store": 1}
_NAME = re.compile(r"^([a-z]+)(_mem)?(?:_(sse|avx|avx512))?(_fma)?$")
_NEEDS = {"sse": "sse2", "avx": "avx", "avx512": "avx512f"}
_WIDTHS = ("", "sse", "avx", "avx512")


def knows_loops_of(features: Collection[str]) -> bool:
    """Whether the loops for such a CPU are known: x86 only (every 64-bit one has SSE2)."""
    return "sse2" in features


def runnable_loops(
    names: Sequence[str], features: Collection[str], families: Collection[str]
) -> tuple[str, ...]:
    """Double precision loops of `families` whose instructions the CPU has."""
    kept = []
    for name in names:
        match = _NAME.match(name)
        if not match or match.group(1) not in families:
            continue
        width, fma = match.group(3), match.group(4)
        if (width is None or _NEEDS[width] in features) and (fma is None or "fma" in features):
            kept.append(name)
    return tuple(kept)


def widest(names: Sequence[str]) -> tuple[str, ...]:
    """The loops of `names` with the widest vectors."""
    widths = [_WIDTHS.index(m.group(3) or "") if (m := _NAME.match(n)) else 0 for n in names]
    most = max(widths, default=0)
    return tuple(name for name, width in zip(names, widths, strict=True) if width == most)


def same_loop(names: Sequence[str]) -> str:
    """The plain triad with temporal stores and the widest vectors, fused where there is one.

    Empty where there is none.
    """
    plain = [n for n in names if n.startswith("stream") and "_mem" not in n]
    candidates = widest(plain)
    fused = [name for name in candidates if name.endswith("_fma")]
    return (fused or list(candidates) or [""])[0]


class LikwidBench:
    """likwid-bench at `path`, its arrays of `array_bytes` each, `sweeps` sweeps a launch."""

    def __init__(
        self, path: str, peers: PeerPrograms, ours: OurPrograms, array_bytes: int, sweeps: int
    ) -> None:
        self._path = path
        self._peers = peers
        self._ours = ours
        self._array_bytes = array_bytes
        self._sweeps = sweeps

    def names(self) -> tuple[str, ...]:
        """Every loop it lists. Raises ContenderError or ValueError where it lists none."""
        try:
            listed = run_tool(
                (self._path, "-a"), doing="listing the loops of likwid-bench", remedy="", timeout=60
            )
        except MachineLacksError as error:
            raise ContenderError(error.message) from error
        return parse_likwid_names(listed)

    def contender(self, loop: str, threads: int) -> Contender:
        """One launch of `loop`: `mean` is its rate in STREAM bytes per second.

        Each thread first touches its own part. Raises ContenderError or ValueError where
        likwid-bench does not describe the loop.
        """
        about = parse_likwid_loop(self._peers.run_unbound((self._path, "-l", loop)))
        family = loop.split("_", 1)[0]
        # likwid counts what its loop loads and stores; some loops of some versions count wrongly.
        factor = STREAM_ARRAYS[family] * 8 / about.bytes_per_element
        kilobytes = about.arrays * self._array_bytes // 1000
        work = f"N:{kilobytes}kB:{threads}"
        command = (self._path, "-t", loop, "-W", work, "-i", str(self._sweeps))
        (assigned,) = self._ours.assignment(Layout(threads_per_rank=threads)).cpus
        cpus = {cpu for thread in assigned for cpu in thread}

        def start(_round: int) -> dict[str, float]:
            run = parse_likwid(self._peers.run_unbound(command))
            if set(run.cpus) != cpus:
                raise ContenderError(
                    f"likwid-bench ran on CPUs {sorted(set(run.cpus))}, machmeter on {sorted(cpus)}"
                )
            return {"mean": run.rate * factor}

        return Contender(f"likwid {loop}, {threads}", start)
