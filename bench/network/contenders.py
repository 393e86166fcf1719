"""Contenders: our programs through our launcher, the peers' bound to the same CPUs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from bench.network.quantity import NO_SIZE, RANKS, PeerColumn, Quantity
from bench.network.reductions import peer_reduction
from bench.network.tables import Table, parse_imb_table, parse_osu_table
from bench.ours import OurPrograms
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec, PointRecord
from machmeter.model.point import make_point

Reduce = Callable[[Quantity, PointRecord], float]


def our_name(quantity: Quantity) -> str:
    """The name of our contender for that quantity."""
    return f"machmeter, {quantity.name}"


def our_key(size: int) -> str:
    """Our metric of one size."""
    return f"{size}"


def peer_key(theirs: PeerColumn, size: int) -> str:
    """The peer's metric that corresponds to ours of that size."""
    return f"{theirs.column} {size * theirs.scale}"


def step_key(theirs: PeerColumn) -> str:
    """The metric that holds the value of one in the last printed digit of that column."""
    return f"step of {theirs.column}"


def our_spec(programs: OurPrograms, quantity: Quantity, sizes: Iterable[int]) -> LaunchSpec:
    """One launch of all sizes, sampled as in a run of machmeter."""
    layout = Layout(ranks_per_node=RANKS, page_bytes=programs.default_pages)
    fixed = dict(quantity.parameters)
    name = quantity.benchmark.name
    points = tuple(
        make_point(name, fixed if size == NO_SIZE else {**fixed, "size": size}, layout)
        for size in sizes
    )
    return LaunchSpec(
        name=our_name(quantity),
        executable=quantity.benchmark.executable,
        benchmark=name,
        layout=layout,
        points=points,
        seconds_per_point=quantity.benchmark.seconds_per_point,
    )


def our_contender(
    programs: OurPrograms,
    quantity: Quantity,
    sizes: Collection[int] = (),
    reduce: Reduce = peer_reduction,
) -> Contender:
    """Results by size without dropped points; it is an error if all are dropped.

    sizes: empty for all of the quantity's; reduce: makes one value of a launch.
    """
    spec = our_spec(programs, quantity, sizes or quantity.sizes or (NO_SIZE,))

    def start(round_number: int) -> dict[str, float]:
        records, dropped = programs.launch_points(spec, round_number)
        if not records:
            raise ContenderError("; ".join(sorted(set(dropped.values()))))
        return {
            our_key(int(record.parameters.get("size", NO_SIZE))): reduce(quantity, record)
            for record in records
        }

    return Contender(our_name(quantity), start)


def peer_contender(
    peers: PeerPrograms, folder: Path, scratch: Path, theirs: PeerColumn, sizes: Collection[int]
) -> Contender:
    """All columns of the table that one launch of the peer's program prints.

    folder: that of the programs; scratch: a writable folder; sizes: the peer's, of which OSU
    measures the range and IMB exactly these; none for programs without sizes.
    """
    arguments: tuple[str, ...] = ()
    if sizes and theirs.tool == "OSU":
        arguments = ("-m", f"{min(sizes)}:{max(sizes)}")
    elif sizes:
        joined = "-".join(str(size) for size in sorted(sizes))
        lengths = scratch / f"lengths-{joined}"
        lengths.write_text(joined.replace("-", "\n") + "\n", encoding="ascii")
        arguments = ("-msglen", str(lengths))
    executable = str((folder / theirs.program).absolute())
    command = (executable, *theirs.arguments, *arguments)

    def start(_round: int) -> dict[str, float]:
        text = peers.run_ranks(command, RANKS)
        if theirs.tool == "OSU":
            return results_of_table(parse_osu_table(text))
        return results_of_table(parse_imb_table(text, theirs.section))

    return Contender(theirs.command_name, start)


def results_of_table(table: Table) -> dict[str, float]:
    """Every cell as a metric, and the value of one in the last digit of every column.

    A table of one line also has the entries of a quantity without sizes.
    """
    results = {f"step of {name}": table.step(name) for name in table.columns}
    for name in table.columns:
        column = table.column(name)
        results.update({f"{name} {size}": value for size, value in column.items()})
        if len(column) == 1:
            results[f"{name} {NO_SIZE}"] = next(iter(column.values()))
    return results
