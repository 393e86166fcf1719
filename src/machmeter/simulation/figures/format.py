"""The form of the files that say how twins state printed figures."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from machmeter.model.benchmark import Value
from machmeter.simulation.figures.reproduction import FigureClass
from machmeter.simulation.format import FORMAT, Reason, TwinName

Written = Value | tuple[Value, ...]
"""One value, or several for several points."""
PrintedName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9./-]*$", max_length=170)]


class ResultOfTwin(Struct, frozen=True, forbid_unknown_fields=True, tag="result", tag_field="form"):
    """A result of a benchmark, of several points the largest.

    What is left out is that of the printed figure; of another benchmark nothing is taken over.
    """

    benchmark: str = ""
    """Its name."""
    metric: str = ""
    """Its metric."""
    parameters: dict[str, Written] = field(default_factory=dict)
    """Its parameters; a list for several points."""
    layout: dict[str, Written] = field(default_factory=dict)
    """Fields of its layout that are whole numbers; a list for several points."""
    twin: TwinName | None = None
    """The twin that it is simulated on, if not the machine's own."""


class QuotientOfTwin(
    Struct, frozen=True, forbid_unknown_fields=True, tag="quotient", tag_field="form"
):
    """One result over another one."""

    over: ResultOfTwin
    """The numerator."""
    under: ResultOfTwin
    """The denominator."""


class DifferenceOfTwin(
    Struct, frozen=True, forbid_unknown_fields=True, tag="difference", tag_field="form"
):
    """One result minus another one."""

    of: ResultOfTwin
    """What it is taken from."""
    less: ResultOfTwin
    """What is taken from it."""


class ParameterOfTwin(
    Struct, frozen=True, forbid_unknown_fields=True, tag="parameter", tag_field="form"
):
    """A parameter of the twin, such as the size where its protocol switches."""

    name: str
    """Its name."""


TwinValue = ResultOfTwin | QuotientOfTwin | DifferenceOfTwin | ParameterOfTwin


class TrivialRule(Struct, frozen=True, forbid_unknown_fields=True):
    """What someone without a model would predict: `times` x printed figures over others."""

    text: Reason
    """The rule, as a person reads it."""
    over: tuple[PrintedName, ...] = ()
    """Printed figures, links or counts, of this machine or as `machine/figure`."""
    under: tuple[PrintedName, ...] = ()
    """Those that it is divided by."""
    times: Annotated[float, Meta(gt=0)] = 1.0
    """A number, in the unit of the figure where nothing else is named."""
    source: Reason = ""
    """Where that number is printed."""

    def __post_init__(self) -> None:
        """Refuse a rule without figures and numbers, or a number without a source."""
        if bool(self.source) != (self.times != 1.0):
            raise ValueError("`times` and its `source` belong together")
        if not (self.over or self.source):
            raise ValueError("a rule names figures or a number with its source")


class FigureEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What one printed figure is for the twin."""

    figure_class: FigureClass = field(name="class")
    """Its class."""
    twin: TwinValue | None = None
    """How the twin states a predicted or fitted one (left out: by the benchmark, metric and point
    of the printed figure)."""
    rule: TrivialRule | None = None
    """Of a predicted one."""
    missing: Reason = ""
    """Of one that is not predictable: what the model lacks."""
    text: Reason = ""
    """How the twin comes to its value, or what a restated one follows from."""
    counted_as: Annotated[str, Meta(max_length=80)] = ""
    """Predicted figures that state the same thing count once: the name of their group."""

    def __post_init__(self) -> None:
        """Refuse what does not go with the class."""
        predicted = self.figure_class is FigureClass.PREDICTED
        if bool(self.rule) != predicted:
            raise ValueError("exactly the predicted figures have a rule")
        if bool(self.missing) != (self.figure_class is FigureClass.NOT_PREDICTABLE):
            raise ValueError("exactly the figures that are not predictable say what is missing")
        if self.twin and not self.is_stated:
            raise ValueError("only predicted and fitted figures are stated by the twin")
        if self.counted_as and not predicted:
            raise ValueError("only predicted figures are counted together")

    @property
    def is_stated(self) -> bool:
        """Whether the twin states a value."""
        return self.figure_class in (FigureClass.PREDICTED, FigureClass.FITTED)

    @property
    def stated(self) -> TwinValue:
        """How the twin states it."""
        return self.twin or ResultOfTwin()


class FiguresFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The printed figures of one machine, each once."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)]
    """Version of this format."""
    machine: TwinName
    """Name of the twin, and ID of the published machine."""
    study: TwinName
    """The study whose machine it is."""
    figures: dict[PrintedName, FigureEntry]
    """By the ID of the printed figure."""
