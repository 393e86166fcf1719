"""What a comparison says first: its verdict in a sentence, its caveats, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from machmeter.model.origin import Origin
from machmeter.model.results.caveat import CaveatKind
from machmeter.model.results.machine_comparison import GroupMean, RelativeStanding
from machmeter.text.comparison import MachinePair, short_titles
from machmeter.text.machines import part_name
from machmeter.text.numbers import NOTHING, ValueText, count_text, ratio_parts
from machmeter.text.plain import capitalized, plain
from machmeter.text.ratios import times_text
from machmeter.text.results import both_texts

MOST_CAVEATS = 3
# From here on a ratio is said as a factor, not in percent.
_A_FACTOR = 1.95
_MOST_NAMES = 4
_HARDWARE = ("host", "processor", "cores", "memory")
_NAMED_AS_EQUAL = ("Processor", "System", "Compiler", "Flags", "MPI")
_NOT_COMPARED = ("date", "last cache as measured")
_BETTER = (RelativeStanding.BETTER, RelativeStanding.BETTER_AS_PRINTED)
_WORSE = (RelativeStanding.WORSE, RelativeStanding.WORSE_AS_PRINTED)
_WORDS = {
    **dict.fromkeys(_BETTER, "better"),
    **dict.fromkeys(_WORSE, "worse"),
    RelativeStanding.SAME: "same",
    RelativeStanding.SAME_AS_PRINTED: "same",
    RelativeStanding.INCONCLUSIVE: "inconclusive",
}


_OTHERS = (
    (
        CaveatKind.NOTHING_DIFFERS,
        "Nothing differs between baseline and candidate",
        "Any difference is due to this machine.",
    ),
    (
        CaveatKind.VIRTUAL_MACHINE,
        "Shared virtual machine",
        "Neighbors share caches and memory: small differences need more launches.",
    ),
    (CaveatKind.NOISE, "OS noise", "Stop other work before measuring again."),
    (
        CaveatKind.ONE_MACHINE,
        "Nodes were one machine",
        "No result is of a network.",
    ),
    (
        CaveatKind.ONE_HOST,
        "All ranks on one host",
        "Messages pass through its memory, not a network.",
    ),
)


class LeadCaveat(Struct, frozen=True):
    """What limits what a comparison means."""

    title: str
    """In a few words, with a full stop."""
    text: str
    """Why, and what to do; text between grave accents is a command."""


class DifferingFact(Struct, frozen=True):
    """A fact that both machines state differently."""

    name: str
    """`Compiler`."""
    a: str
    """Of the first machine."""
    b: str
    """Of the second machine."""


class ComparisonLead(Struct, frozen=True):
    """The first lines of a comparison of two machines."""

    verdict: str
    """Who is better, in what, by how much."""
    consequence: str
    """In how many groups, and what that does and does not mean."""
    caveats: tuple[LeadCaveat, ...]
    """At most three, the gravest first."""
    differing: tuple[DifferingFact, ...]
    """Facts that both state differently."""
    equal: tuple[str, ...]
    """Names of the facts that are the same of both."""


def lead_of(pair: MachinePair) -> ComparisonLead:
    """What to say first of a comparison; titles of both machines are distinct."""
    differing, equal = _facts(pair)
    return ComparisonLead(
        _verdict(pair),
        _consequence(pair, differing, equal),
        tuple(_caveats(pair))[:MOST_CAVEATS] if pair.comparison.results else (),
        differing,
        equal,
    )


def of_one_machine(pair: MachinePair) -> bool:
    """Whether both machines are runs of one machine, as far as their facts say."""
    a, b = pair.a, pair.b
    measured = a.origin is b.origin is Origin.MEASURED and "host" in a.properties
    return measured and all(a.properties.get(name) == b.properties.get(name) for name in _HARDWARE)


def group_ratio(mean: GroupMean) -> ValueText:
    """`1.17x` and `[1.10, 1.24]`; without an interval the ratio alone."""
    return ratio_parts(mean.ratio, mean.low, mean.high)


def group_standing_text(mean: GroupMean) -> str:
    """`better`, `worse (no CI)`, `inconclusive`; `no verdict` with a setting that is not stated.

    `not significant` where only the correction for the number of groups makes it inconclusive.
    """
    if mean.setting:
        return "no verdict"
    one_sided = mean.is_bounded and (mean.low > 1 or mean.high < 1)
    if mean.standing is RelativeStanding.INCONCLUSIVE and one_sided:
        return "not significant"
    without = " (no CI)" if not mean.is_bounded else ""
    return f"{_WORDS[mean.standing]}{without}"


def group_name(mean: GroupMean) -> str:
    """`OpenMP constructs, active wait`."""
    return f"{mean.group}, {mean.setting}" if mean.setting else mean.group


def typical_text(mean: GroupMean) -> str:
    """`10 results: 1 MiB 8.32 → 8.72 GB/s`: how many, and the one nearest to the mean."""
    one = mean.typical
    what = plain(one.name.removeprefix(f"{one.a.title}: "), 80)
    first, second = both_texts(one.a, one.b)
    values = f"{_without_unit(first, second)} → {second}"
    count = count_text(len(mean.results), "result", "results")
    if mean.left_out:
        every = len(mean.results) + mean.left_out
        count = f"{len(mean.results)} of {every} results (the others lack a ratio)"
    return f"{count}: {what} {values}" if len(mean.results) == 1 else f"{count}, as {what} {values}"


def _without_unit(first: str, second: str) -> str:
    """The first value; without its unit where the second one has the same."""
    words, others = first.split(), second.split()
    same = len(words) == len(others) == 2 and words[1] == others[1]
    return words[0] if same else first


def _verdict(pair: MachinePair) -> str:
    a, b = short_titles(pair)
    groups = [one for one in pair.comparison.groups if not one.setting]
    ahead = [one for one in groups if one.standing in _BETTER]
    behind = [one for one in groups if one.standing in _WORSE]
    runs = _runs_of_one(pair)
    if not pair.comparison.results:
        return f"{b} and {a} have no comparable result"
    if not pair.comparison.groups:
        return f"{b} versus {a}: no result has a ratio"
    if not (ahead or behind):
        return _no_difference(pair, runs, a, b)
    parts = [f"{_by(one)} better in {_in_text(one)}" for one in ahead[:2]]
    parts += [f"{_by(one)} worse in {_in_text(one)}" for one in behind[:2]]
    found = _joined(parts[:3])
    return f"{runs}: B is {found}" if runs else f"{b} is {found} than {a}"


def _runs_of_one(pair: MachinePair) -> str:
    """`Same machine, two runs`; a side may be several. Empty for two machines and an A/B run."""
    if not of_one_machine(pair) or pair.comparison.paired:
        return ""
    count = len(pair.a.runs) + len(pair.b.runs)
    return f"Same machine, {'two' if count == 2 else count} runs"


def _no_difference(pair: MachinePair, runs: str, a: str, b: str) -> str:
    means = pair.comparison.groups
    first = next((one for one in means if one.setting), None)
    if first:
        texts = [
            f"{times_text(one.ratio)} with {one.setting}"
            for one in means
            if one.setting and one.group == first.group
        ]
        return f"{b} over {a} in {_in_text(first)}: {_joined(texts)}"
    standings = {one.standing for one in means}
    if standings <= {RelativeStanding.SAME, RelativeStanding.SAME_AS_PRINTED}:
        who, other = (f"{runs}: B", "A") if runs else (b, a)
        return f"{who} is within 2 % of {other} in every group"
    nothing = standings == {RelativeStanding.INCONCLUSIVE}
    found = "inconclusive in every group" if nothing else "no significant difference"
    return f"{runs}: {found}" if runs else capitalized(f"{b} and {a}: {found}")


def _by(mean: GroupMean) -> str:
    """`17 %`, `2.34x`: how much better, or how much worse."""
    ratio = mean.ratio
    if max(ratio, 1 / ratio) >= _A_FACTOR:
        return times_text(max(ratio, 1 / ratio))
    share = abs(ratio - 1)
    return f"{100 * share:.{0 if share >= 0.0995 else 1}f} %"


def _in_text(mean: GroupMean) -> str:
    """A group within a sentence: `memory latency`, `MPI bandwidth`."""
    return _small_letter(mean.group)


def _small_letter(name: str) -> str:
    return name if name[1:2].isupper() or name[:4] == "Open" else f"{name[:1].lower()}{name[1:]}"


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _consequence(pair: MachinePair, differing: Sequence[DifferingFact], same: Sequence[str]) -> str:
    groups = pair.comparison.groups
    if not pair.comparison.results:
        return _why_nothing(pair)
    texts = []
    tested = [one for one in groups if one.is_bounded]
    if len(tested) > 1:
        different = sum(one.standing in (*_BETTER, *_WORSE) for one in tested)
        verb = "differs" if different == 1 else "differ"
        of = count_text(len(tested), "group", "groups")
        texts.append(f"{different} of {of} {verb}." if different else f"None of {of} differs.")
    elif not groups:
        shares = all(one.points is not None for one in pair.comparison.results)
        why = (
            "Shares have no ratio: they"
            if shares
            else "No result has a ratio with an interval: all"
        )
        texts.append(f"{why} are compared one by one.")
    elif not (tested or any(one.setting for one in groups)):
        count = count_text(sum(len(one.results) for one in groups), "result", "results")
        texts.append(
            f"Geometric mean of {count} without a confidence interval: nothing was tested."
        )
    if any(one.setting for one in groups):
        quoted = [m for m in (pair.a, pair.b) if m.origin.is_quoted] or [pair.a]
        names = list(dict.fromkeys(_in_text(one) for one in groups if one.setting))
        settings = dict.fromkeys(one.setting for one in groups if one.setting)
        texts.append(
            f"{plain(quoted[0].title, 60)} does not state the setting of {_joined(names)} "
            f"({plain(' or '.join(settings), 120)}), so no verdict is given there."
        )
    if of_one_machine(pair) and not pair.comparison.paired:
        texts.append(_of_one_machine_text(pair, differing, same))
    return " ".join(texts)


def _why_nothing(pair: MachinePair) -> str:
    """Why no result is comparable."""
    found = pair.comparison
    common = [name for name in found.benchmarks_a if name in found.benchmarks_b]
    if not common:
        why = f"No benchmark in common: {_names(found.benchmarks_a)} against "
        why += f"{_names(found.benchmarks_b)}."
    elif found.refusals:
        reasons = list(dict.fromkeys(plain(one.reason, 200) for one in found.refusals))
        one_reason = reasons[0] if len(reasons) == 1 else f"{len(reasons)} reasons, listed below"
        why = f"{_names(common)}, not the same measurement: {one_reason}."
    else:
        why = f"{_names(common)}: other parameters, layouts or metrics on each."
    return why


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(plain(name, 60) for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown or "nothing"


def _of_one_machine_text(
    pair: MachinePair, differing: Sequence[DifferingFact], same: Sequence[str]
) -> str:
    drifted = _with_caveat(pair, CaveatKind.DRIFT)
    drift = {
        (): "",
        ("A", "B"): "both runs drifted",
    }.get(drifted, f"run {''.join(drifted)} drifted")
    known = (one for one in differing if NOTHING not in {one.a, one.b})
    built = [one.name for one in known if one.name != "Request"]
    if built:
        said = f"The runs differ in {_joined([_small_letter(name) for name in built])}"
        return f"{said}{f', and {drift}' if drift else ''}."
    equal = [_small_letter(name) for name in _NAMED_AS_EQUAL if name in same]
    said = f"Equal: {_joined(equal)}" if equal else "No recorded fact differs"
    said += f"; {drift}" if drift else ""
    different = any(one.standing in (*_BETTER, *_WORSE) for one in pair.comparison.groups)
    return f"{said}. Do not read this as a faster machine." if different else f"{said}."


def _with_caveat(pair: MachinePair, kind: CaveatKind) -> tuple[str, ...]:
    sides = (("A", pair.a), ("B", pair.b))
    return tuple(name for name, one in sides if any(c.kind is kind for c in one.caveats))


def _caveats(pair: MachinePair) -> Iterator[LeadCaveat]:
    if few := _with_caveat(pair, CaveatKind.FEW_LAUNCHES):
        text = "Results are indicative: measure again with a longer `--budget`."
        where = "" if pair.comparison.paired else f" in {_joined(few)}"
        yield LeadCaveat(f"Too few launches{where}.", text)
    if of_one_machine(pair) and not pair.comparison.paired:
        yield _independent_runs(pair)
    elif pair.comparison.paired and _with_caveat(pair, CaveatKind.DRIFT):
        text = "Baseline and candidate took turns: drift common to both cancels in their ratios."
        yield LeadCaveat("Performance drifted during the run.", text)
    elif drifted := _with_caveat(pair, CaveatKind.DRIFT):
        text = "Measure again on a quiet machine before comparing."
        yield LeadCaveat(f"{_sides_text(drifted)} drifted.", text)
    for kind, title, text in _OTHERS:
        if found := _with_caveat(pair, kind):
            where = "" if pair.comparison.paired else f" ({_joined(found)})"
            yield LeadCaveat(f"{title}{where}.", text)


def _sides_text(sides: tuple[str, ...]) -> str:
    return "Both runs" if len(sides) == 2 else sides[0]


def _independent_runs(pair: MachinePair) -> LeadCaveat:
    drifted = _with_caveat(pair, CaveatKind.DRIFT)
    title = f"{_sides_text(drifted)} drifted." if drifted else "Independent runs."
    against = pair.a.runs[0] if pair.a.runs else pair.a.id
    runs = len(pair.comparison.spread_runs)
    held = (
        f"Intervals hold the spread between {runs} earlier runs of this machine."
        if runs
        else "What changed between the two runs is in the ratios, not in their intervals."
    )
    return LeadCaveat(
        title,
        f"{held} To compare builds or settings use an A/B run: `machmeter run --against "
        f"{plain(against, 80)}`.",
    )


def _facts(pair: MachinePair) -> tuple[tuple[DifferingFact, ...], tuple[str, ...]]:
    a, b = pair.a.properties, pair.b.properties
    differing, equal = [], []
    own = pair.a.origin.is_own and pair.b.origin.is_own
    names = dict.fromkeys((*a, *b)) if own else (name for name in a if name in b)
    for name in (name for name in names if name not in _NOT_COMPARED):
        here, there = a.get(name, NOTHING), b.get(name, NOTHING)
        if here == there:
            equal.append(_heading(name))
        else:
            if name == "flags" and name in a and name in b:
                here, there = _different_words(here, there)
            texts = plain(here, 200), plain(there, 200)
            differing.append(DifferingFact(_heading(name), *texts))
    return tuple(differing), tuple(equal)


def _different_words(a: str, b: str) -> tuple[str, str]:
    """Of two lists of words the words that the other one lacks: `without -O2`, `with -O2`."""
    here, there = a.split(), b.split()
    own = " ".join(word for word in here if word not in there)
    other = " ".join(word for word in there if word not in here)
    if own and other:
        return own, other
    return (f"with {own}", f"without {own}") if own else (f"without {other}", f"with {other}")


def _heading(name: str) -> str:
    return capitalized(part_name(plain(name, 80)))
