"""The options of a request, as a person types them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from machmeter.model.layout_fields import LAYOUT_OPTIONS, LayoutOption, OptionKind
from machmeter.model.origin import Origin
from machmeter.model.plan.command import Command
from machmeter.model.plan.study import SSH, LayoutOptions
from machmeter.model.results.run import DEFAULT_MPI, Precision, Request
from machmeter.model.units import format_bytes


def option_words(request: Request) -> tuple[str, ...]:
    """What a run was requested with, save names, compiler flags and what is as usual."""
    return tuple(_words(request))


def precision_words(request: Request) -> Iterator[str]:
    """The options that say when to stop, but for the budget, whose usual value is a study's; none
    where launches are not repeated."""
    if request.origin.is_quoted:
        return
    precision, usual = request.precision, Precision()
    if precision.half_width != usual.half_width:
        yield from ("--precision", f"{100 * precision.half_width:.6g}%")
    if precision.least_launches != usual.least_launches:
        yield from ("--min-launches", str(precision.least_launches))
    if precision.most_launches != usual.most_launches:
        yield from ("--max-launches", str(precision.most_launches))


def twin_words(request: Request) -> Iterator[str]:
    """The options that choose the model of a simulated run, and what was changed of it."""
    yield from ("--on", request.on)
    for change in request.changes:
        yield from ("--with", change)


def _words(request: Request) -> Iterator[str]:
    if request.explores:
        yield from _explored(request)
        return
    for setting in request.settings:
        yield from ("--set", setting)
    layout = request.layout_options
    yield from _layout_words(layout)
    if request.origin is Origin.SIMULATED:
        yield from twin_words(request)
    elif layout.hosts:
        yield from (
            "--hosts",
            ",".join(layout.hosts) if layout.launcher == SSH else layout.launcher,
        )
    yield from precision_words(request)
    if request.precision.budget_seconds != request.study.budget_seconds:
        yield from ("--budget", f"{request.precision.budget_seconds:g}s")
    if request.force:
        yield "--force"
    if request.fresh_sizes:
        yield "--fresh-sizes"
    if request.mpi not in (DEFAULT_MPI, ",".join(request.study.mpis)):
        yield from ("--mpi", request.mpi)
    if request.compiler:
        yield from ("--compiler", request.compiler)


def _layout_words(layout: LayoutOptions) -> Iterator[str]:
    for option in LAYOUT_OPTIONS.values():
        value = getattr(layout, option.field)
        if value != getattr(_USUAL, option.field):
            yield option.word
            if option.kind is not OptionKind.SWITCH:
                yield _value_text(option, value)


def _explored(request: Request) -> Iterator[str]:
    """The options of `machmeter explore`, which has few of those of `run`, and the program."""
    copies = any(one.command and one.command.copies for one in request.study.experiments)
    for word in _layout_words(request.layout_options):
        yield "--copies" if copies and word == "--ranks" else word
    if request.precision.least_launches != Precision().least_launches:
        yield from ("--launches", str(request.precision.least_launches))
    if request.precision.budget_seconds != request.study.budget_seconds:
        yield from ("--budget", f"{request.precision.budget_seconds:g}s")
    if not request.precision.race:
        yield "--no-race"
    if request.mpi != DEFAULT_MPI:
        yield from ("--mpi", request.mpi)
    for command in filter(None, (one.command for one in request.study.experiments)):
        yield from _program(command)


def _program(command: Command) -> Iterator[str]:
    if command.keeps_files:
        yield "--keep"
    if command.own_folder:
        for size in command.description.sizes if command.description else ():
            yield from ("--size", size.name)
        yield from command.typed
        return
    for one in command.description.figures if command.description else ():
        yield from ("--rate", one.pattern, "--unit", one.unit)
    yield from ("--", *(command.typed or command.words))


def _value_text(option: LayoutOption, value: Any) -> str:
    several = value if isinstance(value, tuple) else (value,)
    if option.kind is OptionKind.SIZES:
        return ",".join(format_bytes(one).replace(" ", "") for one in several)
    words = {known: word for word, known in option.choices.items()}
    return ",".join(str(words.get(one, one)) for one in several)


_USUAL = LayoutOptions()
