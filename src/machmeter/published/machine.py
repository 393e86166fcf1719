"""A published machine as it is compared: its facts with units, its figures with their flags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from machmeter.model.results.machine import MachineResults, Parts
from machmeter.published.estimates import published_estimates
from machmeter.published.flags import flags_of
from machmeter.published.format import Counts, Hardware, Link, Part, PublishedMachine
from machmeter.published.load import published_machine
from machmeter.published.printed import NO_FLAGS


def published_results(name: str) -> MachineResults:
    """The published machine with that id. Raises UsageError where there is none."""
    return machine_results(published_machine(name), flags_of(name))


def machine_results(
    machine: PublishedMachine, flags: Mapping[str, str] = NO_FLAGS
) -> MachineResults:
    """A machine of one's own file, or a packaged one, as it is compared.

    flags: what is wrong with a figure, link, count (`counts.cores`) or part (`parts.cpu`), by its
    id. Raises MachmeterError as `published_estimates` does.
    """
    return MachineResults(
        id=machine.id,
        title=machine.name,
        origin=machine.origin,
        source=machine.source,
        parts=_parts(machine),
        properties=dict(_facts(machine, flags)),
        generation=machine.hardware.generation,
        network=machine.hardware.network,
        limits={name: value for name, value in _limits(machine.hardware) if value},
        domain_bytes=machine.hardware.domain_gib * 2.0**30,
        code_set=machine.code_set,
        estimates=published_estimates(machine, flags),
        year=machine.year,
    )


def _parts(machine: PublishedMachine) -> Parts:
    """Of the whole machine; of one node where all its figures are."""
    counts, cores = machine.counts, machine.hardware.cores
    layouts = [
        {**table.layout, **figure.layout} for table in machine.tables for figure in table.figures
    ]
    of_node = (
        not counts.cores and counts.nodes < 2 and all(one.get("nodes") == 1 for one in layouts)
    )
    nodes, cores = (1, cores) if cores and of_node else (counts.nodes, counts.cores)
    return Parts(nodes, cores, counts.watts, counts.price, counts.currency)


def _limits(hardware: Hardware) -> Iterator[tuple[str, float]]:
    yield "memory", hardware.bandwidth
    link = hardware.nic_gigabits * 1e9 / 8
    yield "link", link
    yield "links", link * max(hardware.nics, 1)


def _facts(machine: PublishedMachine, flags: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, part in machine.parts.items():
        said = _flagged(_part_text(part), flags.get(f"parts.{name}", ""))
        yield name.replace("_", " "), said
    yield from _counted(machine.counts, flags)
    for link in machine.links:
        yield f"link {link.text or link.id}", _flagged(link_text(link), flags.get(link.id, ""))


def _counted(counts: Counts, flags: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    of = {"nodes": "", "cores": "", "watts": " W", "price": f" {counts.currency}"}
    for name, unit in of.items():
        value = getattr(counts, name)
        if value:
            yield name, _flagged(f"{value:.15g}{unit}".rstrip(), flags.get(f"counts.{name}", ""))


def _part_text(part: float | str | Part) -> str:
    if not isinstance(part, Part):
        return _plain(part)
    said = f"{_plain(part.value)} {part.unit}".rstrip()
    return f"{said} ({part.note})" if part.note else said


def link_text(link: Link) -> str:
    """The rate of a link as printed, with its unit, direction and note."""
    direction = "direction " * (link.direction.value == "not stated") + link.direction.value
    said = f"{link.value:.{max(link.decimals, 0)}f} {link.unit}, {direction}"
    return f"{said} ({link.note})" if link.note else said


def _flagged(said: str, flag: str) -> str:
    return f"{said} [{flag}]" if flag else said


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"
