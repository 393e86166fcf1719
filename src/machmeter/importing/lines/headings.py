"""Headings over tables, and sizes of jobs: what lines other than launches say of nodes."""

from __future__ import annotations

import re

import msgspec

from machmeter.importing.readings import Place

_RANKS = r"[ -]?(?:mpi )?(?:ranks?|procs?|process(?:es)?|tasks?)"
_HEADING = re.compile(
    rf"(?P<nodes_of>\d{{1,6}})[ -]?nodes? ?[x*] ?(?P<each_of>\d{{1,6}}){_RANKS}"
    rf"|(?P<ranks_each>\d{{1,6}}){_RANKS} (?:per|each|a|/) ?node|(?P<each>ppn[ =]?\d{{1,6}})"
    rf"|(?P<nodes>\d{{1,6}})[ -]?nodes?|(?P<ranks>\d{{1,7}}){_RANKS}"
    r"|nodes=(?P<nodes_after>\d{1,6})|(?:ranks|ntasks|nprocs|np)[ =]?(?P<ranks_after>\d{1,7})"
    r"|(?P<two>inter[ -]?node|(?:between|across) nodes)"
    r"|(?P<one>intra[ -]?node|(?:one|single|same|within a)[ -]node)"
)
_OF_HEADING = re.compile(
    r"\d|node|rank|proc|task|ppn|np|mpi|per|each|inter|intra|across|one|single|same|within|between|/|^a$"
)
# What else a heading over a table may say.
_OTHER_WORDS = frozenset(
    (
        *(
            "osu",
            "imb",
            "mpi",
            "latency",
            "bandwidth",
            "bw",
            "bibw",
            "test",
            "tests",
            "run",
            "case",
        ),
        *("with", "over", "on", "between", "across", "using", "and", "of", "for", "the", "x", "vs"),
        *("benchmark", "benchmarks", "results", "part", "bi-directional", "pt2pt", "collective"),
        *("point-to-point", "collectives", "pingpong", "allreduce", "alltoall", "bcast", "barrier"),
        *("message", "rate", "hpcc", "communication", "performance", "per"),
    )
)
_NAME_OF_TEST = re.compile(r"(?:osu_|imb-)[\w-]{1,40}")
_DECORATION = "=-#*+~_<>[]().,:;|!/"
_MOST_WORDS = 14
_JOB = re.compile(
    r"(?<!\w)(?:SLURM_(?:JOB_NUM_|N|JOB_N)NODES|NumNodes|PBS_NUM_NODES|LSB_NNODES)=(\d{1,6})(?!\d)"
    r"|(?<!\w)select=(\d{1,6})(?=:)|(?<![\w-])nodes=(\d{1,6})(?=:ppn)"
)
_JOB_RANKS = re.compile(r"(?<!\w)(?:SLURM_NTASKS|SLURM_NPROCS|NumTasks|PBS_NP)=(\d{1,7})(?!\d)")
_JOB_EACH = re.compile(r":(?:mpiprocs|ppn)=(\d{1,6})(?!\d)")
_LONGEST_HEADING = 120
_BETWEEN = "it ran between nodes; on how many is not known"


def heading_in(line: str) -> Place | None:
    """What a heading says; None of sentences, in which `node` may be anything."""
    if len(line) > _LONGEST_HEADING or re.match(r"\s*\d[\d.]*\s+\d", line):
        return None
    words = [word.strip(_DECORATION).lower() for word in line.split()]
    plain = " ".join(word for word in words if word).replace("_node", " node")
    # Of most lines one word tells that they are none, long before the whole pattern does.
    if any(_is_foreign(word) for word in plain.replace(",", " ").split()):
        return None
    found = list(_HEADING.finditer(plain))
    others = _HEADING.sub(" ", plain).replace(",", " ").split()
    if not found or len(others) > _MOST_WORDS:
        return None
    if not all(word in _OTHER_WORDS or _NAME_OF_TEST.fullmatch(word) for word in others):
        return None
    said: dict[str, int] = {}
    for match in found:
        for key, word in match.groupdict().items():
            if word:
                said.setdefault(key, int(re.sub(r"\D", "", word) or 0))
    nodes, ranks, each = (
        next((said[key] for key in keys if said.get(key)), 0)
        for keys in (
            ("nodes_of", "nodes", "nodes_after"),
            ("ranks", "ranks_after"),
            ("each_of", "ranks_each", "each"),
        )
    )
    if not nodes and {"one", "two"} <= said.keys():
        return None
    between = "two" in said and not nodes
    nodes = nodes or int("one" in said) or 2 * between
    place = Place(nodes, ranks, each=each, between=between)
    return with_all(place) if nodes or ranks or each else None


def _is_foreign(word: str) -> bool:
    """Whether no heading has such a word, whatever else it holds."""
    return not (word in _OTHER_WORDS or _OF_HEADING.search(word) or _NAME_OF_TEST.fullmatch(word))


def job_in(line: str) -> Place | None:
    """What the size of a job shows of every launch in it: one node, or one rank on each of two."""
    nodes = _first(_JOB, line)
    if nodes not in (1, 2):
        return None
    ranks = _first(_JOB_RANKS, line) or nodes * _first(_JOB_EACH, line)
    if nodes == 1 or nodes == ranks == 2:
        return Place(nodes, ranks if nodes == 2 else 0)
    return None


def _first(pattern: re.Pattern[str], words: str) -> int:
    found = pattern.search(words)
    return next((int(word) for word in found.groups() if word), 0) if found else 0


def with_all(place: Place) -> Place:
    """The place with the one of nodes, ranks and ranks on each node that the others make up."""
    nodes, ranks, each, unknown = place.nodes, place.ranks, place.each, place.unknown
    # Between nodes more than two ranks may be on any number of them.
    if place.between and (ranks > 2 or each > 1):
        nodes, unknown = 0, ""
    if not nodes and each and ranks and not unknown:
        nodes = ranks // each if ranks % each == 0 else int(ranks < each)
    if place.between and nodes < 2:
        nodes, unknown = 0, _BETWEEN
    return msgspec.structs.replace(
        place,
        nodes=nodes,
        ranks=ranks or nodes * each,
        unknown=unknown,
        between=place.between and nodes <= 2,
    )
