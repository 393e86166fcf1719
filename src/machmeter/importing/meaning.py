"""A column of another tool's table in machmeter's words."""

from __future__ import annotations

from msgspec import Struct, field

from machmeter.importing.figures import ForeignFigure
from machmeter.model.benchmark import Value


class Meaning(Struct, frozen=True):
    """A column of the row, and the figure that it is."""

    column: str
    unit: str
    benchmark: str = ""
    metric: str = ""
    workload: str = ""
    quantity: str = ""
    better: str = ""
    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)
    text: str = ""
    note: str = ""

    def figure(
        self, value: float, decimals: int, group: str, line: int, flag: str
    ) -> ForeignFigure:
        """The figure with its value."""
        return ForeignFigure(
            values=(value,),
            unit=self.unit,
            decimals=decimals,
            group=group,
            line=line,
            benchmark=self.benchmark,
            metric=self.metric,
            workload=self.workload,
            quantity=self.quantity,
            better=self.better,
            parameters=self.parameters,
            layout=self.layout,
            text=self.text,
            note=self.note,
            flag=flag,
        )
