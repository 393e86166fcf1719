"""How many ranks on how many nodes: the rank counts that a benchmark is measured with. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from machmeter.model.benchmark import Benchmark, RankSweep
from machmeter.model.errors import UsageError
from machmeter.model.plan.study import Experiment, LayoutOptions
from machmeter.model.results.run import SkipCause, Skipped

GROWING_RANKS = (2, 4, 8, 16)


class RankCount(Struct, frozen=True):
    """How many ranks on how many nodes."""

    nodes: int = 1
    """Nodes."""
    ranks_per_node: int = 1
    """Ranks on each."""
    oversubscribed: bool = False
    """Whether the sweep itself has more ranks than cores."""

    @property
    def ranks(self) -> int:
        """Ranks over all nodes."""
        return self.nodes * self.ranks_per_node


class RankCounts(Struct, frozen=True):
    """The rank counts of a benchmark."""

    counts: tuple[RankCount, ...]
    """What is measured."""
    skipped: tuple[Skipped, ...] = ()
    """What was requested and is not, and why."""


def rank_counts(
    benchmark: Benchmark, experiment: Experiment, cores: int, options: LayoutOptions
) -> RankCounts:
    """The rank counts of `experiment`; `cores`: of one node that ranks may use.

    Raises UsageError for nodes that were not named as hosts.
    """
    if not benchmark.program.has_ranks:
        return RankCounts((RankCount(),))
    offered = len(options.hosts) or 1
    _refuse_nodes(options, offered)
    if options.rank_counts:
        return _requested(benchmark, experiment, options, offered)
    found = dict.fromkeys(_swept(benchmark, experiment, cores, options, offered))
    taken = tuple(count for count in found if not _refusal(benchmark, count.ranks))
    if taken:
        return RankCounts(taken)
    reason = _refusal(benchmark, max((count.ranks for count in found), default=1))
    usable = f"{cores} core{'s' * (cores != 1)} may be used here"
    remedy = "name hosts, or ask for ranks by number (--ranks 2 --oversubscribe)"
    why = f"{reason}; {usable}: {remedy}"
    return RankCounts((), (Skipped(benchmark.name, why, SkipCause.RANK_COUNT),))


def _refuse_nodes(options: LayoutOptions, offered: int) -> None:
    for nodes in options.nodes:
        if nodes > offered:
            raise UsageError(
                f"--nodes {nodes}: only {offered} host{'s are' if offered > 1 else ' is'} known",
                "name them: --hosts NAME,NAME,... or, in an allocation of Slurm, --hosts slurm",
            )


def _requested(
    benchmark: Benchmark, experiment: Experiment, options: LayoutOptions, offered: int
) -> RankCounts:
    counts: list[RankCount] = []
    skipped: list[Skipped] = []
    for ranks in options.rank_counts:
        what = f"{benchmark.name} with {ranks} rank{'s' * (ranks != 1)}"
        if reason := _refusal(benchmark, ranks):
            skipped.append(Skipped(what, reason, SkipCause.RANK_COUNT))
            continue
        if benchmark.most_ranks == 2:
            counts += _pairs(experiment, options, offered)
            continue
        for nodes in _node_counts(experiment, options, offered):
            if ranks % nodes:
                reason = (
                    f"{ranks} ranks cannot be shared out evenly over {nodes} nodes: name as many "
                    "nodes as divide them (--nodes)"
                )
                skipped.append(Skipped(what, reason))
            else:
                counts.append(RankCount(nodes, ranks // nodes))
    return RankCounts(tuple(counts), tuple(skipped))


def _node_counts(experiment: Experiment, options: LayoutOptions, offered: int) -> tuple[int, ...]:
    return (1,) if experiment.one_node else options.nodes or (offered,)


def _refusal(benchmark: Benchmark, ranks: int) -> str:
    """Why the benchmark does not take that many ranks; empty where it does."""
    least, most = benchmark.least_ranks, benchmark.most_ranks
    if ranks < least or (most and ranks > most):
        wanted = f"exactly {least}" if least == most else f"at least {least}"
        return f"it takes {wanted} ranks"
    return "it takes an even number of ranks" if benchmark.even_ranks and ranks % 2 else ""


def _swept(
    benchmark: Benchmark, experiment: Experiment, cores: int, options: LayoutOptions, offered: int
) -> Iterator[RankCount]:
    sweep = experiment.ranks or benchmark.ranks
    if sweep is RankSweep.PAIR:
        yield from _pairs(experiment, options, offered)
        return
    for nodes in _node_counts(experiment, options, offered):
        every = cores - cores * nodes % 2 if benchmark.even_ranks else cores
        match sweep:
            case RankSweep.ONE:
                yield RankCount()
            case RankSweep.POWERS | RankSweep.EVERY:
                first = 0 if nodes > 1 or sweep is RankSweep.EVERY else 1
                powers = [2**power for power in range(first, every.bit_length())]
                yield from (RankCount(nodes, count) for count in (*powers, every) if count <= every)
            case RankSweep.ALL:
                yield from _all(nodes, every)
            case RankSweep.NODES:
                yield RankCount(nodes, 1 if nodes > 1 else every)
            case RankSweep.EACH_NODE:
                yield RankCount(nodes, 1)
            case RankSweep.GROWING:
                for count in (*GROWING_RANKS, *((cores,) if cores > GROWING_RANKS[-1] else ())):
                    yield RankCount(nodes, count, oversubscribed=count > cores)


def _pairs(experiment: Experiment, options: LayoutOptions, offered: int) -> Iterator[RankCount]:
    nodes = _node_counts(experiment, options, offered)
    if 1 in nodes or (not options.nodes and not experiment.one_node):
        yield RankCount(1, 2)
    if max(nodes) > 1:
        yield RankCount(2, 1)


def _all(nodes: int, every: int) -> Iterator[RankCount]:
    """All cores of all nodes; of several nodes also of fewer of them, and one rank on each."""
    if nodes > 1:
        yield RankCount(nodes, 1)
        for power in range(1, (nodes - 1).bit_length()):
            yield RankCount(2**power, every)
    yield RankCount(nodes, every)
