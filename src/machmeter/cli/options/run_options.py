"""From the options of `machmeter run` to a request."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import UNSET, Struct
from msgspec.structs import replace

from machmeter.cli.options.completion import completion_of
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import ALL_NODES, LAYOUT_OPTIONS, LayoutOption, OptionKind
from machmeter.model.plan.study import LayoutOptions
from machmeter.model.twin import Twin
from machmeter.model.units import parse_bytes

if TYPE_CHECKING:
    from machmeter.api.context import Context
    from machmeter.model.results.run import Request

Command = Callable[..., None]
_USUAL = LayoutOptions()
_NODES = "nodes"
# Python converts no more than some thousand.
_MOST_DIGITS = 7
_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(s|m|min|h)?$")
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class RunOptions(Struct, frozen=True):
    """The options of `machmeter run` and `prepare` as written; empty or None is the default."""

    names: tuple[str, ...]
    """Studies, groups and benchmarks."""
    settings: tuple[str, ...]
    """`--set`: values of parameters."""
    mpi: tuple[str, ...]
    """MPI libraries."""
    compiler: str
    """Name or path of the compiler."""
    precision: str = "2%"
    """Target half width."""
    budget: str | None = None
    """Time for measuring."""
    min_launches: int = 10
    """Fewest launches per layout."""
    max_launches: int = 100
    """Most launches per layout."""
    flags: str = ""
    """Compiler flags that come last."""
    force: bool = False
    """Measure all, whatever the budget."""
    fresh_sizes: bool = False
    """Choose sizes without those of earlier runs."""
    hosts: Hosts = Hosts()
    """Hosts and what starts processes on them."""
    layout: dict[str, Any] = {}
    """Values of the options that set fields of layouts, by the names of the options."""


def options_of(params: Mapping[str, Any], hosts: Hosts) -> RunOptions:
    """The options of a command line, by the names of its parameters.

    hosts: as `cli.options.hosts.hosts_of` makes them.
    """
    values = {name: params[name] for name in RunOptions.__struct_fields__ if name in params}
    several = {name: tuple(params[name] or ()) for name in ("names", "settings", "mpi")}
    layout = {name: params[name] for name in LAYOUT_OPTIONS if name in params}
    return RunOptions(**{**values, **several, "hosts": hosts, "layout": layout})


def request_of(
    options: RunOptions,
    twin: Twin | None = None,
    on: str = "",
    changes: Sequence[str] = (),
    context: Context | None = None,
) -> Request:
    """What the options request, of this machine or of a twin. Raises UsageError for a value without
    meaning."""
    from machmeter.api.requests import request

    return request(
        *options.names,
        settings=parse_settings(options.settings),
        layout=layout_of(options.layout, options.hosts),
        precision=parse_share("--precision", options.precision),
        budget_seconds=parse_seconds(options.budget) if options.budget else None,
        min_launches=options.min_launches,
        max_launches=options.max_launches,
        mpi=tuple(word for text in options.mpi for word in _words(text)),
        compiler=options.compiler,
        flags=options.flags,
        force=options.force,
        fresh_sizes=options.fresh_sizes,
        twin=twin,
        on=on,
        changes=changes,
        context=context,
    )


def command_to_repeat(words: Sequence[str], subcommand: str, mpi: str) -> tuple[str, ...]:
    """A command line with the MPI that it measures, by name: elsewhere, or another day, another one
    is what is measured where none is named.

    mpi: empty where the command names it, or measures none.
    """
    at = list(words).index(subcommand) + 1 if mpi and subcommand in words else 0
    return (*words[:at], "--mpi", mpi, *words[at:]) if at else tuple(words)


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUES` options by name. Raises UsageError where `=` or the name is missing, or
    a name is given twice.
    """
    settings = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not (equals and name.strip()):
            raise UsageError(f"--set {text!r} is not KEY=VALUE", "for example --set size=8,1KiB")
        if name.strip() in settings:
            raise UsageError(
                f"--set {name.strip()} is given twice",
                f"give all values at once: --set {name.strip()}=VALUE,VALUE",
            )
        settings[name.strip()] = values
    return settings


def parse_seconds(text: str) -> float:
    """A duration such as `90s`, `2min` in seconds. Raises UsageError for anything else, and
    where the unit is missing: `5` may mean seconds as well as minutes.
    """
    number, unit = found.groups() if (found := _DURATION.match(text.strip())) else ("0", "s")
    if not unit:
        raise UsageError(f"--budget {text!r} has no unit", f"write {number}s or {number}min")
    seconds = float(number) * _UNIT_SECONDS[unit]
    if not 1 <= seconds <= 86400:
        raise UsageError(f"--budget {text!r} is not a time from 1s to 24h", "write 90s, 5min or 1h")
    return seconds


def parse_share(option: str, text: str) -> float:
    """A share such as `2%` or `0.02`. Raises UsageError outside 0.01 % to 50 %."""
    stripped = text.strip()
    try:
        value = float(stripped.rstrip("%").strip()) / (100 if stripped.endswith("%") else 1)
    except ValueError:
        value = 0.0
    if not 0.0001 <= value <= 0.5:
        raise UsageError(f"{option} {text!r} is not between 0.01% and 50%", "write 2% or 0.02")
    return value


def with_layout_options(
    after: str, helps: Mapping[str, str] | None = None
) -> Callable[[Command], Command]:
    """Give a command whose `**layout` takes them the options that set fields of layouts.

    after: the parameter that they follow in the help; helps: their lines
    in the help by name, of those that it takes (None: all, with their own).
    """

    def given(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        place = 1 + next(index for index, p in enumerate(own) if p.name == after)
        of_layouts = [
            _parameter(one if helps is None else replace(one, help=helps[name]))
            for name, one in LAYOUT_OPTIONS.items()
            if helps is None or name in helps
        ]
        every = [*own[:place], *of_layouts, *own[place:]]
        command.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in every}
        return command

    return given


def _parameter(option: LayoutOption) -> inspect.Parameter:
    usual = getattr(_USUAL, option.field)
    default = usual is True if option.kind is OptionKind.SWITCH else ""
    if option.kind is OptionKind.NUMBERS:
        default = str(usual)
    made = typer.Option(
        option.word,
        metavar=option.metavar or None,
        help=option.help,
        rich_help_panel=option.group,
        autocompletion=completion_of(option.choices) if option.choices else None,
    )
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    annotations = {
        str: Annotated[str, made],
        int: Annotated[int, made],
        bool: Annotated[bool, made],
    }
    annotation = annotations[type(default)]
    return inspect.Parameter(option.name, kind, default=default, annotation=annotation)


def layout_of(values: Mapping[str, Any], hosts: Hosts = Hosts()) -> LayoutOptions:  # noqa: B008
    """Layouts by the values of the options that set their fields. Raises UsageError for a value
    that has no meaning."""
    if str(values.get(_NODES, "")).strip() == ALL_NODES:
        if not hosts.names:
            raise UsageError(
                f"--nodes {ALL_NODES}: of which system?",
                "name --hosts (those of a job: --hosts slurm), or --submit from a login node",
            )
        values = {**values, _NODES: ""}
    return LayoutOptions(
        hosts=hosts.names,
        launcher=hosts.launcher,
        remote_shell=hosts.remote_shell,
        **{
            LAYOUT_OPTIONS[name].field: _values(LAYOUT_OPTIONS[name], value)
            for name, value in values.items()
            if value or getattr(_USUAL, LAYOUT_OPTIONS[name].field) is not UNSET
        },
    )


def _values(option: LayoutOption, value: Any) -> Any:
    """What the value of an option means. Raises UsageError for one that has no meaning."""
    match option.kind:
        case OptionKind.COUNTS:
            return parse_counts(f"--{option.name}", value)
        case OptionKind.CHOICES:
            return _choices(f"--{option.name}", value, option.choices)
        case OptionKind.SIZES:
            return _pages(value)
        case OptionKind.NAMES:
            return _words(value)
        case OptionKind.NUMBERS:
            several = parse_counts(f"--{option.name}", value, least=0)
            return several if len(several) != 1 else several[0]
        case OptionKind.SWITCH:
            return value


def _words(text: str) -> tuple[str, ...]:
    """The words between commas, each once, in order."""
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := part.strip())))


def _choices(option: str, text: str, known: Mapping[str, Any]) -> tuple[Any, ...]:
    for word in _words(text):
        if word not in known:
            raise UsageError(
                f"{option}: unknown value {word!r}",
                f"choose from {', '.join(known)}, separated by commas",
            )
    return tuple(known[word] for word in _words(text))


def parse_counts(option: str, text: str, least: int = 1) -> tuple[int, ...]:
    """Numbers from `least` on between commas, each once, in order. Raises UsageError for others."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if any(word.isdecimal() and len(word) > _MOST_DIGITS for word in words):
        most = 10**_MOST_DIGITS - 1
        raise UsageError(f"{option} {text!r}: a number above {most:,}", "write smaller ones")
    if any(not (word.isdecimal() and int(word) >= least) for word in words):
        raise UsageError(f"{option} {text!r} is no list of numbers from {least} on", "write 1,2,4")
    return tuple(dict.fromkeys(int(word) for word in words))


def _pages(text: str) -> tuple[int, ...]:
    try:
        words = (word for word in text.split(",") if word.strip())
        sizes = tuple(dict.fromkeys(parse_bytes(word) for word in words))
    except ValueError as error:
        raise UsageError(f"--pages {text!r}: {error}", "write 4KiB, 2MiB or 4KiB,2MiB") from error
    for size in sizes:
        if size < 4096 or size > 2**30 or size & (size - 1):
            raise UsageError(f"--pages: {size} bytes is not a page size", "write 4KiB or 2MiB")
    return sizes
