"""In whose memory the messages of an OSU table are, as it prints it, or its launch line says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.importing.lines.labels import PlaceLabel
from machmeter.importing.lines.program_names import benchmark_of
from machmeter.importing.placement import start_before

BUFFERS = "buffers"
HOSTS, DEVICES = "HOST to HOST", "DEVICE to DEVICE"
_WORDS = {"H": "HOST", "D": "DEVICE", "M": "MANAGED", "MH": "MANAGED", "MD": "MANAGED"}


def buffers_before(labels: Sequence[PlaceLabel], line: int, title: str) -> str:
    """What the last two words of a start (`D D`) say of the buffers of a table that may be of
    devices, as other versions print it; line: of its head. Empty where nothing says it."""
    start = start_before(labels, line)
    if start is None or not _may_be_of_devices(title):
        return ""
    given = {
        tuple(_WORDS.get(word, "") for word in one.arguments[-2:])
        if benchmark_of(one.program)
        else ()
        for one in start.among or (start,)
    }
    (first, *others) = given
    return " to ".join(first) if not others and len(first) == 2 and all(first) else ""


def buffers_of(title: str, settings: Mapping[str, str]) -> str:
    """Of a table; empty where they are in memory of devices or hosts and it is not known which."""
    return settings.get(BUFFERS, "" if _may_be_of_devices(title) else HOSTS)


def _may_be_of_devices(title: str) -> bool:
    return any(mark in title for mark in ("-CUDA", "-ROCM", "-OPENACC", "-SYCL"))
