"""The table of all results of a benchmark: each row leads to its records; one command for all."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.analysis.rules.system.node_classes import hosts_in_order
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.table import Table
from machmeter.report.views.records import RecordSet, RecordSets
from machmeter.report.views.tables import estimate_table
from machmeter.text.commands import also_measured, command_for


class LinkedResults(Struct, frozen=True):
    """A table of results with links to their records and commands."""

    table: Table
    """One row each."""
    launches: int
    """The column whose numbers link to the records."""
    addresses: tuple[str, ...]
    """Where the records of each row are listed; empty: nowhere."""
    command: str
    """That measures one row again; empty where nothing does."""
    records: tuple[RecordSet, ...]
    """The lists of launches."""
    also: tuple[str, ...] = ()
    """What that command measures in addition to its row, as text."""


def linked_results(
    result: RunResult,
    title: str,
    estimates: Sequence[Estimate],
    most_rows: int,
    sets: RecordSets,
    example: Estimate | None = None,
) -> LinkedResults:
    """At most `most_rows` results of one benchmark of a run.

    example: the row whose command is shown; None takes the first.
    """
    shown = estimates[:most_rows]
    table = estimate_table(title, estimates, most_rows, hosts_in_order(result.rank_hosts))
    request, machine = result.header.request, result.header.machine
    one = (example or shown[0]).point if shown else None
    return LinkedResults(
        table=table,
        launches=table.columns.index("launches"),
        addresses=tuple(sets.address_of(e) for e in shown),
        command=command_for(one, request) if one else "",
        records=sets.of(shown),
        also=also_measured(one, machine) if one else (),
    )
