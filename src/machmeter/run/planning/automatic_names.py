"""Which parameters of a study are left to `auto`. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from machmeter.benchmarks.catalogue import find
from machmeter.model.benchmark import AUTO, AutoRule, Parameter
from machmeter.model.plan.study import Study


def automatic_parameters(study: Study) -> frozenset[tuple[str, str]]:
    """Benchmark and name of each parameter that is `auto`."""
    return frozenset((benchmark, parameter.name) for benchmark, parameter in _automatic(study))


def automatic_rules(study: Study) -> frozenset[AutoRule]:
    """How they are chosen."""
    return frozenset(parameter.auto for _, parameter in _automatic(study) if parameter.auto)


def _automatic(study: Study) -> Iterator[tuple[str, Parameter]]:
    for experiment in study.experiments:
        for parameter in find(experiment.benchmark, study.benchmarks).parameters:
            requested = experiment.parameters.get(parameter.name, parameter.values)
            if parameter.automatic and requested in ((), (AUTO,)):
                yield experiment.benchmark, parameter
