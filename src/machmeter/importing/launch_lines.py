"""Lines that start programs over MPI, read as each launcher means its options.

Sources: mpirun(1) of Open MPI 4 and 5, Hydra's and Intel MPI's mpiexec, srun(1), flux-run(1),
aprun(1), jsrun(1), lrun(1), poe(1), runjob of Blue Gene/Q, ccc_mprun(1), mpirun_rsh of MVAPICH.
`-N` is the number of nodes for srun and flux, and that of the ranks of each node for mpirun,
mpiexec (of MPIs, only Open MPI's have it) and aprun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile

from msgspec import Struct

from machmeter.importing.lines.program_names import program_at
from machmeter.launch.batch.host_lists import expanded

MOST_HOSTS = 10_000
MOST_WORDS = 400
_MOST_BEFORE = 10
QUOTES = "\"'`"
END_OF_COMMAND = re.compile(r"[0-9&]?[>|<;#].*|\|\||&&|&|\\")


class LauncherOptions(Struct, frozen=True):
    """The options of a launcher that say where ranks run, without their dashes."""

    ranks: tuple[str, ...] = ("n", "np")
    """How many ranks."""
    nodes: tuple[str, ...] = ()
    """How many nodes."""
    each: tuple[str, ...] = ()
    """How many ranks on each node."""
    hosts: tuple[str, ...] = ()
    """Which hosts."""
    map_by: tuple[str, ...] = ()
    """By what ranks are placed."""
    uses_all_hosts: bool = False
    """Whether ranks are spread over all hosts, as many on each."""
    sets: tuple[str, ...] = ()
    """How many resource sets, each of some ranks."""
    ranks_of_set: tuple[str, ...] = ()
    """How many ranks a resource set has."""
    sets_each: tuple[str, ...] = ()
    """How many resource sets on each node."""
    valued: tuple[str, ...] = ()
    """Others with a value, which are flags of most launchers."""
    flags: tuple[str, ...] = ()
    """Without a value, where most launchers' have one."""


_MPI = LauncherOptions(
    ranks=("n", "np", "c"),
    each=("N", "npernode", "ppn", "perhost", "grr", "ranks-per-node"),
    hosts=("host", "H", "hosts", "hostlist"),
    map_by=("map-by",),
)
_SLURM = LauncherOptions(
    ranks=("n", "ntasks"),
    nodes=("N", "nodes"),
    each=("ntasks-per-node", "tasks-per-node"),
    hosts=("w", "nodelist"),
    uses_all_hosts=True,
)
_LAUNCHERS = {
    "mpirun": _MPI,
    "mpiexec": _MPI,
    "prun": _MPI,
    "prterun": _MPI,
    "orterun": _MPI,
    "oshrun": _MPI,
    "mpirun_rsh": LauncherOptions(),
    "srun": _SLURM,
    "flux": _SLURM,
    "ccc_mprun": LauncherOptions(nodes=("N",)),
    "aprun": LauncherOptions(each=("N",), hosts=("L", "node-list"), flags=("b",)),
    "ibrun": LauncherOptions(),
    "lrun": LauncherOptions(ranks=("n",), nodes=("N",), each=("T",)),
    "jsrun": LauncherOptions(
        ranks=("p", "np"),
        sets=("n", "nrs"),
        ranks_of_set=("a", "tasks_per_rs"),
        sets_each=("r", "rs_per_host"),
        valued=("E", "l", "K", "X", "h"),
    ),
    "poe": LauncherOptions(ranks=("procs",), nodes=("nodes",), each=("tasks_per_node",)),
    "runjob": LauncherOptions(ranks=("n", "np"), each=("p", "ranks-per-node")),
}
# Most lines of a log have none: it is looked for before they are taken apart.
_ANY_LAUNCHER = re.compile("run|exec|flux|poe")
_VARIANT = re.compile(r"(mpirun|mpiexec|prun|orterun)(?:[.-][a-z]\w{0,20}|_mpt)")
_FLUX = ("run", "submit", "mini")
# Options without a value; of options that stand in no list the next word is taken as one.
_FLAGS = frozenset(
    (
        *("v", "vv", "verbose", "q", "quiet", "l", "label", "u", "unbuffered", "exclusive", "V"),
        *("overlap", "oversubscribe", "nooversubscribe", "allow-run-as-root", "tag-output", "X"),
        *("timestamp-output", "display-map", "display-allocation", "report-bindings", "nolocal"),
        *("bynode", "bycore", "byslot", "pernode", "rr", "E", "K", "O", "s", "prepend-rank", "h"),
        *("bind-to-core", "bind-to-socket", "bind-to-none", "genvall", "envall", "genvnone"),
        *("do-not-launch", "display-devel-map", "use-hwthread-cpus", "pty", "Q", "ssh", "rsh"),
        *("no-local", "leave-session-attached", "stdio-label", "line-buffer", "spread", "pack"),
    )
)
_TWO_VALUES = frozenset(("mca", "gmca", "omca", "pmca", "prtemca", "pmixmca", "genv", "env"))
# With a value, which may look like a program: a path, a variable.
_VALUED = frozenset(
    (
        *("x", "c", "m", "f", "p", "A", "t", "J", "o", "e", "i", "d", "g", "b", "bind-to", "D"),
        *("hostfile", "machinefile", "rankfile", "rf", "configfile", "prefix", "wdir", "wd", "dir"),
        *("chdir", "output", "error", "input", "path", "tmpdir", "outfile-pattern", "iface"),
        *("errfile-pattern", "container-image", "container-mounts", "container-workdir", "mpi"),
        *("container-name", "launcher-exec", "launch-agent", "preload-files", "xterm", "cwd"),
    )
)
_PROGRAM = re.compile(r"[^=]*/|\$|(?:osu|imb|hpcc|xhpl|stream)(?![a-z])", re.IGNORECASE)
_BEFORE = re.compile(
    r"[^A-Za-z]*|.*[$#%>:+~\]]|[A-Za-z_]\w*=.*|\[.*|.*@.*"
    r"|time|(?:/usr)?/bin/time|exec|env|nohup|eval|command|timeout|running|executing|launching"
    r"|run|test|launch|cmd|do|then|else|-p|-v|\d{1,9}[smh]?",
    re.IGNORECASE | re.DOTALL,
)
_COUNT = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?")
_RESOURCE = re.compile(r"(?:ppr:)(\d{1,6}):node(?![a-z])", re.IGNORECASE)
_HOSTS = re.compile(r"[\w.,:*\[\]-]{1,2000}")


class PrintedLaunch(Struct, frozen=True):
    """What a line that starts a program says; 0 where it does not say it."""

    program: str
    """What is started, as written; empty where it is not found."""
    nodes: int = 0
    """On how many nodes."""
    ranks: int = 0
    """With how many ranks."""
    each: int = 0
    """With how many of them on each node."""
    uneven: bool = False
    """Whether some node gets more ranks than another."""
    arguments: tuple[str, ...] = ()
    """What follows the program."""


def launch_in(line: str) -> PrintedLaunch | None:
    """The launch of a line that begins with a launcher, after a prompt or the like; None of others.

    A sentence that names a launcher is none: its options or its program must follow.
    """
    if not _ANY_LAUNCHER.search(line):
        return None
    words = line.split(maxsplit=MOST_WORDS)[:MOST_WORDS]
    for at, quoted in enumerate(words[:_MOST_BEFORE]):
        word = quoted.strip(QUOTES)
        name = word.rsplit("/", 1)[-1].lstrip("(")
        variant = _VARIANT.fullmatch(name)
        launcher = _LAUNCHERS.get(variant.group(1) if variant else name)
        if launcher is not None:
            rest = [word.strip(QUOTES) for word in words[at + 1 :]]
            if name == "flux":
                rest = _after_flux(rest)
            elif name == "runjob":
                rest = [word for word in rest if word != ":"]
            return _launch(name, launcher, rest) if _is_start(rest) else None
        if not stands_before(word):
            return None
    return None


def stands_before(word: str) -> bool:
    """Whether a word may stand before what a line starts: a prompt, a variable, `time`."""
    return bool(_BEFORE.fullmatch(word))


def hosts_of(listed: str) -> list[tuple[str, int]]:
    """The hosts of a list such as `a,b:2` or `cn[07-09,12]`, each with its slots (0: not stated).

    Empty where it is no such list, or one of more than 10,000 hosts.
    """
    if not _HOSTS.fullmatch(listed):
        return []
    found: list[tuple[str, int]] = []
    for part in re.findall(r"(?:[^,\[\]]|\[[^\[\]]*\])+", listed):
        name, _, slots = part.partition(":")
        for host in expanded(name):
            if len(found) == MOST_HOSTS:
                return []
            found.append((host, int(slots) if re.fullmatch(r"\d{1,6}", slots) else 0))
    return found


def _is_start(rest: Sequence[str]) -> bool:
    return bool(rest) and (rest[0].startswith("-") or bool(_PROGRAM.match(rest[0])))


def _after_flux(words: list[str]) -> list[str]:
    """What follows `run` of flux; nothing where it does something else."""
    while words and words[0] in _FLUX:
        words = words[1:]
        if words and words[0].startswith("-"):
            return words
    return words if words and _PROGRAM.match(words[0]) else []


def _launch(name: str, launcher: LauncherOptions, words: list[str]) -> PrintedLaunch:
    contexts = [
        list(part) for is_end, part in groupby(words, lambda word: word == ":") if not is_end
    ]
    parts = [_context(name, launcher, part) for part in contexts]
    first = parts[0][0]
    if len(parts) == 1:
        return first
    per_host: Counter[str] = Counter()
    for launch, hosts in parts:
        if len(hosts) == 1:
            per_host[hosts[0][0]] += launch.ranks
    ranks = sum(launch.ranks for launch, _ in parts) if all(one.ranks for one, _ in parts) else 0
    if not all(len(hosts) == 1 for _, hosts in parts):
        return PrintedLaunch(first.program, 0, ranks, arguments=first.arguments)
    uneven = len(set(per_host.values())) > 1
    nodes = 0 if uneven else len(per_host)
    return PrintedLaunch(first.program, nodes, ranks, uneven=uneven, arguments=first.arguments)


def _context(
    name: str, launcher: LauncherOptions, words: Sequence[str]
) -> tuple[PrintedLaunch, list[tuple[str, int]]]:
    said, rest = _options(launcher, _poe_first(launcher, words) if name == "poe" else words)
    ranks, nodes = _count(said, launcher.ranks), _count(said, launcher.nodes)
    each = _each(said, launcher)
    sets = _count(said, launcher.sets)
    ranks = ranks or sets * _count(said, launcher.ranks_of_set)
    if sets and (per_node := _count(said, launcher.sets_each)):
        nodes, each = -(-sets // per_node), 0
    hosts = hosts_of(_value(said, launcher.hosts))
    if name == "mpirun_rsh":
        hosts, rest = _leading_hosts(rest)
    by_node = "bynode" in said or _value(said, launcher.map_by).split(":")[0] == "node"
    nodes, uneven = _nodes(launcher, (nodes, ranks, each), hosts, by_node=by_node)
    program, arguments = _program(rest)
    return PrintedLaunch(program, nodes, ranks or nodes * each, each, uneven, arguments), hosts


def _poe_first(launcher: LauncherOptions, words: Sequence[str]) -> list[str]:
    """The words with the options of poe first, which may follow the program."""
    names = {*launcher.ranks, *launcher.nodes, *launcher.each}
    options: list[str] = []
    others: list[str] = []
    for at, word in enumerate(words):
        is_value = bool(at) and words[at - 1].removeprefix("-") in names
        is_option = word.startswith("-") and word.removeprefix("-") in names
        (options if is_option or is_value else others).append(word)
    return [*options, *others]


def _options(launcher: LauncherOptions, words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The options before the program, each with its last value, and the words from it on."""
    known = {
        name
        for names in (launcher.ranks, launcher.nodes, launcher.each, launcher.hosts)
        for name in names
    } | {*launcher.map_by, *launcher.sets, *launcher.ranks_of_set, *launcher.sets_each}
    valued = known | {*launcher.valued, *(_VALUED - {*launcher.flags})}
    flags = (_FLAGS - {*launcher.valued}) | {*launcher.flags}
    said: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        name, given, value = words[at].lstrip("-").partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        attached = re.fullmatch(r"([A-Za-z])(\d{1,7}(?:-\d{1,7})?)", name)
        at += 1
        if given:
            said[name] = value
        elif attached and attached.group(1) in valued:
            said[attached.group(1)] = attached.group(2)
        elif name in _TWO_VALUES:
            at += 1 if "=" in following else 2
        elif name in valued:
            said[name] = following
            at += 1
        elif name in flags or at == len(words) - 1 or _PROGRAM.match(following):
            said[name] = ""
        elif not following.startswith("-"):
            at += 1
    return said, [word for word in words[at:] if word != "--"]


def _program(rest: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The benchmark among the words, behind wrappers, or else the first of them; its arguments."""
    command = [*takewhile(lambda word: not END_OF_COMMAND.fullmatch(word), rest)] or [*rest[:1]]
    at = program_at(command)
    return (command[at] if command else ""), tuple(command[at + 1 :])


def _each(said: Mapping[str, str], launcher: LauncherOptions) -> int:
    resource = _RESOURCE.match(_value(said, launcher.map_by))
    if resource:
        return int(resource.group(1))
    return 1 if {"pernode", "rr"} & said.keys() else _count(said, launcher.each)


def _nodes(
    launcher: LauncherOptions,
    counts: tuple[int, int, int],
    hosts: Sequence[tuple[str, int]],
    *,
    by_node: bool,
) -> tuple[int, bool]:
    """On how many nodes the ranks run, 0 where it is not said, and whether unevenly."""
    nodes, ranks, each = counts
    distinct = len({host for host, _ in hosts})
    if nodes:
        return min(nodes, ranks or nodes), False
    if ranks and each:
        return (-(-ranks // each) if ranks % each == 0 or ranks < each else 0), False
    if launcher.uses_all_hosts or each or not ranks or by_node or distinct == 1:
        if distinct:
            return min(distinct, ranks or distinct), False
        return (2 if by_node and ranks == 2 else 0), False
    return _filled(hosts, ranks)


def _filled(hosts: Sequence[tuple[str, int]], ranks: int) -> tuple[int, bool]:
    """The nodes where each host is filled before the next one; a host without slots has one."""
    slots: Counter[str] = Counter()
    for host, number in hosts:
        slots[host] += number or 1
    left, per_host = ranks, []
    for number in slots.values():
        per_host.append(min(number, left))
        left -= per_host[-1]
    used = [number for number in per_host if number]
    if left or len(set(used)) < 2:
        # With more ranks than slots the launcher begins with the first host again.
        return len(used), False
    return 0, True


def _leading_hosts(words: list[str]) -> tuple[list[tuple[str, int]], list[str]]:
    """mpirun_rsh names its hosts before the program and its variables."""
    at = next(
        (i for i, word in enumerate(words) if "=" in word or _PROGRAM.match(word)), len(words)
    )
    return [(word, 0) for word in words[:at]], words[at:]


def _value(said: Mapping[str, str], names: Sequence[str]) -> str:
    return next((said[name] for name in names if said.get(name)), "")


def _count(said: Mapping[str, str], names: Sequence[str]) -> int:
    found = _COUNT.fullmatch(_value(said, names))
    if not found or (found.group(2) and int(found.group(1)) != int(found.group(2))):
        return 0
    return int(found.group(1))
