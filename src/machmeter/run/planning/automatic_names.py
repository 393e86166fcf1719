"""Which parameters of an experiment are left to `auto`. Pure."""

from __future__ import annotations

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import AUTO
from machmeter.model.plan.study import Experiment


def automatic_parameters(experiment: Experiment) -> tuple[str, ...]:
    """The parameters of an experiment that are `auto`."""
    return tuple(
        parameter.name
        for parameter in find(experiment.benchmark).parameters
        if parameter.automatic
        and experiment.parameters.get(parameter.name, parameter.values) in ((), (AUTO,))
    )
