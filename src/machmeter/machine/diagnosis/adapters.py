"""Checks of network adapters: whether a slot holds one back, or another link is faster."""

from __future__ import annotations

from machmeter.machine.diagnosis.limits import good
from machmeter.model.machine import Diagnosis, Machine, Severity
from machmeter.text.hardware.adapters import adapter_text, held_back_text
from machmeter.text.plain import capitalized

_WHAT = "network adapters"


def diagnose_adapters(machine: Machine) -> list[Diagnosis]:
    """One diagnosis of all adapters, and one for each that is held back or slower than others."""
    if not machine.adapters:
        return [
            good(_WHAT, "The system shows the rate and the slot of none, as in virtual machines.")
        ]
    every = "; ".join(map(adapter_text, machine.adapters))
    found = [good(_WHAT, f"{every}.")]
    for one in machine.adapters:
        text, remedy = held_back_text(one)
        if text:
            limits = one.is_limited_by_slot
            end = "" if limits else ", which is enough for its link"
            severity = Severity.WARNING if limits and one.up else Severity.NOTE
            found.append(Diagnosis(_WHAT, severity, f"{text}{end}.", f"{capitalized(remedy)}."))
        most = (
            max(
                other.bits_per_second
                for other in machine.adapters
                if other.up and (other is one or other.network == one.network)
            )
            if one.up
            else 0.0
        )
        if 0 < one.bits_per_second < most:
            found.append(
                Diagnosis(
                    _WHAT,
                    Severity.NOTE,
                    f"{one.name} runs at {one.bits_per_second / 1e9:g} Gbit/s, another port of "
                    f"{one.network} here at {most / 1e9:g}.",
                    "If both should be the same, look at its cable and at the port of its switch.",
                )
            )
    return found
