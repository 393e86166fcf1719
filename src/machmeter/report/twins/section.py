"""The model behind a simulated run, as its page shows it: picture, parameters, sensitivity."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from machmeter.model.twin import Twin, TwinBasis
from machmeter.report.table import Table
from machmeter.report.twins.loads import LoadChart, load_chart
from machmeter.report.twins.picture import TwinPicture, picture_of
from machmeter.report.twins.shown import shown_parameters
from machmeter.simulation.loads import PatternLoad
from machmeter.simulation.sensitivity import ParameterEffect, TwinSensitivity
from machmeter.text.numbers import count_text
from machmeter.text.plain import capitalized, plain
from machmeter.text.twins.sensitivity import changes_pair, point_heading
from machmeter.text.twins.structure import bases_text, links_of, twin_facts

_PARAMETERS = ("parameter", "value", "allowed", "basis", "meaning, and source or reason")
_EFFECTS_NOTE = (
    "Each parameter by itself is multiplied by 0.8 / by 1.2 and the results are simulated again. "
    "Counts are rounded; a value stays within its range. A dash: the parameter cannot have that "
    "value."
)


class TwinSection(Struct, frozen=True):
    """What a page shows of a model."""

    conclusion: str
    """The model in one line."""
    picture: TwinPicture
    """Its network."""
    facts: Table
    """The same facts as the picture, and the node."""
    parameters: Table
    """Every parameter."""
    loads: LoadChart | None
    """The load of links by patterns; None where nobody determined it."""
    effects: Table | None
    """The sensitivity of results; None where it was not determined."""
    remarks: tuple[str, ...]
    """Parameters without effect, and why nothing was determined."""


def twin_section(
    twin: Twin, sensitivity: TwinSensitivity | None = None, loads: Sequence[PatternLoad] = ()
) -> TwinSection:
    """The section of one model; sensitivity, loads: none where nobody determined them."""
    return TwinSection(
        conclusion=_conclusion(twin),
        picture=picture_of(twin),
        facts=_facts(twin),
        parameters=_parameters(twin),
        loads=load_chart(twin, loads),
        effects=_effects(twin, sensitivity) if sensitivity and sensitivity.effects else None,
        remarks=_remarks(sensitivity),
    )


def _conclusion(twin: Twin) -> str:
    changed = sum(one.changed for one in twin.parameters)
    words = f"{plain(twin.title)}: {bases_text(twin)} parameters"
    return f"{words}; {changed} changed by --with." if changed else f"{words}."


def _facts(twin: Twin) -> Table:
    rows = [(capitalized(name), plain(text)) for name, text in twin_facts(twin)]
    rows += [(f"Rate: {link.name}", f"{link.rate} one way") for link in links_of(twin)]
    return Table("The machine of the model", ("part", "what it is"), tuple(rows))


def _parameters(twin: Twin) -> Table:
    rows = tuple(
        (
            one.name,
            one.text,
            f"{one.least} to {one.most}",
            _basis(one.basis, changed=one.changed),
            f"{capitalized(one.meaning)}. {capitalized(plain(one.reason))}",
        )
        for one in shown_parameters(twin)
    )
    caption = f"{count_text(len(rows), 'parameter', 'parameters')}: {bases_text(twin)}"
    return Table(caption, _PARAMETERS, rows, (1,), "! assumed: no source has the value.")


def _basis(basis: TwinBasis, *, changed: bool) -> str:
    if changed:
        return "!\u00a0changed"
    return f"!\u00a0{basis.value}" if basis is TwinBasis.ASSUMED else basis.value


def _effects(twin: Twin, sensitivity: TwinSensitivity) -> Table:
    bases = {one.name: _basis(one.basis, changed=one.changed) for one in twin.parameters}
    columns = (
        "parameter",
        "basis",
        *(point_heading(one.title, one.text) for one in sensitivity.points),
    )
    rows = tuple(
        (one.parameter, bases[one.parameter], *map(changes_pair, one.changes))
        for one in sensitivity.effects
    )
    keys = tuple(_keys(one) for one in sensitivity.effects)
    caption = "Change of results in percent when a parameter is 20 % smaller / 20 % larger"
    numeric = tuple(range(2, len(columns)))
    return Table(caption, columns, rows, numeric, _EFFECTS_NOTE, keys, labels=2)


def _keys(effect: ParameterEffect) -> tuple[float | None, ...]:
    """A column is sorted by the larger of its two changes."""
    largest = (max(abs(one or 0) for one in pair) for pair in effect.changes)
    return (None, None, *largest)


def _remarks(sensitivity: TwinSensitivity | None) -> tuple[str, ...]:
    if sensitivity is None:
        return ()
    if sensitivity.problem:
        return (f"Sensitivity to parameters not determined: {plain(sensitivity.problem)}",)
    lines = {
        "Without effect on these results": sensitivity.without_effect,
        "Not varied (0, or a whole number that 20 % leaves as it is)": sensitivity.fixed,
    }
    return tuple(f"{title}: {', '.join(names)}." for title, names in lines.items() if names)
