"""The table of all figures of a benchmark: each row leads to its records and to its command."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.results.estimate import Estimate
from machmeter.model.results.run import RunResult
from machmeter.report.views.records import RecordSet, RecordSets
from machmeter.report.views.tables import Table, estimate_table
from machmeter.text.commands import also_measured, command_for


class LinkedResults(Struct, frozen=True):
    """A table of results with links to their records and commands."""

    table: Table
    """One row each."""
    launches: int
    """The column whose numbers link to the records."""
    addresses: tuple[str, ...]
    """Where the records of each row are listed; empty: nowhere."""
    commands: tuple[str, ...]
    """That measure each row again."""
    records: tuple[RecordSet, ...]
    """The lists of launches."""
    also: tuple[str, ...] = ()
    """What the commands measure in addition to their own result, as text."""


def linked_results(
    result: RunResult, title: str, estimates: Sequence[Estimate], most_rows: int, sets: RecordSets
) -> LinkedResults:
    """At most `most_rows` figures of one benchmark of a run."""
    shown = estimates[:most_rows]
    table = estimate_table(title, estimates, most_rows)
    request, machine = result.header.request, result.header.machine
    also = (words for e in shown for words in also_measured(e.point, machine))
    return LinkedResults(
        table=table,
        launches=table.columns.index("launches"),
        addresses=tuple(sets.address_of(e) for e in shown),
        commands=tuple(command_for(e.point, request) for e in shown),
        records=sets.of(shown),
        also=tuple(dict.fromkeys(also)),
    )
