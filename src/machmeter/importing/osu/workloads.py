"""Rows of OSU tables that are not machmeter's own, under the names of their tests."""

from __future__ import annotations

import re

from machmeter.importing.meaning import Meaning
from machmeter.importing.osu.columns import LATENCY, SLOWEST, TRANSMITTED, OsuRow
from machmeter.importing.placement import pair_layout, workload_layout
from machmeter.model.benchmark import Value

_COLUMNS = {
    LATENCY: ("us", "latency", "lower"),
    "Latency(us)": ("us", "latency", "lower"),
    SLOWEST: ("us", "latency of the slowest rank", "lower"),
    "Bandwidth (MB/s)": ("MB/s", "bandwidth", "higher"),
    "MB/s": ("MB/s", "bandwidth", "higher"),
    "Messages/s": ("msg/s", "message rate", "higher"),
    "Pure Comm.(us)": ("us", "pure communication", "lower"),
    "Overlap(%)": ("%", "overlap, never below 0", "higher"),
}
# Tests that refuse to run on any number of ranks but two.
_OF_TWO_RANKS = re.compile(
    r"OSU (One Sided|MPI(_|\S* (Latency|Bandwidth|Bi-Directional Bandwidth|Multi-threaded Latency"
    r"|Multi-process Latency)( Persistent)? Test$))"
)


def as_workload(printed: OsuRow) -> list[Meaning]:
    """Every known column under the name of the test: like is still compared with like."""
    name = re.sub(r"[^a-z0-9]+", "-", printed.title.lower().removesuffix(" test")).strip("-")
    name = re.sub(r"^osu-mpi-", "osu-", name)
    layout, ranks, note = _where(printed)
    settings: dict[str, Value] = {
        re.sub(r"[^a-z0-9]+", "_", key.lower()): int(said) if said.isdecimal() else said
        for key, said in printed.settings.items()
    }
    version = f"-v{printed.release[0]}" if printed.release else ""
    if TRANSMITTED in printed.row:
        settings["transmitted"] = int(printed.row[TRANSMITTED])
    return [
        Meaning(
            column=column,
            unit=unit,
            workload=f"{name}{version}"[:80],
            quantity=quantity,
            better=better,
            parameters=printed.sized(**settings, **ranks),
            layout=layout,
            note=note,
        )
        for column, (unit, quantity, better) in _COLUMNS.items()
        if column in printed.row
    ]


def _where(printed: OsuRow) -> tuple[dict[str, Value], dict[str, Value], str]:
    if _OF_TWO_RANKS.match(printed.title):
        layout, note = pair_layout(printed.place)
        return layout, {}, note
    return workload_layout(printed.place)
