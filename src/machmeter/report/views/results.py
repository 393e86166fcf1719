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
    """Of each row of `table`: where its records are listed (empty: nowhere), and its command.

    launches: the column whose numbers lead there; records: what is listed of them; also: what the
    commands measure in addition to their own result, as text.
    """

    table: Table
    launches: int
    addresses: tuple[str, ...]
    commands: tuple[str, ...]
    records: tuple[RecordSet, ...]
    also: tuple[str, ...] = ()


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
