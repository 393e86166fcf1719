"""Whether the key results of a machine are normal: among those of machines of today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.analysis.normal.position import positions
from machmeter.analysis.normal.report import NORMAL, KeyResult, Like, NormalReport
from machmeter.api.context import Context
from machmeter.api.loading import Run, load
from machmeter.api.machines import MachineName, is_file, is_published, machine
from machmeter.benchmarks.catalogue import is_primary
from machmeter.model.errors import UsageError
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.published.load import names_of_today
from machmeter.published.machine import published_results
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.store.run_folder import holds_run
from machmeter.text.labels import point_label

_MOST_OF_FILES = 24
_MOST_OWN = 200


def normal(
    name: MachineName,
    *,
    like: Like = Like.ALL,
    folder: Path | None = None,
    context: Context | None = None,
) -> NormalReport:
    """Compare the key results of a machine with those of machines of today.

    Args:
        name: As in `machine`.
        like: Which machines count: all, those with processors of the same generation, or those
            with the same network.
        folder: Also the machine files (docs/published.md) of this folder.
        context: Folders and listeners.

    Raises:
        UsageError: It is simulated, has no result, or no machine is of its kind.
        MachmeterError: A machine cannot be read.
    """
    context = context or Context()
    # A run is read once, for its results and for those that it shows first.
    known = load(name, context=context) if _is_run(name) else name
    here = machine(known, context=context)
    if here.origin is Origin.SIMULATED:
        raise UsageError(
            f"{here.id} was simulated: a model has no result of its own",
            "name a run that was measured; `machmeter reproduce` compares twins with machines",
        )
    key_results = _key_results(known, here)
    if not key_results:
        raise UsageError(f"{here.id} has no key result", "measure some: `machmeter run quick`")
    others = tuple(one for one in _others(folder, context) if _is_like(here, one, like))
    if not others:
        raise UsageError(
            f"no machine is of the kind of {here.id} ({like.value}: {here.kind or 'not known'})",
            "choose another kind: --like all",
        )
    placed = positions(here, [one for *_, one in key_results], others)
    by_point = {(one.estimate.point, one.estimate.metric): one for one in placed}
    return NormalReport(
        replace(here, estimates=()),
        like,
        tuple(one.id for one in others),
        tuple(
            KeyResult(title, label, by_point[one.point, one.metric])
            for title, label, one in key_results
            if (one.point, one.metric) in by_point
        ),
    )


def refuse_ambiguous() -> None:
    """Raise UsageError where a file or run is called `normal`."""
    path = Path(NORMAL)
    if is_file(path) or path.is_dir() or holds_run(path):
        raise UsageError(
            f"{NORMAL!r} names machines of today, and something here has that name too",
            f"to compare that, write ./{NORMAL}; else start machmeter elsewhere",
        )


def _is_run(name: MachineName) -> bool:
    """Whether it names one whole run, and no part of one, machine or file."""
    text = str(name)
    other = "," in text or "@" in text or is_published(text) or is_file(Path(text))
    return isinstance(name, Run) or holds_run(Path(text)) or not other


def _key_results(known: MachineName, here: MachineResults) -> list[tuple[str, str, Estimate]]:
    """Title, label and result; of a whole run its headlines, else what stands by itself."""
    own = {(one.point, one.metric): one for one in here.estimates}
    if not isinstance(known, Run):
        primary = [one for one in here.estimates if is_primary(one)]
        return [(one.title, point_label(one), one) for one in primary[:_MOST_OF_FILES]]
    shown = headline_results(known.result)
    keys = ((one, (one.estimate.point, one.estimate.metric)) for one in shown)
    return [(one.title, one.label, own[key]) for one, key in keys if key in own]


def _others(folder: Path | None, context: Context) -> Iterator[MachineResults]:
    """Those that come with machmeter, and one's own."""
    for name in names_of_today():
        yield published_results(name)
    for path in _files(folder) if folder else ():
        yield machine(path, context=context)


def _files(folder: Path) -> Sequence[Path]:
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not found or len(found) > _MOST_OWN:
        raise UsageError(
            f"{folder} holds {len(found) or 'no'} machine files",
            f"name a folder with 1 to {_MOST_OWN} files *.toml as docs/published.md has them",
        )
    return found


def _is_like(here: MachineResults, other: MachineResults, like: Like) -> bool:
    if other.id == here.id:
        return False
    mine, theirs = (one.kind.partition(", ") for one in (here, other))
    match like:
        case Like.CPU:
            return bool(mine[0]) and mine[0] == theirs[0]
        case Like.NETWORK:
            return bool(mine[2]) and mine[2] == theirs[2]
        case Like.ALL:
            return True
