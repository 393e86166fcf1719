"""One row of an OSU table, and its columns of latency by name."""

from __future__ import annotations

import re

from msgspec import Struct

from machmeter.importing.osu.buffers import DEVICES, buffers_of
from machmeter.importing.readings import Place
from machmeter.model.benchmark import Value

LATENCY = "Avg Latency(us)"
SLOWEST = "Max Latency(us)"
TRANSMITTED = "Transmit Size"
DATATYPE = "Datatype"


class OsuRow(Struct, frozen=True):
    """One row of an OSU table with what its head says: size in bytes, columns by name."""

    title: str
    """Of the table."""
    version: str
    """Of OSU; empty where it is not printed, as of what was compiled by hand."""
    settings: dict[str, str]
    """As printed above the table, by name."""
    place: Place
    """Where it ran."""
    size: int | None
    """Bytes of a message."""
    row: dict[str, str]
    """Text by column."""

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers; none where it is not printed."""
        return tuple(int(part) for part in self.version.split(".") if part)

    def is_since(self, *release: int) -> bool | None:
        """Whether it is that version or a later one; None where its version is not printed."""
        return self.release >= release if self.release else None

    @property
    def test(self) -> str:
        """What it measures: the title without library, kind of devices and `Test`."""
        title = re.sub(r"^OSU MPI(-CUDA|-ROCM|-OPENACC|-SYCL)?[ _]?", "", self.title)
        return title.removesuffix(" Test").strip()

    @property
    def buffers(self) -> str:
        """In whose memory they are, as it is printed; empty where it is not known."""
        return buffers_of(self.title, self.settings)

    @property
    def on_devices(self) -> bool:
        """Whether both of its buffers are in memory of devices."""
        return self.buffers == DEVICES

    @property
    def is_of_bytes(self) -> bool:
        """Whether its messages are contiguous bytes: -D and -T make them other datatypes."""
        of_char = self.settings.get(DATATYPE, "MPI_CHAR") == "MPI_CHAR"
        return of_char and TRANSMITTED not in self.row

    @property
    def latency_column(self) -> str:
        """The column of the latency, which older versions name otherwise."""
        return LATENCY if LATENCY in self.row else "Latency(us)"

    def sized(self, **others: Value) -> dict[str, Value]:
        """The parameters with the size."""
        return others if self.size is None else {"size": self.size, **others}
