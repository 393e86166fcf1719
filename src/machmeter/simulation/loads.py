"""How much of a simulated operation passes each kind of link, as the engine records it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from machmeter.model.twin import Twin, TwinTopology

_BEGIN, _END = "load_", "_links"


class KindLoad(Struct, frozen=True):
    """The load of the links of one kind."""

    kind: str
    """Its name in the record: x, up1, global."""
    links: int
    """How many there are, each way by itself."""
    mean_bytes: float
    """Bytes that a link passes, the mean of all."""
    most_bytes: float
    """That the most loaded one passes."""
    rate: float
    """Bytes per second of one link."""

    def busy(self, seconds: float) -> tuple[float, float]:
        """The shares of that time that a link passes bytes: the mean, and the most loaded one."""
        return self.mean_bytes / self.rate / seconds, self.most_bytes / self.rate / seconds


class PatternLoad(Struct, frozen=True):
    """The load of all kinds of links by one operation."""

    title: str
    """What it is: `all-to-all, 64 KiB, 256 ranks`."""
    seconds: float
    """Its simulated time."""
    kinds: tuple[KindLoad, ...]
    """Of each kind of link."""


def kinds_in(quantities: Mapping[str, float]) -> tuple[KindLoad, ...]:
    """Every kind of link that the record of a point states the load of."""
    names = [
        name.removeprefix(_BEGIN).removesuffix(_END)
        for name in quantities
        if name.startswith(_BEGIN) and name.endswith(_END)
    ]
    return tuple(
        KindLoad(
            kind=name,
            links=int(quantities[f"{_BEGIN}{name}{_END}"]),
            mean_bytes=quantities[f"{_BEGIN}{name}_mean_bytes"],
            most_bytes=quantities[f"{_BEGIN}{name}_most_bytes"],
            rate=quantities[f"{_BEGIN}{name}_rate"],
        )
        for name in names
    )


def kind_text(twin: Twin, kind: str) -> str:
    """What links of that kind join."""
    if twin.topology is TwinTopology.TORUS:
        return f"between routers along {kind}"
    if twin.topology is TwinTopology.FAT_TREE:
        return f"above switches of level {kind.removeprefix('up')}, one way together"
    return {
        "router": "local links of a router, one way together",
        "group": "local links of a group, all together",
    }.get(kind, "from one group to another, all together")
