"""The one table of layout fields: what each is called, how it is written, which option sets it.

Labels, columns, phrases, export columns, the options of `machmeter run`, the commands that measure
a point again and what an A/B run inherits come from here. A field that is added is declared in
`Layout` (and `LayoutOptions`) and described here; what binds or sets it stands in `layout/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from machmeter.model.benchmark import Benchmark, ThreadSweep
from machmeter.model.layout import (
    BASE_PAGE,
    LINKED,
    Binding,
    LaunchMode,
    Layout,
    ProgressMode,
    WaitPolicy,
)
from machmeter.model.units import format_bytes
from machmeter.model.variant import ONLY, Variant

_MOST = 10**9


class OptionKind(StrEnum):
    """How the values of an option are written."""

    COUNTS = "positive numbers, separated by commas"
    CHOICES = "words of a list, separated by commas"
    SIZES = "page sizes, separated by commas"
    NAMES = "names, separated by commas"
    NUMBERS = "numbers from 0 on, separated by commas"
    SWITCH = "given or not"


class OptionGroup(StrEnum):
    """Where an option stands in the help of `machmeter run`, by the heading there."""

    WHAT = "What"
    PRECISION = "How precise"
    LAYOUT = "Layout"
    BUILDS = "MPI and builds"
    AB = "A/B test"
    HOSTS = "Hosts"
    BATCH = "Batch job"
    OUTPUT = "Output"


class LayoutOption(Struct, frozen=True):
    """The option of `machmeter run` that sets a field."""

    name: str
    """The name of its parameter: `pages` is `--pages`."""
    field: str
    """The field of `LayoutOptions` that takes its values."""
    kind: OptionKind
    """How its values are written."""
    metavar: str
    """What stands for its values in the help."""
    help: str
    """Its line in the help."""
    choices: Mapping[str, Any] = MappingProxyType({})
    """The words that it takes, each with its value (empty: it takes others)."""
    inherited: bool = True
    """Whether an A/B run takes it over from its baseline: hosts and nodes are those of today."""
    group: OptionGroup = OptionGroup.LAYOUT
    """Where it stands in the help."""

    @property
    def word(self) -> str:
        """How it is written on a command line."""
        return "--" + self.name.replace("_", "-")


class LayoutField(Struct, frozen=True):
    """One field of a layout or of a variant."""

    name: str
    """Of the attribute of `Layout` or `Variant`."""
    title: str
    """The caption of its column."""
    cell: Callable[[Any], str]
    """Its value in that column."""
    phrase: Callable[[Any], str]
    """What a layout or variant has of it, as a phrase that needs no caption."""
    brief: bool = True
    """Whether it is a part of a layout's phrase where it is not as usual."""
    label: Callable[[Any], str] | None = None
    """Its part of a layout's label; None: the phrase, where it is not as usual."""
    bounds: tuple[int, int] | None = None
    """The least and the greatest number that it may be; None where it is no number."""
    option: LayoutOption | None = None
    """The option that sets it; None where none does."""
    of: Callable[[Layout], Any] | None = None
    """The value that the option would have to be given; None: the field's own."""
    swept: Callable[[Benchmark], tuple[Any, ...]] = lambda _: ()
    """The only value that a benchmark is measured with by itself; empty where there are several, or
    the machine decides."""

    @property
    def kind(self) -> type:
        """The type of its value in tables."""
        usual = getattr(_USUAL, self.name, "")
        return type(usual) if type(usual) in (bool, int) else str


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _shape(layout: Layout) -> str:
    inner = f" x {layout.inner_threads}" if layout.inner_threads > 1 else ""
    return f"{layout.ranks_per_node} x {layout.threads_per_rank}{inner}"


def threads_text(layout: Layout) -> str:
    """The threads of one rank: `2 threads`; outer times inner where they nest, `2 x 4 threads`."""
    if layout.inner_threads > 1:
        return f"{layout.threads_per_rank} x {layout.inner_threads} threads"
    return _counted(layout.threads_per_rank, "thread")


def _nothing(_layout: Layout) -> str:
    return ""


def _linked(name: str) -> str:
    return name or "as linked"


_BOUND = {
    Binding.CLOSE: "close",
    Binding.SPREAD: "spread",
    Binding.OUTER: "outer threads bound",
    Binding.NONE: "unbound",
    Binding.DEFAULT: "nothing set",
}
_BINDINGS = {
    "close": Binding.CLOSE,
    "spread": Binding.SPREAD,
    "outer": Binding.OUTER,
    "none": Binding.NONE,
}
_PROGRESS = {
    "library": ProgressMode.LIBRARY,
    "thread": ProgressMode.THREAD,
    "reserved": ProgressMode.RESERVED,
}
_WAIT = {policy.value: policy for policy in WaitPolicy}

ALL_NODES = "all"
"""The value of `--nodes` that means every node there is."""

LAYOUT_FIELDS: tuple[LayoutField, ...] = (
    LayoutField(
        "nodes",
        "nodes",
        cell=str,
        phrase=lambda one: _counted(one.nodes, "node"),
        label=lambda one: _counted(one.nodes, "node"),
        bounds=(1, _MOST),
        option=LayoutOption(
            "nodes",
            "nodes",
            OptionKind.COUNTS,
            "N[,N]",
            "node counts, or all  [default: all hosts]",
            inherited=False,
            group=OptionGroup.HOSTS,
        ),
    ),
    LayoutField(
        "ranks_per_node",
        "ranks per node",
        cell=str,
        phrase=lambda one: _counted(one.ranks, "rank"),
        label=_shape,
        bounds=(1, _MOST),
        option=LayoutOption(
            "ranks",
            "rank_counts",
            OptionKind.COUNTS,
            "N[,N]",
            "MPI ranks over all nodes  [default: benchmark's own]",
        ),
        of=lambda layout: layout.ranks,
        swept=lambda benchmark: () if benchmark.program.has_ranks else (1,),
    ),
    LayoutField(
        "threads_per_rank",
        "threads per rank",
        cell=str,
        phrase=threads_text,
        label=_nothing,
        bounds=(1, _MOST),
        option=LayoutOption(
            "threads",
            "threads",
            OptionKind.COUNTS,
            "N[,N]",
            "thread counts  [default: 1 to all cores]",
        ),
        of=lambda layout: layout.cpus_per_rank,
        swept=lambda benchmark: (1,) if benchmark.threads is ThreadSweep.ONE else (),
    ),
    LayoutField(
        "inner_threads",
        "inner threads",
        cell=str,
        phrase=lambda one: _counted(one.inner_threads, "inner thread"),
        brief=False,
        label=_nothing,
        bounds=(1, _MOST),
    ),
    LayoutField(
        "binding",
        "binding",
        cell=lambda value: str(value.value),
        phrase=lambda one: _BOUND[one.binding],
        label=lambda one: one.binding.value,
        option=LayoutOption(
            "binding",
            "bindings",
            OptionKind.CHOICES,
            "POLICY[,POLICY]",
            "close, spread, outer, none  [default: benchmark's own]",
            _BINDINGS,
        ),
        swept=lambda benchmark: benchmark.bindings,
    ),
    LayoutField(
        "page_bytes",
        "pages",
        cell=format_bytes,
        phrase=lambda one: f"{format_bytes(one.page_bytes)} pages",
        label=lambda one: f"{_whole_size(one.page_bytes)} pages",
        bounds=(1, 2**50),
        option=LayoutOption(
            "pages",
            "page_bytes",
            OptionKind.SIZES,
            "SIZE[,SIZE]",
            "page sizes: 4KiB, 2MiB  [default: both]",
        ),
        swept=lambda benchmark: () if benchmark.sweep_pages else (BASE_PAGE,),
    ),
    LayoutField(
        "wait_policy",
        "wait policy",
        cell=lambda value: str(value.value),
        phrase=lambda one: f"{one.wait_policy.value} wait",
        brief=False,
        label=lambda one: f"{one.wait_policy.value} wait",
        option=LayoutOption(
            "wait",
            "wait_policies",
            OptionKind.CHOICES,
            "POLICY[,POLICY]",
            "idle threads: default, active, passive  [default: all]",
            _WAIT,
        ),
        swept=lambda benchmark: benchmark.wait_policies,
    ),
    LayoutField(
        "smt",
        "SMT",
        cell=str,
        phrase=lambda one: f"SMT {one.smt}",
        bounds=(1, _MOST),
        option=LayoutOption(
            "smt", "smt", OptionKind.NUMBERS, "N[,N]", "hardware threads used per core"
        ),
        swept=lambda _: (1,),
    ),
    LayoutField(
        "reserved_cores",
        "reserved cores",
        cell=str,
        phrase=lambda one: _counted(one.reserved_cores, "reserved core"),
        label=lambda one: f"{one.reserved_cores} reserved" if one.reserved_cores else "",
        bounds=(0, _MOST),
        option=LayoutOption(
            "reserve", "reserved_cores", OptionKind.NUMBERS, "N[,N]", "cores left idle"
        ),
        swept=lambda _: (0,),
    ),
    LayoutField(
        "oversubscribe",
        "oversubscribed",
        cell=lambda value: "yes" if value else "no",
        phrase=lambda one: "oversubscribed" if one.oversubscribe else "not oversubscribed",
        option=LayoutOption(
            "oversubscribe",
            "oversubscribe",
            OptionKind.SWITCH,
            "",
            "allow more ranks or threads than cores",
        ),
        swept=lambda _: (False,),
    ),
    LayoutField(
        "progress",
        "progress",
        cell=lambda value: str(value.value),
        phrase=lambda one: (
            "no progress thread" if one.progress is ProgressMode.LIBRARY else one.progress.value
        ),
        option=LayoutOption(
            "progress",
            "progress",
            OptionKind.CHOICES,
            "WHO[,WHO]",
            "library, thread, reserved  [default: benchmark's own]",
            _PROGRESS,
        ),
        swept=lambda benchmark: (
            benchmark.progress if benchmark.program.chooses_mpi else (ProgressMode.LIBRARY,)
        ),
    ),
    LayoutField(
        "package",
        "package",
        cell=lambda value: "all" if value < 0 else str(value),
        phrase=lambda one: "all packages" if one.package < 0 else f"package {one.package}",
        bounds=(-1, _MOST),
    ),
    LayoutField(
        "openmp",
        "OpenMP",
        cell=_linked,
        phrase=lambda one: one.openmp or "OpenMP as linked",
        option=LayoutOption(
            "openmp",
            "openmp",
            OptionKind.NAMES,
            "NAME[,NAME]",
            "libgomp, libomp, libiomp5, linked  [default: linked]",
            group=OptionGroup.BUILDS,
        ),
        of=lambda layout: layout.openmp or LINKED,
        swept=lambda benchmark: () if benchmark.sweep_runtimes else (LINKED,),
    ),
    LayoutField(
        "allocator",
        "allocator",
        cell=_linked,
        phrase=lambda one: one.allocator or "allocator as linked",
        option=LayoutOption(
            "allocator",
            "allocators",
            OptionKind.NAMES,
            "NAME[,NAME]",
            "glibc, jemalloc, tcmalloc, mimalloc  [default: linked]",
            group=OptionGroup.BUILDS,
        ),
        of=lambda layout: layout.allocator or LINKED,
        swept=lambda benchmark: () if benchmark.sweep_allocators else (LINKED,),
    ),
    LayoutField(
        "device",
        "device",
        cell=lambda name: name or "not named",
        phrase=lambda one: f"device {one.device}" if one.device else "no device named",
        option=LayoutOption(
            "device",
            "devices",
            OptionKind.NAMES,
            "NAME[,NAME]",
            "see `machmeter list devices`  [default: the first]",
        ),
        of=lambda layout: layout.device or "",
        swept=lambda _: ("",),
    ),
)
"""Every field of `Layout`, in the order of labels and columns."""

VARIANT_FIELDS: tuple[LayoutField, ...] = (
    LayoutField(
        "mpi",
        "MPI",
        cell=lambda name: name or "the only one",
        phrase=lambda variant: variant.mpi or "only MPI",
    ),
    LayoutField(
        "build",
        "build",
        cell=lambda name: name or "the only one",
        phrase=lambda variant: variant.build or "only build",
    ),
)
"""Every field in which variants of one role differ."""

_MODES = LayoutOption(
    "modes",
    "modes",
    OptionKind.CHOICES,
    "MODE[,MODE]",
    "default; mpi, hybrid, with +smt, +reserved",
    {mode.value: mode for mode in LaunchMode},
)
_ONE_MACHINE = LayoutOption(
    "one_machine",
    "one_machine",
    OptionKind.SWITCH,
    "",
    "accept hosts that are one machine",
    inherited=False,
    group=OptionGroup.HOSTS,
)
LAYOUT_OPTIONS: dict[str, LayoutOption] = {
    option.name: option
    for option in (*(field.option for field in LAYOUT_FIELDS), _MODES, _ONE_MACHINE)
    if option is not None
}
"""The options that set fields, by name."""
FIELDS: dict[str, LayoutField] = {field.name: field for field in (*LAYOUT_FIELDS, *VARIANT_FIELDS)}
"""Every field by name."""
_USUAL = Layout()


def is_usual(field: LayoutField, layout: Layout) -> bool:
    """Whether the layout has of a field what a plain one has."""
    return bool(getattr(layout, field.name) == getattr(_USUAL, field.name))


def field_text(name: str, value: Any) -> str:
    """The phrase of a field with that value, in what is plain otherwise."""
    plain = _USUAL if hasattr(_USUAL, name) else ONLY
    kind = type(getattr(plain, name))
    kind = str if kind is UnsetType else kind
    return FIELDS[name].phrase(replace(plain, **{name: kind(value)}))


def layout_label(layout: Layout, variant: Variant = ONLY) -> str:
    """Layout and variant in a few words, the same for the same and for no other."""
    parts = (_label(field, layout) for field in LAYOUT_FIELDS)
    return ", ".join(part for part in (*parts, variant.name) if part)


def _label(field: LayoutField, layout: Layout) -> str:
    if field.label is not None:
        return field.label(layout)
    return "" if is_usual(field, layout) else field.phrase(layout)


def _whole_size(size: int) -> str:
    """In whole MiB or KiB: a label must not be rounded."""
    return f"{size // 2**20} MiB" if size >= 2**20 else f"{size // 2**10} KiB"
