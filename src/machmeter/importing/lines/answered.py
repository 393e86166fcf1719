"""Which of several starts above a table printed it.

A script that is printed, a line with two commands, and starts that failed leave several above the
first table. Where as many tables follow as there are starts that may have printed them, they are
matched in order; else it is not known, unless all of the starts agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

import msgspec

from machmeter.importing.lines.labels import PlaceLabel
from machmeter.importing.lines.program_names import benchmark_of, is_program
from machmeter.importing.lines.programs_started import may_print
from machmeter.importing.readings import Place

_REACH = 200
_MOST_STARTS = 64
_MOST_TABLES = 200
_WHICH = "which of the starts above printed it is not known"


def answered(labels: Sequence[PlaceLabel]) -> tuple[PlaceLabel, ...]:
    """The labels; where starts above a table differ, the one that printed it stands at its head.

    Of the heads of tables without labels between them, only the first is kept.
    """
    found: list[PlaceLabel] = []
    for block in _blocks(labels):
        for label in _resolved(block):
            if not (label.begins_table and found and found[-1].begins_table):
                found.append(label)
    return tuple(found)


def _blocks(labels: Iterable[PlaceLabel]) -> Iterator[list[PlaceLabel]]:
    """The starts without a table between them, and the tables up to the next start."""
    block: list[PlaceLabel] = []
    has_table = False
    for label in labels:
        if has_table and (label.is_launch or label.is_traced):
            yield block
            block, has_table = [], False
        has_table = has_table or label.begins_table
        block.append(label)
    yield block


def _resolved(block: list[PlaceLabel]) -> list[PlaceLabel]:
    launches = [label for label in block if label.is_launch]
    traced = [label for label in block if label.is_traced]
    heads = [label for label in block if label.begins_table]
    differs = len(set(map(_what, launches))) > 1
    if not heads or not (differs or len(set(map(_what, traced))) > 1):
        return block
    if heads[0].line - max(label.line for label in (*launches, *traced)) > _REACH:
        return block
    before: dict[int, list[PlaceLabel]] = {}
    for kind in (launches, traced) if differs else (traced,):
        for start in _starts_of(heads, kind) if kind else ():
            before.setdefault(start.line, []).append(start)
    return [
        one
        for label in block
        for one in (*(before.get(label.line, ()) if label.begins_table else ()), label)
    ]


def _what(start: PlaceLabel) -> tuple[object, ...]:
    """What is started, where and with what; of a traced one only what the program is given."""
    name = start.program.rsplit("/", 1)[-1]
    if start.is_traced:
        return name, start.arguments
    words = start.command.split()
    first = next((at for at, word in enumerate(words) if word[:1].isalpha()), 0)
    return name, start.arguments, start.is_plain, *(words[first:] if start.is_shown else words)


def _starts_of(heads: Sequence[PlaceLabel], starts: Sequence[PlaceLabel]) -> Iterator[PlaceLabel]:
    """For each table that one of the starts may have printed that one, at its head."""
    if len(heads) > _MOST_TABLES or len(starts) > _MOST_STARTS:
        one = _unknown(starts[-_MOST_STARTS:])
        yield from (_at(one, head.line, number) for number, head in enumerate(heads, start=1))
        return
    able = [_able(head.title, starts) for head in heads]
    counts = Counter(able)
    printed = {
        which: _printed([starts[at] for at in which], count)
        for which, count in counts.items()
        if which
    }
    seen: Counter[tuple[int, ...]] = Counter()
    for head, which in zip(heads, able, strict=True):
        of_tables = printed.get(which, ())
        if len(of_tables) == 1:
            yield _at(of_tables[0], head.line, seen[which] + 1)
        elif of_tables:
            yield _at(of_tables[seen[which]], head.line, 1)
        seen[which] += 1


def _at(start: PlaceLabel, line: int, table: int) -> PlaceLabel:
    return msgspec.structs.replace(start, line=line, table=table)


def _able(title: str, starts: Sequence[PlaceLabel]) -> tuple[int, ...]:
    """Which of the starts may have printed a table with that title.

    Below a benchmark no script counts, below what a shell runs none that a script only names, and
    below a command no comment.
    """
    prints = {name: may_print(name, title) for name in {start.program for start in starts}}
    able = [at for at, start in enumerate(starts) if prints[start.program]]
    for is_so in (_is_named, attrgetter("is_shown"), _is_no_comment):
        if able and is_so(starts[able[-1]]):
            able = [at for at in able if is_so(starts[at])]
    return tuple(able)


def _printed(starts: Sequence[PlaceLabel], count: int) -> Sequence[PlaceLabel]:
    """What printed so many tables: one start for each, or one for all."""
    if len(set(map(_what, starts))) == 1:
        return starts[-1:]
    if len(starts) == count and all(map(_prints_one, starts)):
        return starts
    return (_unknown(starts),)


def _unknown(starts: Sequence[PlaceLabel]) -> PlaceLabel:
    last = starts[-1]
    return PlaceLabel(
        last.line,
        _common_place([start.place for start in starts]),
        is_launch=last.is_launch,
        is_plain=all(start.is_plain for start in starts),
        is_traced=last.is_traced,
        among=tuple(starts),
    )


def _is_named(start: PlaceLabel) -> bool:
    return bool(benchmark_of(start.program)) or is_program(start.program)


def _is_no_comment(start: PlaceLabel) -> bool:
    return not start.command.lstrip().startswith("#")


def _prints_one(start: PlaceLabel) -> bool:
    """Whether a start prints one table, and ends before the next one begins."""
    is_of_ranks = benchmark_of(start.program) == "stream" and not start.is_plain
    in_background = start.command.rstrip().endswith("&")
    return _is_named(start) and not in_background and not (is_of_ranks and start.place.ranks != 1)


def _common_place(places: Sequence[Place]) -> Place:
    """What all of them state."""
    last = places[-1]
    of_nodes = {(place.nodes, place.each, place.unknown) for place in places}
    ranks = last.ranks if len({place.ranks for place in places}) == 1 else 0
    if len(of_nodes) == 1:
        return msgspec.structs.replace(last, ranks=ranks)
    return Place(ranks=ranks, unknown=_WHICH)
