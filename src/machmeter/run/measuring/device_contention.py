"""Whether others or its own protection slowed the device of a launch, by the states before and
after its points. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from machmeter.model.plan.launch import Record
from machmeter.text.numbers import count_text

SLOWDOWNS = {
    "hw_slowdown": "hardware slowdown",
    "sw_thermal_slowdown": "thermal slowdown by the driver",
    "hw_thermal_slowdown": "thermal slowdown by the hardware",
    "hw_power_brake_slowdown": "power brake",
}
"""Clock event reasons that a healthy device under load does not have. The power cap is none of
them: it is how most devices choose their clock."""


def device_reasons(record: Record, *, among_others: bool = False) -> tuple[str, ...]:
    """Why what happened to its device keeps a launch from counting; empty where nothing did, or
    nothing is known. among_others: whether it counts whatever other processes did."""
    points = [one.device_state for one in record.points if one.device_state is not UNSET]
    others = [
        max(one.before.other_processes or 0, one.after.other_processes or 0) for one in points
    ]
    found = []
    if any(others) and not among_others:
        who = count_text(max(others), "other process", "other processes")
        found.append(f"{who} on the device at {_share(others)}")
    for reason, words in SLOWDOWNS.items():
        slowed = [
            reason in (*(one.before.clock_reasons or ()), *(one.after.clock_reasons or ()))
            for one in points
        ]
        if any(slowed):
            found.append(f"{words} of the device ({reason}) at {_share(slowed)}")
    return tuple(found)


def _share(at_points: Sequence[float]) -> str:
    return f"{sum(map(bool, at_points))} of {len(at_points)} points"
