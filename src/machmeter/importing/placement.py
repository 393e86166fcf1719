"""Where a program ran, by launch lines, headings over tables and the names of files.

A word counts only there: `intra-node` in a line of a library's log, `running on node` of a hello
program or the nodes of a whole cluster or job say nothing of the ranks of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from machmeter.importing.launch_lines import benchmark_of, launch_in
from machmeter.importing.readings import Place
from machmeter.model.benchmark import Value

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

_HINT = re.compile(r"node|rank|proc|task|np|run|exec|poe|select=", re.IGNORECASE)
_LONGEST_HEADING = 120
_REACH = 200

UNKNOWN = Place()


class PlaceLabel(Struct, frozen=True):
    """What a line says of nodes and ranks of the tables below it."""

    line: int
    """Its number, from 1."""
    place: Place
    """What it says."""
    is_launch: bool = False
    """Whether it starts a program: what was said above it is of another one."""
    program: str = ""
    """What it starts."""


def label_in(line: str) -> Place:
    """What a line says of nodes and ranks, where it is a launch, a heading or the size of a job."""
    found = _label(0, line)
    return found.place if found else UNKNOWN


def labels_in(lines: Sequence[str]) -> tuple[PlaceLabel, ...]:
    """Every label among the lines; a launch is one even where it says nothing of nodes."""
    found = (
        _label(number, _continued(lines, number))
        for number, line in enumerate(lines, start=1)
        if _HINT.search(line)
    )
    return tuple(label for label in found if label)


def place_before(
    labels: Sequence[PlaceLabel], line: int, name: str, given: Place, test: str = ""
) -> Place:
    """Where the table whose head is line `line` (from 1) was measured.

    given: what a person said, which counts most; then the labels in the 200 lines above the table
    up to the launch that is nearest, then the file's name. test: title of the table; a launch of
    something else says nothing of it.
    """
    found = given
    last = bisect_left(labels, line, key=lambda label: label.line)
    for label in reversed(labels[max(0, last - 20) : last]):
        if line - label.line > _REACH:
            break
        if not label.is_launch or _starts(label.program, test):
            found = _completed(found, label.place)
        if label.is_launch:
            break
    return _completed(found, label_of_name(name))


def label_of_name(name: str) -> Place:
    """What the name of a file or test says: `2nodes`, `nodes_2`, `np16`, `internode`.

    A number after another one, as in a date, is none, nor is the number of one node (`node07`).
    """
    tokens = list(re.finditer(r"[A-Za-z]+|\d+", name))
    words = [one.group().lower() for one in tokens]
    glued = [bool(at) and one.start() == tokens[at - 1].end() for at, one in enumerate(tokens)]
    found: dict[str, int] = {}
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if word == "node" and before in _NODES_BY_WORD and after not in _OF_A_MACHINE:
            found.setdefault("nodes", _NODES_BY_WORD[before])
        elif word in _NODES_BY_COMPOUND:
            found.setdefault("nodes", _NODES_BY_COMPOUND[word])
        elif word in _KEYS and _is_count(after) and not _is_counted(words, glued, at):
            found.setdefault(_KEYS[word], int(after))
        elif word == "node" and _is_count(after) and {"ppn", "each"} & {*words, *found}:
            found.setdefault("nodes", int(after))
        elif word == "node" and after.isdigit():
            continue
        elif word in _COUNTED and after not in _OF_A_MACHINE and _is_counted(words, glued, at):
            found.setdefault(_COUNTED[word], int(before))
    nodes, ranks, each = (found.get(key, 0) for key in ("nodes", "ranks", "each"))
    if nodes == 2 and ranks > nodes and {"inter", "internode"} & {*words}:
        nodes = 0
    return _with_all(Place(nodes, ranks, name[:80], each=each)) if found else UNKNOWN


_NODES_BY_WORD = {"inter": 2, "intra": 1, "one": 1, "single": 1}
_NODES_BY_COMPOUND = {"internode": 2, "intranode": 1, "singlenode": 1}
_KEYS = {"nodes": "nodes", "np": "ranks", "ranks": "ranks", "nprocs": "ranks", "ntasks": "ranks"}
_KEYS |= {"ppn": "each", "nnodes": "nodes"}
_COUNTED = {"nodes": "nodes", "node": "nodes", "ranks": "ranks", "procs": "ranks", "tasks": "ranks"}
_COUNTED |= {"rank": "ranks", "proc": "ranks", "processes": "ranks", "np": "ranks", "ppn": "each"}
_OF_A_MACHINE = ("cluster", "system", "machine", "partition", "rack", "lab")


def _is_count(word: str) -> bool:
    return bool(re.fullmatch(r"[1-9]\d{0,6}", word))


def _is_counted(words: Sequence[str], glued: Sequence[bool], at: int) -> bool:
    """Whether the number before the word counts it: no value of another word, no part of a date,
    no version (`mvapich2_np16`)."""
    if at < 1 or not _is_count(words[at - 1]):
        return False
    if glued[at - 1] and not glued[at]:
        return False
    if at < 2 or words[at - 2] not in {*_KEYS, "node", "size"}:
        return at < 2 or not words[at - 2].isdigit()
    return _is_counted(words, glued, at - 2)


def remark_on(place: Place, name: str) -> str:
    """What is taken from a label, with the label; empty where nothing is."""
    if not place.label or not (place.nodes or place.ranks or place.each):
        return ""
    said = [
        f"{count} {what}{'s' * (count != 1)}{more}"
        for count, what, more in (
            (place.nodes, "node", ""),
            (place.ranks, "rank", ""),
            (place.each if not (place.nodes and place.ranks) else 0, "rank", " on each node"),
        )
        if count
    ]
    return f"{name}: {', '.join(said)}, from its label {place.label!r}"


def _label(number: int, line: str) -> PlaceLabel | None:
    launch = launch_in(line)
    if launch:
        quoted = " ".join(line.split())[:80]
        unknown = "its launch line puts more ranks on some nodes" if launch.uneven else ""
        place = Place(launch.nodes, launch.ranks, quoted, unknown, launch.each)
        says = launch.nodes or launch.ranks or launch.each
        return PlaceLabel(
            number, place if says else UNKNOWN, is_launch=True, program=launch.program
        )
    found = _job_in(line) or _heading_in(line)
    if not found:
        return None
    quoted = " ".join(line.split())[:80]
    return PlaceLabel(number, msgspec.structs.replace(found, label=quoted))


def _continued(lines: Sequence[str], number: int) -> str:
    """The line, with those that its last backslash appends."""
    line = lines[number - 1]
    if not line.rstrip().endswith("\\"):
        return line
    for following in lines[number : number + 10]:
        if not line.rstrip().endswith("\\"):
            break
        line = f"{line.rstrip()[:-1]} {following}"
    return line


def _heading_in(line: str) -> Place | None:
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
    # Between nodes more than two ranks may be on any number of them.
    nodes = nodes or int("one" in said) or 2 * ("two" in said and ranks <= 2)
    return _with_all(Place(nodes, ranks, each=each)) if nodes or ranks or each else None


def _is_foreign(word: str) -> bool:
    """Whether no heading has such a word, whatever else it holds."""
    return not (word in _OTHER_WORDS or _OF_HEADING.search(word) or _NAME_OF_TEST.fullmatch(word))


def _job_in(line: str) -> Place | None:
    """What the size of a job shows of every launch in it: one node, or one rank on each of two."""
    nodes = _first(_JOB, line)
    if nodes not in (1, 2):
        return None
    ranks = _first(_JOB_RANKS, line) or nodes * _first(_JOB_EACH, line)
    if nodes == 1 or nodes == ranks == 2:
        return Place(nodes, ranks if nodes == 2 else 0)
    return None


def is_benchmark(program: str) -> bool:
    """Whether a program may be a benchmark: no `hostname` or the like before it."""
    return program.rsplit("/", 1)[-1].lower().split(".")[0] not in _NO_BENCHMARKS


def _starts(program: str, test: str) -> bool:
    """Whether what a launch starts may have printed a table with that title."""
    name = program.rsplit("/", 1)[-1].lower()
    # Titles are no paths: "Multiple Bandwidth / Message Rate".
    suite, own = benchmark_of(program), benchmark_of(test.replace("/", " "))
    if not suite or not own or suite != own:
        return not suite and is_benchmark(program)
    title = re.sub(r"-(?:cuda|rocm|openacc)|[^a-z]", "", test.lower())
    short = name.removeprefix("osu_")
    return own != "osu" or short not in _TITLES or _TITLES[short] in title


_NO_BENCHMARKS = frozenset(
    (
        *(
            "hostname",
            "date",
            "echo",
            "env",
            "printenv",
            "uname",
            "lscpu",
            "numactl",
            "true",
            "cat",
        ),
        *(
            "sleep",
            "nvidia-smi",
            "hello",
            "hello_world",
            "mpi_hello",
            "ibstat",
            "ls",
            "mkdir",
            "cp",
        ),
        *("lstopo", "free", "ulimit", "module", "ompi_info", "ucx_info", "fi_info", "whoami", "id"),
    )
)
_TITLES = {
    "latency": "osumpilatency",
    "bw": "osumpibandwidth",
    "bibw": "bidirectionalbandwidth",
    "mbw_mr": "messagerate",
    "multi_lat": "multilatency",
    "bcast": "broadcast",
    "allreduce": "allreduce",
    "reduce": "reducelatency",
    "barrier": "barrier",
    "alltoall": "alltoall",
    "allgather": "allgather",
    "gather": "gather",
    "scatter": "scatter",
    "init": "init",
}


def _first(pattern: re.Pattern[str], words: str) -> int:
    found = pattern.search(words)
    return next((int(word) for word in found.groups() if word), 0) if found else 0


def _completed(known: Place, label: Place) -> Place:
    """What is known, with what a label adds; it is quoted where it adds something."""
    place = Place(
        known.nodes or (0 if known.unknown else label.nodes),
        known.ranks or label.ranks,
        unknown=known.unknown or ("" if known.nodes else label.unknown),
        each=known.each or label.each,
    )
    place = _with_all(place)
    if (place.nodes, place.ranks, place.each) == (known.nodes, known.ranks, known.each):
        return msgspec.structs.replace(place, label=known.label)
    gave_nodes = bool(label.nodes or label.each) and not (known.nodes or known.each)
    quoted = label.label if gave_nodes else known.label or label.label
    return msgspec.structs.replace(place, label=quoted)


def _with_all(place: Place) -> Place:
    """The place with the one of nodes, ranks and ranks on each node that the others make up."""
    nodes, ranks, each = place.nodes, place.ranks, place.each
    if not nodes and each and ranks and not place.unknown:
        nodes = ranks // each if ranks % each == 0 else int(ranks < each)
    return msgspec.structs.replace(place, nodes=nodes, ranks=ranks or nodes * each)


def of_ranks(place: Place, ranks: int) -> Place:
    """The place of as many ranks as the tool itself prints."""
    return _with_all(msgspec.structs.replace(place, ranks=ranks or place.ranks))


def pair_layout(place: Place) -> tuple[dict[str, Value], str]:
    """The layout of two ranks, and what is not known of it."""
    if place.label and place.nodes > 2:
        return (
            {},
            f"its label says {place.nodes} nodes; which of them the two ranks used is unknown",
        )
    if place.nodes >= 2 or (not place.nodes and place.each == 1):
        return {"nodes": 2, "ranks_per_node": 1}, ""
    if place.nodes == 1 or (not place.nodes and place.each > 1):
        return {"nodes": 1, "ranks_per_node": 2}, ""
    return {}, place.unknown or "whether the two ranks shared a node is not printed"


def group_layout(place: Place) -> tuple[dict[str, Value], str] | None:
    """The layout of many ranks and what is not known of it; None where no layout is like that."""
    if not place.ranks or place.unknown:
        return None
    if not place.nodes and place.ranks > 1:
        layout: dict[str, Value] = {"ranks_per_node": place.ranks}
        return layout, "on how many nodes the ranks ran is not printed; taken as one"
    nodes = place.nodes or 1
    if place.ranks % nodes:
        return None
    return {"nodes": nodes, "ranks_per_node": place.ranks // nodes}, ""


def workload_layout(place: Place) -> tuple[dict[str, Value], dict[str, Value], str]:
    """The layout of ranks, parameters that say what it cannot, and what is not known of it."""
    found = group_layout(place)
    if found is not None:
        return found[0], {}, found[1]
    # Nodes alone are a layout too: the rest of it stays open.
    nodes: dict[str, Value] = {"nodes": place.nodes} if place.nodes else {}
    if not place.ranks:
        return nodes, {}, "how many ranks ran is not printed"
    ranks: dict[str, Value] = {"ranks": place.ranks}
    if place.unknown:
        return {}, ranks, place.unknown
    return nodes, ranks, "not as many ranks on each node"
