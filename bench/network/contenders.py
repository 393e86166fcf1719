"""What is launched: our programs through our launcher, theirs bound to the same CPUs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from bench.network.figures import figure_of
from bench.network.quantity import NO_SIZE, RANKS, Quantity, Theirs
from bench.network.tables import Table, parse_imb_table, parse_osu_table
from bench.ours import OurSide
from bench.peers import PeerSide
from bench.rounds import Contender, ContenderError
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import LaunchSpec, PointRecord
from machmeter.model.point import make_point

Reduce = Callable[[Quantity, PointRecord], float]


def our_name(quantity: Quantity) -> str:
    """The name of our contender for that quantity."""
    return f"machmeter, {quantity.name}"


def our_key(size: int) -> str:
    """Our figure of one size."""
    return f"{size}"


def their_key(theirs: Theirs, size: int) -> str:
    """The figure of theirs that stands beside ours of that size."""
    return f"{theirs.column} {size * theirs.scale}"


def step_key(theirs: Theirs) -> str:
    """What one in the last printed digit of their column is, as a figure."""
    return f"step of {theirs.column}"


def our_spec(side: OurSide, quantity: Quantity, sizes: Iterable[int]) -> LaunchSpec:
    """One launch of all sizes, sampled as a run of machmeter does."""
    layout = Layout(ranks_per_node=RANKS, page_bytes=side.default_pages)
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
    side: OurSide, quantity: Quantity, sizes: Collection[int] = (), reduce: Reduce = figure_of
) -> Contender:
    """Figures by size, those whose point was refused left out; all refused is an error.

    sizes: empty for all of the quantity's; reduce: what makes one value of a launch.
    """
    spec = our_spec(side, quantity, sizes or quantity.sizes or (NO_SIZE,))

    def start(round_number: int) -> dict[str, float]:
        records, dropped = side.launch_points(spec, round_number)
        if not records:
            raise ContenderError("; ".join(sorted(set(dropped.values()))))
        return {
            our_key(int(record.parameters.get("size", NO_SIZE))): reduce(quantity, record)
            for record in records
        }

    return Contender(our_name(quantity), start)


def their_contender(
    peers: PeerSide, folder: Path, scratch: Path, theirs: Theirs, sizes: Collection[int]
) -> Contender:
    """All columns of the table that one launch of their program prints.

    folder: that of the programs; scratch: where a file may be written; sizes: theirs, of which
    OSU takes the range and IMB these alone; none for programs without sizes.
    """
    words: tuple[str, ...] = ()
    if sizes and theirs.tool == "OSU":
        words = ("-m", f"{min(sizes)}:{max(sizes)}")
    elif sizes:
        joined = "-".join(str(size) for size in sorted(sizes))
        lengths = scratch / f"lengths-{joined}"
        lengths.write_text(joined.replace("-", "\n") + "\n", encoding="ascii")
        words = ("-msglen", str(lengths))
    program = str((folder / theirs.program).absolute())
    command = (program, *theirs.words, *words)

    def start(_round: int) -> dict[str, float]:
        text = peers.run_ranks(command, RANKS)
        if theirs.tool == "OSU":
            return figures_of(parse_osu_table(text))
        return figures_of(parse_imb_table(text, theirs.section))

    return Contender(theirs.command_name, start)


def figures_of(table: Table) -> dict[str, float]:
    """Every cell as a figure, and what one in the last digit of every column is.

    A table of one line stands for quantities without sizes as well.
    """
    figures = {f"step of {name}": table.step(name) for name in table.columns}
    for name in table.columns:
        column = table.column(name)
        figures.update({f"{name} {size}": value for size, value in column.items()})
        if len(column) == 1:
            figures[f"{name} {NO_SIZE}"] = next(iter(column.values()))
    return figures
