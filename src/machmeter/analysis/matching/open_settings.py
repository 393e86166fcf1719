"""Settings that the source of a published value does not state: it fits several results here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from machmeter.analysis.matching.comparability import value_text
from machmeter.model.layout_fields import LAYOUT_FIELDS
from machmeter.model.results.estimate import Estimate
from machmeter.model.results.machine_comparison import ComparedResult, RelativeStanding

Key = tuple[str, str, str]


def with_open_settings(results: Sequence[ComparedResult]) -> list[ComparedResult]:
    """The results; those of a published value that fits several, which differ in parameters or
    layout, say in which setting each is, and are no verdict."""
    fitting: dict[Key, list[ComparedResult]] = defaultdict(list)
    for one in results:
        if key := quoted_key(one):
            fitting[key].append(one)
    varying = {key: _varying(several) for key, several in fitting.items()}
    return [_open(one, varying.get(key, ()) if (key := quoted_key(one)) else ()) for one in results]


def quoted_key(one: ComparedResult) -> Key | None:
    """The published value that a result compares; None where both are published, or none."""
    if one.a.origin.is_quoted is one.b.origin.is_quoted:
        return None
    quoted = one.a if one.a.origin.is_quoted else one.b
    return quoted.point.key, quoted.metric, quoted.title


def settings_of(one: Estimate) -> dict[str, str]:
    """Every parameter and part of the layout of a result as text, by name."""
    own = {name: value_text(name, value) for name, value in one.point.parameters}
    return {field.name: field.phrase(one.point.layout) for field in LAYOUT_FIELDS} | own


def _other(one: ComparedResult) -> Estimate:
    return one.b if one.a.origin.is_quoted else one.a


def _varying(results: Sequence[ComparedResult]) -> tuple[str, ...]:
    """Names of the settings in which the results differ that fit one published value."""
    known = [settings_of(_other(one)) for one in results]
    names = dict.fromkeys(name for each in known for name in each)
    return tuple(name for name in names if len({each.get(name) for each in known}) > 1)


def _open(one: ComparedResult, varying: Sequence[str]) -> ComparedResult:
    known = settings_of(_other(one)) if varying else {}
    setting = ", ".join(known[name] for name in varying if known.get(name))
    if not setting:
        return one
    undecided = RelativeStanding.INCONCLUSIVE
    standings = dict.fromkeys(one.standings, undecided)
    return replace(one, setting=setting, standing=undecided, standings=standings)
