"""A benchmark at one value of every parameter, under one layout."""

from __future__ import annotations

from msgspec import Struct

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout


class Point(Struct, frozen=True):
    """One thing a launch measures. `parameters` are sorted by name."""

    benchmark: str
    parameters: tuple[tuple[str, Value], ...]
    layout: Layout

    @property
    def key(self) -> str:
        """The point as one line, the same for the same point and no other."""
        return f"{self.benchmark} [{self.parameter_text}] ({self.layout.label()})"

    @property
    def parameter_text(self) -> str:
        """The parameters as the native programs read them: `kernel=triad,size=64`."""
        return ",".join(f"{name}={value}" for name, value in self.parameters)

    def get(self, name: str) -> Value:
        """The value of parameter `name`. Raises KeyError when the point has none."""
        for key, value in self.parameters:
            if key == name:
                return value
        raise KeyError(f"{self.benchmark} has no parameter {name!r}")


def make_point(benchmark: str, parameters: dict[str, Value], layout: Layout) -> Point:
    """A point with its parameters in canonical order."""
    return Point(benchmark, tuple(sorted(parameters.items())), layout)
