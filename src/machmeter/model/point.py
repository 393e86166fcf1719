"""A benchmark at one value of every parameter, under one layout, in one variant."""

from __future__ import annotations

from msgspec import UNSET, Struct
from msgspec.structs import asdict

from machmeter.model.benchmark import Value
from machmeter.model.layout import Layout
from machmeter.model.layout_fields import layout_label
from machmeter.model.variant import ONLY, Variant

# Groups of benchmarks, and one by its own name in a group of others, whose times are of a piece of
# work that all ranks and threads share.
_OF_WORK = frozenset({"apps", "codes", "proxies", "workload", "assembly"})


class Point(Struct, frozen=True):
    """One thing a launch measures."""

    benchmark: str
    """Its name in the catalogue."""
    parameters: tuple[tuple[str, Value], ...]
    """Every parameter with its value, sorted by name."""
    layout: Layout
    """Where ranks and threads go."""
    variant: Variant = ONLY
    """The MPI library and the build it is measured with."""

    @property
    def key(self) -> str:
        """The point as one line, the same for the same point and no other."""
        return f"{self.benchmark} [{self.parameter_text}] ({self.configuration_label})"

    @property
    def is_work(self) -> bool:
        """Whether it is a program's work, whose time is that of the whole: an application of any
        kind. Elsewhere a time is what one operation costs."""
        return not _OF_WORK.isdisjoint(self.benchmark.split("."))

    @property
    def configuration_label(self) -> str:
        """Layout and variant in a few words, the same for the same configuration."""
        return layout_label(self.layout, self.variant)

    @property
    def configuration(self) -> dict[str, Value]:
        """Everything but the parameters that points can differ in: fields of layout and variant,
        as far as they are set."""
        layout = {name: one for name, one in asdict(self.layout).items() if one is not UNSET}
        return {**layout, **self.variant.fields()}

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


def make_point(
    benchmark: str, parameters: dict[str, Value], layout: Layout, variant: Variant = ONLY
) -> Point:
    """A point with its parameters in canonical order."""
    return Point(benchmark, tuple(sorted(parameters.items())), layout, variant)
