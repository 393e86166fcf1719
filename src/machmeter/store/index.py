"""The index over all runs: what can be asked of many runs without reading their files again.

It holds nothing that the run folders do not: `machmeter store rebuild` makes it again. One file,
one writer at a time (`index.lock`), on a local file system; a rollback journal and not WAL, which
shared file systems break (SQLite documentation, "Write-Ahead Logging").
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from machmeter.build.locks import exclusive
from machmeter.model.errors import MachmeterError, storage_error
from machmeter.model.estimate import Estimate
from machmeter.model.launch import Outcome, PointRecord, Record, Verdict
from machmeter.model.run import RunHeader, RunResult, RunState

RowType = TypeVar("RowType", bound=Struct)

INDEX_FORMAT = 1
LARGEST_SERIES = 256 * 2**20

_WAIT_SECONDS = 30.0
_SCHEMA = """
CREATE TABLE run (
    id TEXT PRIMARY KEY, folder TEXT, machine TEXT, host TEXT, cpu_model TEXT, started TEXT,
    state TEXT, asked TEXT, accepted INTEGER, refused INTEGER, estimates INTEGER, reached INTEGER
);
CREATE TABLE estimate (
    run TEXT REFERENCES run ON DELETE CASCADE, benchmark TEXT, point TEXT, metric TEXT, unit TEXT,
    value REAL, low REAL, high REAL, launches INTEGER, precision REAL, reached INTEGER,
    PRIMARY KEY (run, point, metric)
) WITHOUT ROWID;
CREATE INDEX estimate_history ON estimate (point, metric, run);
CREATE TABLE launch (
    run TEXT REFERENCES run ON DELETE CASCADE, number INTEGER, spec TEXT, verdict TEXT,
    points BLOB, PRIMARY KEY (run, number)
);
"""


class RunSummary(Struct, frozen=True):
    """One run in a line: launches that were accepted and refused, figures and how many of them
    reached the asked precision."""

    id: str
    folder: str
    machine: str
    host: str
    cpu_model: str
    started: str
    state: RunState
    asked: str
    accepted: int
    refused: int
    estimates: int
    reached: int


class EstimateSummary(Struct, frozen=True):
    """One figure of one run, in the base unit that `unit` names; NaN where it has no number."""

    run: str
    benchmark: str
    point: str
    metric: str
    unit: str
    value: float
    low: float
    high: float
    launches: int
    precision: float
    reached: bool


def path_text(folder: Path) -> str:
    """The whole path as text; bytes of a name that are no UTF-8 are replaced."""
    return os.fsencode(folder.resolve()).decode("utf-8", errors="replace")


def summarize(
    header: RunHeader,
    folder: Path,
    state: RunState,
    outcomes: Sequence[Outcome],
    estimates: Sequence[Estimate] = (),
) -> RunSummary:
    """The line of one run, from its parts."""
    accepted = sum(outcome.verdict is Verdict.ACCEPTED for outcome in outcomes)
    return RunSummary(
        id=header.id,
        folder=path_text(folder),
        machine=header.machine.name,
        host=header.machine.host,
        cpu_model=header.machine.cpu_model,
        started=header.started,
        state=state,
        asked=" ".join(header.asked.names),
        accepted=accepted,
        refused=len(outcomes) - accepted,
        estimates=len(estimates),
        reached=sum(estimate.reached for estimate in estimates),
    )


class Index:
    """The index at `path`; made when the first run is added to it.

    Every method raises MachmeterError, whose remedy is `machmeter store rebuild`, when the file is
    damaged or of another version, and MachineLacksError when it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, result: RunResult, folder: Path, records: Iterable[tuple[int, Record]]) -> None:
        """Put one run in, in place of what was known of it; wait while another process writes.

        records: launch numbers with their records, read one after the other.
        """
        with exclusive(self.path.with_name("index.lock")), self._open(create=True) as database:
            _put(database, result, folder, records)

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs, the oldest first."""
        rows = self._all("SELECT * FROM run ORDER BY started, id", ())
        return tuple(_decoded(row, RunSummary) for row in rows)

    def estimates(self, run: str) -> tuple[EstimateSummary, ...]:
        """All figures of one run, by point and metric."""
        rows = self._all("SELECT * FROM estimate WHERE run = ? ORDER BY point, metric", (run,))
        return tuple(_decoded(row, EstimateSummary) for row in rows)

    def history(self, point: str, metric: str) -> tuple[EstimateSummary, ...]:
        """One figure in every run that has it, the oldest run first; `point` is its key."""
        rows = self._all(
            "SELECT estimate.* FROM estimate JOIN run ON run.id = estimate.run "
            "WHERE point = ? AND metric = ? ORDER BY run.started, run.id",
            (point, metric),
        )
        return tuple(_decoded(row, EstimateSummary) for row in rows)

    def points(self, run: str, launch: int) -> tuple[PointRecord, ...]:
        """What one launch recorded, raw samples included; empty when the index has it not."""
        query = "SELECT points FROM launch WHERE run = ? AND number = ?"
        rows = self._all(query, (run, launch))
        if not rows:
            return ()
        try:
            unpacked = zlib.decompressobj().decompress(rows[0][0], LARGEST_SERIES)
            return msgspec.json.decode(unpacked, type=tuple[PointRecord, ...])
        except (zlib.error, msgspec.DecodeError, TypeError) as error:
            raise self._damaged(str(error)) from error

    def replaced_by(
        self, runs: Iterable[tuple[RunResult, Path, Iterable[tuple[int, Record]]]]
    ) -> None:
        """Make the index anew from `runs`; the old one, damaged or not, stays until then."""
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.partial")
        with exclusive(self.path.with_name("index.lock")):
            try:
                unfinished.unlink(missing_ok=True)
                new = Index(unfinished)
                with new._open(create=True) as database:
                    for result, folder, records in runs:
                        _put(database, result, folder, records)
                self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
                unfinished.replace(self.path)
            except OSError as error:
                raise storage_error(error, self.path) from error
            finally:
                unfinished.unlink(missing_ok=True)

    def _all(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with self._open(create=False) as database:
            return database.execute(query, values).fetchall()

    @contextmanager
    def _open(self, *, create: bool) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept when the block ends and dropped when it raises."""
        try:
            with closing(self._connected(create=create)) as database, database:
                yield database
        except sqlite3.OperationalError as error:
            raise self._unwritable(error) from error
        except (sqlite3.DatabaseError, msgspec.ValidationError) as error:
            raise self._damaged(str(error)) from error

    def _connected(self, *, create: bool) -> sqlite3.Connection:
        mode = "rwc" if create else "ro"
        database = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_WAIT_SECONDS
        )
        try:
            database.execute("PRAGMA foreign_keys = ON")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables == 0 and create:
                database.execute("PRAGMA journal_mode = DELETE")
                database.executescript(f"{_SCHEMA} PRAGMA user_version = {INDEX_FORMAT};")
            elif version != INDEX_FORMAT and tables:
                raise self._damaged(f"its format is {version}, this machmeter's is {INDEX_FORMAT}")
            elif not tables:
                raise self._damaged("it is empty")
        except BaseException:
            database.close()
            raise
        return database

    def _damaged(self, why: str) -> MachmeterError:
        return MachmeterError(
            f"the index of runs, {self.path}, cannot be used: {why}",
            "`machmeter store rebuild` makes it again from the run folders; no run is lost",
        )

    def _unwritable(self, error: sqlite3.OperationalError) -> MachmeterError:
        return MachmeterError(
            f"the index of runs, {self.path}, cannot be opened or written: {error}",
            "free some space or wait for the other machmeter to end, then `machmeter store "
            "rebuild`; no run is lost",
        )


def _put(
    database: sqlite3.Connection,
    result: RunResult,
    folder: Path,
    records: Iterable[tuple[int, Record]],
) -> None:
    run = result.header.id
    summary = summarize(result.header, folder, result.state, result.outcomes, result.estimates)
    database.execute("DELETE FROM run WHERE id = ?", (run,))
    _insert(database, "run", [_encoded(summary)])
    _insert(database, "estimate", [_encoded(_figure(run, one)) for one in result.estimates])
    outcomes = {outcome.launch: outcome for outcome in result.outcomes}
    _insert(
        database,
        "launch",
        (
            (run, number, outcomes[number].spec, outcomes[number].verdict.value, _packed(record))
            for number, record in records
            if number in outcomes
        ),
    )


def _insert(database: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    for row in rows:
        marks = ", ".join("?" * len(row))
        database.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 - our own names


def _figure(run: str, one: Estimate) -> EstimateSummary:
    return EstimateSummary(
        run=run,
        benchmark=one.point.benchmark,
        point=one.point.key,
        metric=one.metric,
        unit=one.unit.name,
        value=one.value,
        low=one.low,
        high=one.high,
        launches=one.launches,
        precision=one.precision,
        reached=one.reached,
    )


def _packed(record: Record) -> bytes:
    # The fastest level: samples are near random, higher ones cost ten times the time for 5 %.
    return zlib.compress(msgspec.json.encode(record.points), 1)


def _encoded(row: Struct) -> tuple[object, ...]:
    return tuple(
        value.value if isinstance(value, RunState) else value
        for value in msgspec.structs.astuple(row)
    )


def _decoded(values: Sequence[object], of: type[RowType]) -> RowType:
    # SQLite keeps NaN as NULL.
    return msgspec.convert(
        {
            field.name: float("nan") if value is None and field.type is float else value
            for field, value in zip(msgspec.structs.fields(of), values, strict=True)
        },
        of,
        strict=False,
    )
