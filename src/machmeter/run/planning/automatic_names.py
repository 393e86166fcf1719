"""Which parameters of an experiment are left to `auto`. Pure."""

from __future__ import annotations

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import AUTO, AutoRule, Parameter
from machmeter.model.plan.study import Experiment


def automatic_parameters(experiment: Experiment) -> tuple[str, ...]:
    """The names of the parameters of an experiment that are `auto`."""
    return tuple(parameter.name for parameter in _automatic(experiment))


def automatic_rules(experiment: Experiment) -> tuple[AutoRule, ...]:
    """How they are chosen."""
    return tuple(parameter.auto for parameter in _automatic(experiment) if parameter.auto)


def _automatic(experiment: Experiment) -> tuple[Parameter, ...]:
    return tuple(
        parameter
        for parameter in find(experiment.benchmark).parameters
        if parameter.automatic
        and experiment.parameters.get(parameter.name, parameter.values) in ((), (AUTO,))
    )
