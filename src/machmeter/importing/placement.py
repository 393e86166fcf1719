"""Where a program ran, by launch lines, headings over tables and the names of files.

A word counts only there: `intra-node` in a line of a library's log, `running on node` of a hello
program or the nodes of a whole cluster or job say nothing of the ranks of a table.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from machmeter.importing.launch_lines import benchmark_of, launch_in
from machmeter.importing.lines.clean import begins_output
from machmeter.importing.lines.plain_starts import plain_start_in
from machmeter.importing.lines.programs_started import is_benchmark, may_print
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

_HINT = re.compile(
    r"node|rank|proc|task|np|run|exec|poe|select=|stream|bench|osu_|imb-|hpcc|xhp", re.IGNORECASE
)
_LONGEST_HEADING = 120
_REACH = 200
_MOST_LABELS = 40
_BETWEEN = "it ran between nodes; on how many is not known"

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
    arguments: tuple[str, ...] = ()
    """What the program is given."""
    is_plain: bool = False
    """Whether it starts it without a launcher."""
    begins_table: bool = False
    """Whether it is no label: output begins there, of which the labels above it are."""


def label_in(line: str) -> Place:
    """What a line says of nodes and ranks, where it is a launch, a heading or the size of a job."""
    found = _label(0, line)
    return found.place if found else UNKNOWN


def labels_in(lines: Sequence[str]) -> tuple[PlaceLabel, ...]:
    """Every label among the lines; a launch is one even where it says nothing of nodes."""
    labels: list[PlaceLabel] = []
    launch: PlaceLabel | None = None
    for number, line in enumerate(lines, start=1):
        if begins_output(line):
            launch = None
            if not labels or not labels[-1].begins_table:
                labels.append(PlaceLabel(number, UNKNOWN, begins_table=True))
        elif _HINT.search(line):
            label = _label(number, continued(lines, number)) or _plain(lines, number, launch)
            launch = label if label and label.is_launch else launch
            labels += [label] if label else []
    return tuple(labels)


def place_before(
    labels: Sequence[PlaceLabel], line: int, name: str, given: Place, test: str = ""
) -> Place:
    """Where the table whose head is line `line` (from 1) was measured.

    given: what a person said, which counts most; then the labels in the 200 lines above the table
    up to the launch that is nearest, with no other table between them, then the file's name. test:
    title of the table; a launch of something else says nothing of it.
    """
    found = given
    has_label = is_started = False
    for label in _above(labels, line):
        if (label.begins_table and has_label) or (label.is_launch and is_started):
            break
        has_label = has_label or not label.begins_table
        if not label.is_launch or may_print(label.program, test):
            found = _completed(found, label.place)
        if label.is_launch and not label.is_plain:
            break
        is_started = is_started or label.is_launch
    return _completed(found, label_of_name(name))


def launch_before(labels: Sequence[PlaceLabel], line: int) -> PlaceLabel | None:
    """The nearest launch in the 200 lines above the table whose head is line `line` (from 1)."""
    return next((label for label in _above(labels, line) if label.is_launch), None)


def _above(labels: Sequence[PlaceLabel], line: int) -> Iterator[PlaceLabel]:
    """The labels in the 200 lines above a line, from it on upwards."""
    last = bisect_left(labels, line, key=lambda label: label.line)
    for label in reversed(labels[max(0, last - _MOST_LABELS) : last]):
        if line - label.line > _REACH:
            break
        yield label


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
            found.setdefault(*_NODES_BY_WORD[before])
        elif word in _NODES_BY_COMPOUND:
            found.setdefault(*_NODES_BY_COMPOUND[word])
        elif word in _KEYS and _is_count(after) and not _is_counted(words, glued, at):
            found.setdefault(_KEYS[word], int(after))
        elif word == "node" and _is_count(after) and {"ppn", "each"} & {*words, *found}:
            found.setdefault("nodes", int(after))
        elif word == "node" and after.isdigit():
            continue
        elif word in _COUNTED and after not in _OF_A_MACHINE and _is_counted(words, glued, at):
            found.setdefault(_COUNTED[word], int(before))
    between = found.pop("between", 0)
    nodes, ranks, each = (found.get(key, 0) for key in ("nodes", "ranks", "each"))
    if between and nodes == 1:
        nodes = between = 0
    is_between = bool(between and not nodes)
    place = Place(nodes or between, ranks, name[:80], each=each, between=is_between)
    return _with_all(place) if nodes or between or ranks or each else UNKNOWN


_BETWEEN_NODES, _ONE_NODE = ("between", 2), ("nodes", 1)
_NODES_BY_WORD = {
    "inter": _BETWEEN_NODES,
    **dict.fromkeys(("intra", "one", "single"), _ONE_NODE),
}
_NODES_BY_COMPOUND = {
    "internode": _BETWEEN_NODES,
    **dict.fromkeys(("intranode", "singlenode"), _ONE_NODE),
}
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
    between = ["between nodes"] if place.between else []
    said = between + [
        f"{count} {what}{'s' * (count != 1)}{more}"
        for count, what, more in (
            (0 if place.between else place.nodes, "node", ""),
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
            number,
            place if says else UNKNOWN,
            is_launch=True,
            program=launch.program,
            arguments=launch.arguments,
        )
    found = _job_in(line) or _heading_in(line)
    if not found:
        return None
    quoted = " ".join(line.split())[:80]
    return PlaceLabel(number, msgspec.structs.replace(found, label=quoted))


def _plain(lines: Sequence[str], number: int, launch: PlaceLabel | None) -> PlaceLabel | None:
    """A start without a launcher.

    launch: the last one without a table below it: what a script shows that it started is no other.
    """
    if number > 1 and lines[number - 2].rstrip().endswith("\\"):
        return None
    start = plain_start_in(continued(lines, number))
    if start is None or (not start.is_typed and launch and _may_start(launch, start.program)):
        return None
    program, arguments = start.program, start.arguments
    return PlaceLabel(
        number, UNKNOWN, is_launch=True, program=program, arguments=arguments, is_plain=True
    )


def _may_start(launch: PlaceLabel, program: str) -> bool:
    """Whether a launch over MPI may be what starts a program: the same one, or a script."""
    suite = benchmark_of(launch.program)
    same = suite == benchmark_of(program) or not suite
    return not launch.is_plain and is_benchmark(launch.program) and same


def continued(lines: Sequence[str], number: int) -> str:
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
    between = "two" in said and not nodes
    nodes = nodes or int("one" in said) or 2 * between
    place = Place(nodes, ranks, each=each, between=between)
    return _with_all(place) if nodes or ranks or each else None


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


def _first(pattern: re.Pattern[str], words: str) -> int:
    found = pattern.search(words)
    return next((int(word) for word in found.groups() if word), 0) if found else 0


def _completed(known: Place, label: Place) -> Place:
    """What is known, with what a label adds; it is quoted where it adds something."""
    # A number of nodes says more than that there are several.
    counts = known.between and label.nodes > 1 and not label.between
    of_nodes = label if counts or not (known.nodes or known.unknown) else known
    place = Place(
        of_nodes.nodes,
        known.ranks or label.ranks,
        unknown=of_nodes.unknown,
        each=known.each or label.each,
        between=of_nodes.between,
    )
    place = _with_all(place)
    if (place.nodes, place.ranks, place.each, place.between) == (
        *(known.nodes, known.ranks, known.each, known.between),
    ):
        return msgspec.structs.replace(place, label=known.label)
    says_nodes = bool(label.nodes or label.each or label.between)
    gave_nodes = counts or (says_nodes and not (known.nodes or known.each or known.between))
    quoted = label.label if gave_nodes else known.label or label.label
    return msgspec.structs.replace(place, label=quoted)


def _with_all(place: Place) -> Place:
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
    nodes: dict[str, Value] = {}
    if place.nodes and not place.between:
        nodes = {"nodes": place.nodes}
    if not place.ranks:
        return nodes, {}, "how many ranks ran is not printed"
    ranks: dict[str, Value] = {"ranks": place.ranks}
    if place.unknown:
        return {}, ranks, place.unknown
    return nodes, ranks, "not as many ranks on each node"
