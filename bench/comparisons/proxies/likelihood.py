"""Phylogenetic likelihood versus libpll: the same rounds on the same tree and alignment."""

from __future__ import annotations

from bench.comparisons.proxies.by_ranks import RATE
from bench.comparisons.proxies.peers.compiled import LibraryPeer, compare_with_library
from bench.context import Bench, Outcome, empty_outcome
from bench.ours import OurPrograms, Statistic, one_point, time_of
from bench.parsers import LikelihoodRun, parse_likelihood
from bench.peers import PeerPrograms
from bench.rounds import Contender, ContenderError
from machmeter.benchmarks.proxies.plf import PLF
from machmeter.model.layout import Layout
from machmeter.model.units import SITE_UPDATES_PER_SECOND

TITLE = "likelihood"
TAXA, SITES, ROUNDS = 128, 2000, 20
# What a run ends with.
LOG_LIKELIHOOD = -157086.855437
# Every inner node once in the traversal of a round, and three times in its walk.
UPDATES = 4 * (TAXA - 2) * SITES * ROUNDS
SAMPLES = 6
PEER = LibraryPeer("libpll", "likelihood.cpp", "libpll-dev", ("-lpll",))


def compare(bench: Bench) -> Outcome:
    """One rank, and one on each of two cores, both with the same MPI."""
    outcome = empty_outcome(f"Likelihood of a tree, {TAXA} sequences, {SITES} sites")
    outcome.notes.append(
        "the same tree, alignment, model, order of nodes and steps of Newton's method, to the same "
        "logarithm; libpll's kernels for the widest vectors that it has (AVX2), codes at tips and "
        "one scaling for a site, as in the proxy, called by a program that adds up over ranks as "
        "the proxy does"
    )
    return compare_with_library(
        bench, outcome, TITLE, PEER, _ours, _libpll, SITE_UPDATES_PER_SECOND
    )


def update_rate(run: LikelihoodRun, ranks: int) -> float:
    """Conditional likelihoods per second of libpll. Raises ContenderError where it ran on another
    number of ranks, or ended with another likelihood."""
    if run.ranks != ranks:
        raise ContenderError(f"libpll ran on {run.ranks} ranks, not {ranks}")
    if not abs(run.log_likelihood / LOG_LIKELIHOOD - 1) < 1e-9:
        raise ContenderError(
            f"libpll ended with the logarithm {run.log_likelihood}, not {LOG_LIKELIHOOD}: try "
            "another release of it"
        )
    return UPDATES / time_of(run.seconds, Statistic.MEAN)


def _ours(ours: OurPrograms, ranks: int) -> Contender:
    spec = one_point(
        PLF.name,
        {"taxa": TAXA, "sites": SITES, "rounds": ROUNDS, "scaling": "strong"},
        Layout(ranks_per_node=ranks, page_bytes=ours.base_pages),
        samples=SAMPLES,
        seconds=5,
        name=f"machmeter, {ranks}",
    )
    return ours.point_contender(spec.name, spec, {RATE: ("site_updates", Statistic.MEAN)})


def _libpll(program: str, peers: PeerPrograms, ranks: int) -> Contender:
    command = (program, *map(str, (TAXA, SITES, ROUNDS, SAMPLES)))

    def start(_round: int) -> dict[str, float]:
        run = parse_likelihood(peers.run_ranks(command, ranks))
        return {RATE: update_rate(run, ranks)}

    return Contender(f"libpll, {ranks}", start)
