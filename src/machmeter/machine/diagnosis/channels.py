"""Whether all channels of memory are used, and used equally."""

from __future__ import annotations

from machmeter.machine.diagnosis.limits import good
from machmeter.model.machine import Diagnosis, Machine, Severity
from machmeter.text.hardware.memory import channels_text
from machmeter.text.numbers import count_text

_WHAT = "memory channels"


def diagnose_channels(machine: Machine) -> Diagnosis:
    """What is seen of them, beside what processors of this generation have.

    Never more than a note: where a channel is counted differs between servers.
    """
    channels, processor = machine.channels, machine.processor
    if not channels.count:
        return good(_WHAT, "The system shows none, as in virtual machines and without EDAC.")
    seen = channels_text(channels)
    packages = len({cpu.package for cpu in machine.topology.cpus})
    able = processor.channels * packages if processor else 0
    if processor and channels.count < able:
        have = count_text(processor.channels, "channel", "channels")
        return Diagnosis(
            _WHAT,
            Severity.NOTE,
            f"{seen}: fewer than the {able} of {packages} package(s) of {processor.generation} "
            f"with {have} each.",
            "Look whether DIMMs are missing; where only some controllers are shown, none may be.",
        )
    if channels.unequal:
        return Diagnosis(
            _WHAT,
            Severity.NOTE,
            f"{seen}: some hold more memory than others, so that not all of it is spread over all "
            "of them.",
            "Put the same DIMMs into every channel.",
        )
    return good(_WHAT, f"{seen}.")
