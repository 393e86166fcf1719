"""The index over all runs: many runs are queried without reading their files again.

It holds nothing that the run folders do not: `machmeter store rebuild` makes it again. One file,
one writer at a time (`index.lock`), on a local file system; a rollback journal and not WAL, which
shared file systems break (SQLite documentation, "Write-Ahead Logging").
"""

from __future__ import annotations

import errno
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from machmeter.model.errors import MachineLacksError, MachmeterError, storage_error
from machmeter.model.plan.launch import PointRecord, Record
from machmeter.model.results.run import RunResult
from machmeter.store.index_rows import (
    EstimateSummary,
    IndexedResult,
    RowType,
    RunSummary,
    decoded,
    encoded,
    packed,
    result_row,
    summarize,
)
from machmeter.store.locks import exclusive

Run = tuple[RunResult, Path, Iterable[tuple[int, Record]]]

INDEX_FORMAT = 5
LARGEST_SERIES = 256 * 2**20

# Primary codes of what the disk refuses (sqlite.org/rescode.html); the rest is for other reasons.
_DISK_REFUSES = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
_WAIT_SECONDS = 30.0

# A point's key is its benchmark, a space and its parameters in brackets (`Point.key`).
_BEGIN, _AFTER = "[", "\\"
_SCHEMA = """
CREATE TABLE run (
    id TEXT PRIMARY KEY, folder TEXT, machine TEXT, host TEXT, cpu_model TEXT, started TEXT,
    state TEXT, request TEXT, accepted INTEGER, rejected INTEGER, estimates INTEGER, reached
    INTEGER, flags TEXT, against TEXT, options TEXT
);
CREATE TABLE estimate (
    run TEXT REFERENCES run ON DELETE CASCADE, benchmark TEXT, point TEXT, metric TEXT, unit TEXT,
    value REAL, low REAL, high REAL, launches INTEGER, precision REAL, reached INTEGER,
    mpi_library TEXT,
    PRIMARY KEY (run, point, metric)
) WITHOUT ROWID;
CREATE INDEX estimate_history ON estimate (point, metric, run);
CREATE TABLE launch (
    run TEXT REFERENCES run ON DELETE CASCADE, number INTEGER, spec TEXT, verdict TEXT,
    points BLOB, PRIMARY KEY (run, number)
);
"""


class UnfitRunError(MachmeterError):
    """A run that does not go into the index because its own files contradict each other."""


class Index:
    """The index at `path`; made when the first run is added to it.

    Every method raises MachmeterError, whose remedy is `machmeter store rebuild`, when the file is
    damaged or of another version, and MachineLacksError when it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, result: RunResult, folder: Path, records: Iterable[tuple[int, Record]]) -> None:
        """Put one run in, in place of its older state; wait while another process writes.

        records: launch numbers with their records, read one after the other. Raises UnfitRunError
        where the run's files contradict each other: then the index is as it was.
        """
        with exclusive(self._lock), self._open(create=True) as database:
            _put_whole(database, (result, folder, records))

    def is_of_older_format(self) -> bool:
        """Whether an older machmeter wrote it, so that it is to be made again."""
        if not self.path.exists():
            return False
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=_WAIT_SECONDS)) as database:
                version: int = database.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error:
            return False
        return 0 < version < INDEX_FORMAT

    def check_writable(self) -> None:
        """Raise MachineLacksError where no run can be added, before time is spent on reading one.

        Waits while another process writes.
        """
        with exclusive(self._lock):
            if self.path.exists() and not os.access(self.path, os.W_OK):
                error = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                raise storage_error(error, self.path)

    @property
    def _lock(self) -> Path:
        return self.path.with_name("index.lock")

    def runs(self) -> tuple[RunSummary, ...]:
        """All runs, the oldest first."""
        return self._rows("SELECT * FROM run ORDER BY started, id", (), RunSummary)

    def estimates(self, run: str) -> tuple[EstimateSummary, ...]:
        """All results of one run, by point and metric."""
        query = "SELECT * FROM estimate WHERE run = ? ORDER BY point, metric"
        return self._rows(query, (run,), EstimateSummary)

    def history(self, point: str, metric: str) -> tuple[EstimateSummary, ...]:
        """One result in every run that has it, the oldest run first; `point` is its key."""
        query = (
            "SELECT estimate.* FROM estimate JOIN run ON run.id = estimate.run "
            "WHERE point = ? AND metric = ? ORDER BY run.started, run.id"
        )
        return self._rows(query, (point, metric), EstimateSummary)

    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks that have a result in any run, by name."""
        # SQLite has no skip scan: each query jumps over all points of the benchmark before.
        found: list[str] = []
        query = "SELECT min(point) FROM estimate WHERE point >= ?"
        after = ""
        while any(rows := self._all(query, (after,))) and (point := rows[0][0]) is not None:
            # What is no text sorts after all texts: it would be found again and again.
            if not isinstance(point, str) or point < after:
                raise self._damaged(f"{point!r:.40} is no point")
            found.append(point.partition(f" {_BEGIN}")[0])
            after = f"{found[-1]} {_AFTER}"
        return tuple(found)

    def results(self, benchmark: str) -> tuple[IndexedResult, ...]:
        """Every result of one benchmark in every run, by point and metric: one query, one range of
        `estimate_history`.
        """
        rows = self._all(
            "SELECT run, point, metric, unit, value, low, high, launches, mpi_library "
            "FROM estimate WHERE point >= ? AND point < ? ORDER BY point, metric",
            (f"{benchmark} {_BEGIN}", f"{benchmark} {_AFTER}"),
        )
        try:
            return msgspec.convert(rows, tuple[IndexedResult, ...], strict=False)
        except msgspec.ValidationError as error:
            raise self._damaged(str(error)) from error

    def points(self, run: str, launch: int) -> tuple[PointRecord, ...]:
        """What one launch recorded, raw samples included; empty when it is not in the index."""
        query = "SELECT points FROM launch WHERE run = ? AND number = ?"
        rows = self._all(query, (run, launch))
        if not rows:
            return ()
        try:
            unpacked = zlib.decompressobj().decompress(rows[0][0], LARGEST_SERIES)
            return msgspec.json.decode(unpacked, type=tuple[PointRecord, ...])
        except (zlib.error, ValueError, TypeError, RecursionError) as error:
            raise self._damaged(str(error)) from error

    def replaced_by(self, runs: Iterable[Run], warn: Callable[[MachmeterError], None]) -> int:
        """Make the index again from `runs`; the old one, damaged or not, stays until then.

        warn: takes what is wrong with a run that is left out because its files contradict each
        other. Returns how many are in.
        """
        unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.partial")
        with exclusive(self._lock):
            try:
                unfinished.unlink(missing_ok=True)
                new = Index(unfinished)
                with new._open(create=True) as database:
                    count = sum(_put_or_warn(database, run, warn) for run in runs)
                self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
                unfinished.replace(self.path)
                return count
            except OSError as error:
                raise storage_error(error, self.path) from error
            finally:
                unfinished.unlink(missing_ok=True)

    def _all(self, query: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with self._open(create=False) as database:
            return database.execute(query, values).fetchall()

    def _rows(
        self, query: str, values: tuple[object, ...], of: type[RowType]
    ) -> tuple[RowType, ...]:
        rows = self._all(query, values)
        try:
            return tuple(decoded(row, of) for row in rows)
        except ValueError as error:
            raise self._damaged(str(error)) from error

    @contextmanager
    def _open(self, *, create: bool) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept when the block ends and dropped when it raises."""
        try:
            with closing(self._connected(create=create)) as database, database:
                yield database
        except sqlite3.OperationalError as error:
            raise self._unwritable(error) from error
        except (sqlite3.DatabaseError, ValueError) as error:
            raise self._damaged(str(error)) from error

    def _connected(self, *, create: bool) -> sqlite3.Connection:
        mode = "rwc" if create else "ro"
        database = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_WAIT_SECONDS
        )
        try:
            database.execute("PRAGMA foreign_keys = ON")
            # KiB when negative: a result's runs are far apart, and a small cache reads pages twice.
            database.execute("PRAGMA cache_size = -65536")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if tables == 0 and create:
                database.execute("PRAGMA journal_mode = DELETE")
                database.executescript(
                    f"BEGIN; {_SCHEMA} PRAGMA user_version = {INDEX_FORMAT}; COMMIT;"
                )
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
        # Without a code it is what Python could not turn into its own types.
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if code is None:
            return self._damaged(str(error))
        # The lowest byte of an extended code is the primary one.
        lacks = (code & 0xFF) in _DISK_REFUSES
        return (MachineLacksError if lacks else MachmeterError)(
            f"the index of runs, {self.path}, cannot be opened or written: {error}",
            "free some space or wait for the other machmeter to end, then `machmeter store "
            "rebuild`; no run is lost",
        )


def _put_or_warn(
    database: sqlite3.Connection, run: Run, warn: Callable[[MachmeterError], None]
) -> bool:
    database.execute("SAVEPOINT one_run")
    try:
        _put_whole(database, run)
    except MachmeterError as error:
        database.execute("ROLLBACK TO one_run")
        warn(error)
        return False
    database.execute("RELEASE one_run")
    return True


def _put_whole(database: sqlite3.Connection, run: Run) -> None:
    """Put a run in. Raises UnfitRunError where its own files are why it does not go."""
    try:
        _put(database, *run)
    except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
        raise UnfitRunError(
            f"run {run[0].header.id} in {run[1]} cannot be put into the index: {error}",
            "its files contradict each other: restore them as machmeter wrote them",
        ) from error


def _put(
    database: sqlite3.Connection,
    result: RunResult,
    folder: Path,
    records: Iterable[tuple[int, Record]],
) -> None:
    run = result.header.id
    summary = summarize(result.header, folder, result.state, result.outcomes, result.estimates)
    database.execute("DELETE FROM run WHERE id = ?", (run,))
    _insert(database, "run", [encoded(summary)])
    _insert(database, "estimate", [encoded(result_row(run, one)) for one in result.estimates])
    outcomes = {outcome.launch: outcome for outcome in result.outcomes}
    _insert(
        database,
        "launch",
        (
            (run, number, outcomes[number].spec, outcomes[number].verdict.value, packed(record))
            for number, record in records
            if number in outcomes
        ),
    )


def _insert(database: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    for row in rows:
        marks = ", ".join("?" * len(row))
        database.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 - our own names
