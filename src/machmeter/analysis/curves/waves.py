"""The wave model: how fast independent units of work can be at best on domains with few slots.

After the estimate in Schmidl et al., "How to scale nested OpenMP applications on the ScaleMP vSMP
architecture" (IEEE Cluster 2010), for SHEMAT-Suite: 320 derivatives on 13 boards of 8 cores are
three waves of 104 and one of 8, which gets a board each.
"""

from __future__ import annotations

from collections.abc import Mapping

Bounds = tuple[float, float]


def wave_time(units: int, domains: int, slots: int, slot_seconds: Mapping[int, float]) -> float:
    """Seconds that `units` equal units take on `domains` domains with `slots` slots each.

    slot_seconds: `slot_seconds[j]` is the time of j units at once on one domain, seconds, for
    j = `slots` and as many smaller j as are known. Waves fill every slot as long as units are
    left for all; the rest is dealt out evenly, and each domain does its share in the cheapest way
    that the known times allow, in one wave or in several: 3 units may take the time of 4 at once
    or three times that of 1.

    Raises ValueError for counts below 1, when slot_seconds lacks `slots`, and when it holds a time
    that is not above 0 or a number of units outside 1..`slots`.
    """
    _check(units, domains, slots, slot_seconds)
    full_waves, rest = divmod(units, domains * slots)
    share = -(-rest // domains)
    cheapest = [0.0]
    for left in range(1, share + 1):
        cheapest.append(
            min(time + cheapest[max(left - count, 0)] for count, time in slot_seconds.items())
        )
    return full_waves * slot_seconds[slots] + cheapest[share]


def wave_speedup(
    serial_seconds: float,
    units: int,
    domains: int,
    slots: int,
    slot_seconds: Mapping[int, float],
) -> float:
    """Largest speedup over `serial_seconds`, the time of all units one after another on one core.

    Raises ValueError as `wave_time` does, and when serial_seconds is not above 0.
    """
    if not serial_seconds > 0:
        raise ValueError(f"the serial time must be above 0 seconds, not {serial_seconds}")
    return serial_seconds / wave_time(units, domains, slots, slot_seconds)


def wave_speedup_interval(
    serial_seconds: Bounds,
    units: int,
    domains: int,
    slots: int,
    slot_seconds: Mapping[int, Bounds],
) -> Bounds:
    """Ends (low, high) of the speedup when all times are given as such ends, seconds.

    The speedup rises with the serial time and falls with every other, so that its ends are at
    theirs. Were all times 95 % intervals, this one holds the truth at least when they all do.

    Raises ValueError as `wave_speedup` does.
    """
    shortest = {count: low for count, (low, _) in slot_seconds.items()}
    longest = {count: high for count, (_, high) in slot_seconds.items()}
    return (
        wave_speedup(serial_seconds[0], units, domains, slots, longest),
        wave_speedup(serial_seconds[1], units, domains, slots, shortest),
    )


def _check(units: int, domains: int, slots: int, slot_seconds: Mapping[int, float]) -> None:
    if min(units, domains, slots) < 1:
        raise ValueError(
            f"units, domains and slots must be at least 1, not {units}, {domains} and {slots}"
        )
    if slots not in slot_seconds:
        raise ValueError(f"the time of {slots} units at once on one domain is needed")
    for count, seconds in slot_seconds.items():
        if not 1 <= count <= slots or not seconds > 0:
            raise ValueError(
                f"{count} units in {seconds} seconds: units at once must be within 1..{slots}, "
                "their time above 0"
            )
