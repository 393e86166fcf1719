"""How a run goes on without hosts that it lost. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from machmeter.layout.words import first_names
from machmeter.model.errors import MachmeterError
from machmeter.model.plan.launch import LaunchOutcome, LostHost
from machmeter.model.results.run import Plan, Request, SkipCause, Skipped


class HostsLostError(MachmeterError):
    """Hosts of a run start nothing any more; it goes on without them."""

    def __init__(self, lost: Sequence[LostHost]) -> None:
        self.lost = tuple(lost)
        super().__init__(lost_text(lost))


def lost_in(outcomes: Iterable[LaunchOutcome]) -> tuple[LostHost, ...]:
    """The hosts that launches of a run lost."""
    return tuple(chain.from_iterable(one.lost_hosts or () for one in outcomes))


def lost_text(lost: Sequence[LostHost]) -> str:
    """Which hosts are lost, and what was said of the first, of those with too few CPUs apart."""
    lacking = [one for one in lost if one.lacks_cpus]
    silent = [one for one in lost if not one.lacks_cpus]
    return "; ".join(
        f"host{'s' * (len(these) > 1)} {first_names([one.name for one in these])} {what} "
        f"(said{f' of {these[0].name}' * (len(these) > 1)}: {these[0].said})"
        for these, what in (
            (silent, "can start no more ranks"),
            (lacking, "cannot have a layout from the CPUs there"),
        )
        if these
    )


def without_hosts(request: Request, lost: Sequence[LostHost]) -> Request:
    """The request on the hosts that are left, with those numbers of nodes that they are enough for;
    where none is, on all of them."""
    if not lost:
        return request
    options = request.layout_options
    names = {one.name for one in lost}
    hosts = tuple(host for host in options.hosts if host not in names)
    nodes = tuple(number for number in options.nodes if number <= len(hosts))
    if options.nodes and not nodes:
        nodes = (len(hosts),)
    return replace(request, layout_options=replace(options, hosts=hosts, nodes=nodes))


def on_hosts_left(
    plan: Plan, left: Plan, lost: Sequence[LostHost], others: Collection[str] = ()
) -> Plan:
    """`plan` as it goes on: with the specs of the plan for the hosts that are left, and without
    launches of those of its own that this one lacks, which stay for what was measured of them. What
    is launched without binding ends with the layout that it is of. What `left` lacks for its budget
    alone goes on where it has begun. others: names of specs that would go on with results of other
    hosts, as of `hosts.continued.renumbered`, which end, too."""
    known = {spec.name for spec in plan.specs}
    for_budget = {one.what for one in left.skipped if one.cause is SkipCause.BUDGET}
    possible = {spec.name for spec in left.specs} | for_budget
    before = {one.what for one in plan.skipped}
    added = tuple(spec for spec in left.specs if spec.name not in known | before)
    ended = tuple(
        spec.name
        for spec in plan.specs
        if spec.gives_results
        and (spec.name if spec.of_points else spec.group) not in possible.difference(others)
    )
    reason = lost_text(lost)
    skipped = (
        *(one for one in left.skipped if one.what not in before | known),
        *(Skipped(name, reason) for name in ended if name not in (plan.superseded or ())),
    )
    return replace(
        plan,
        specs=(*plan.specs[:-1], *added, plan.specs[-1]),
        superseded=ended,
        skipped=(*plan.skipped, *skipped),
        questions=left.questions,
    )
