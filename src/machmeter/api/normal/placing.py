"""Whether the key results of a machine are normal: among those of machines of today."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.analysis.normal.position import positions
from machmeter.analysis.normal.report import NORMAL, KeyResult, Like, NormalReport
from machmeter.api.context import Context
from machmeter.api.loading import Run, load
from machmeter.api.machines import MachineName, is_file, is_published, machine
from machmeter.benchmarks.catalogue import is_primary
from machmeter.model.errors import MachmeterError, UsageError
from machmeter.model.origin import Origin
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine import MachineResults
from machmeter.published.load import names_of_today
from machmeter.published.machine import published_results
from machmeter.report.benchmarks.headlines import headline_results
from machmeter.store.run_folder import holds_run
from machmeter.text.labels import point_label

_MOST_OWN = 200


def normal(
    name: MachineName,
    *,
    benchmarks: Sequence[str] = (),
    like: Like = Like.ALL,
    folder: Path | None = None,
    context: Context | None = None,
) -> NormalReport:
    """Compare the key results of a machine with those of machines of today.

    Args:
        name: As in `machine`.
        benchmarks: Only key results of these benchmarks or groups.
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
    key_results = [
        (title, label, one)
        for title, label, one in _key_results(known, here)
        if one.resolved and one.value > 0 and _is_named(one, benchmarks)
    ]
    if not key_results:
        raise UsageError(
            f"{here.id} has no such key result" if benchmarks else f"{here.id} has no key result",
            "measure some: `machmeter run quick`",
        )
    others = _like(here, _others(here, folder, context), like)
    placed = positions(here, [one for *_, one in key_results], others)
    if all(one.lacks for one in placed):
        lacking = ", ".join(dict.fromkeys(name for one in placed for name in one.lacks))
        placed_by = (
            "; `machmeter machine import FILE -o own.toml --used-nodes N --used-ranks N` does"
        )
        raise UsageError(
            f"{here.id} does not state of its results: {lacking}",
            "state it in the tables of a machine file (docs/published.md)"
            + placed_by * any("nodes" in one.lacks for one in placed),
        )
    return NormalReport(
        replace(here, estimates=()),
        like,
        tuple(one.id for one in others),
        tuple(
            KeyResult(title, label, position)
            for (title, label, _), position in zip(key_results, placed, strict=True)
        ),
    )


def normal_of_run(run: Run, context: Context) -> NormalReport | None:
    """The key results of a run among machines of today; None where nothing can be said of any: of
    a simulated run, and of a program of others."""
    try:
        found = normal(run, context=context)
    except UsageError:
        return None
    positions = (one.position for one in found.results)
    said = any(one.share or one.others or one.not_placed for one in positions)
    return found if said else None


def _is_named(one: Estimate, benchmarks: Sequence[str]) -> bool:
    name = one.point.benchmark
    return not benchmarks or name in benchmarks or name.partition(".")[0] in benchmarks


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
        names = Counter((one.title, _label(one)) for one in primary)
        return [
            (_title(one, alone=names[one.title, _label(one)] == 1), _label(one), one)
            for one in primary
        ]
    shown = headline_results(known.result)
    keys = ((one, (one.estimate.point, one.estimate.metric)) for one in shown)
    return [(one.title, one.label, own[key]) for one, key in keys if key in own]


def _title(one: Estimate, *, alone: bool) -> str:
    """Its title; where that is not its own with what it is a result of."""
    return one.title if alone else f"{one.title}, {one.point.benchmark.rpartition('.')[2]}"


def _label(one: Estimate) -> str:
    """Its point, and what its source says beyond it."""
    relation = one.printed.relation if one.printed else None
    return point_label(one) + (f", nodes of {relation.value}" if relation else "")


def _others(
    here: MachineResults, folder: Path | None, context: Context
) -> tuple[MachineResults, ...]:
    """Those that come with machmeter and one's own, which stand for packaged ones of their ids;
    without the machine itself. A file that cannot be read is a warning."""
    found = {name: published_results(name) for name in names_of_today()}
    own: dict[str, MachineResults] = {}
    for path in _files(folder) if folder else ():
        try:
            one = machine(path, context=context)
        except MachmeterError as error:
            context.warn(error)
            continue
        if one.id in own:
            context.warn(MachmeterError(f"{path}: {one.id} is there already", "give it another id"))
        own.setdefault(one.id, one)
    if folder and not own:
        raise UsageError(f"{folder} holds no machine that can be read", "see the warnings")
    made = tuple(f"run {run}" for run in here.runs)
    return tuple(
        one
        for one in (found | own).values()
        if one.id != here.id and not (made and one.source.endswith(made))
    )


def _files(folder: Path) -> Sequence[Path]:
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    if not found or len(found) > _MOST_OWN:
        raise UsageError(
            f"{folder} holds {len(found) or 'no'} machine files",
            f"name a folder with 1 to {_MOST_OWN} files *.toml as docs/published.md has them",
        )
    return found


def _like(
    here: MachineResults, others: Sequence[MachineResults], like: Like
) -> tuple[MachineResults, ...]:
    """Those of the kind that was requested."""
    if like is Like.ALL:
        return tuple(others)
    own, what = {
        Like.CPU: (here.generation, "generation of its processors"),
        Like.NETWORK: (here.network, "network"),
    }[like]
    if not own:
        raise UsageError(f"of {here.id} the {what} is not known", "choose another kind: --like all")
    found = tuple(
        one for one in others if own == (one.generation if like is Like.CPU else one.network)
    )
    if not found:
        raise UsageError(f"no machine has the {what} of {here.id}, {own}", "use --like all")
    return found
