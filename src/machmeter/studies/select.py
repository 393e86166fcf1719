"""From what a person names (a study, a benchmark, a group) to what is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS, find
from machmeter.model.benchmark import Parameter, ParameterKind, Value
from machmeter.model.errors import UsageError
from machmeter.model.study import Experiment, Study
from machmeter.model.units import parse_bytes
from machmeter.studies.quick import QUICK

STUDIES: tuple[Study, ...] = (QUICK,)
_MOST_VALUES = 200


def select(names: Sequence[str], settings: Mapping[str, str]) -> Study:
    """The study that `names` ask for, its parameters replaced by `settings` (name to text).

    Raises UsageError for a name or a parameter that does not exist, or a value it cannot take.
    """
    chosen = [_by_name(name) for name in dict.fromkeys(names or ("quick",))]
    return Study(
        name="+".join(study.name for study in chosen),
        title=chosen[0].title if len(chosen) == 1 else "Selected benchmarks",
        summary=chosen[0].summary if len(chosen) == 1 else "",
        experiments=_with_settings(_joined(chosen), settings),
        questions=tuple(question for study in chosen for question in study.questions),
    )


def _by_name(name: str) -> Study:
    for study in STUDIES:
        if study.name == name:
            return study
    members = tuple(b for b in BENCHMARKS if b.group == name)
    if members:
        return Study(name, f"Group {name}", "", tuple(Experiment(b.name) for b in members))
    if any(benchmark.name == name for benchmark in BENCHMARKS):
        return Study(name, find(name).title, find(name).summary, (Experiment(name),))
    known = [study.name for study in STUDIES] + list(GROUPS) + [b.name for b in BENCHMARKS]
    raise UsageError(f"there is nothing called {name!r} to measure", f"choose: {', '.join(known)}")


def _joined(studies: Sequence[Study]) -> tuple[Experiment, ...]:
    """Each benchmark once: the first that names it says how."""
    by_benchmark: dict[str, Experiment] = {}
    for study in studies:
        for experiment in study.experiments:
            by_benchmark.setdefault(experiment.benchmark, experiment)
    return tuple(by_benchmark.values())


def _with_settings(
    experiments: tuple[Experiment, ...], settings: Mapping[str, str]
) -> tuple[Experiment, ...]:
    for name, text in settings.items():
        _refuse_what_none_can_take(experiments, name, text)
    changed = []
    for experiment in experiments:
        parameters = dict(experiment.parameters)
        for parameter in find(experiment.benchmark).parameters:
            if parameter.name in settings:
                parameters[parameter.name] = parse_values(parameter, settings[parameter.name])
        changed.append(
            Experiment(
                experiment.benchmark,
                parameters,
                experiment.all_threads,
                experiment.seconds_per_point,
            )
        )
    return tuple(changed)


def _refuse_what_none_can_take(experiments: tuple[Experiment, ...], name: str, text: str) -> None:
    """A value that only some of the benchmarks can take is measured by those."""
    having = [
        parameter
        for experiment in experiments
        for parameter in find(experiment.benchmark).parameters
        if parameter.name == name
    ]
    if not having:
        raise UsageError(
            f"no benchmark asked for has a parameter {name}",
            "`machmeter list` shows the parameters",
        )
    for value in parse_values(having[0], text):
        refusals = [parameter.refusal(value) for parameter in having]
        if all(refusals):
            raise UsageError(f"{name} cannot be {value}: {refusals[0]}")


def parse_values(parameter: Parameter, text: str) -> tuple[Value, ...]:
    """The values in `text`, separated by commas, each once, in order.

    Raises UsageError for text that is no value of this kind of parameter.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or len(words) > _MOST_VALUES:
        raise UsageError(f"--set {parameter.name} takes 1 to {_MOST_VALUES} values")
    return tuple(dict.fromkeys(_parse_value(parameter, word) for word in words))


def _parse_value(parameter: Parameter, word: str) -> Value:
    if parameter.kind is ParameterKind.CHOICE:
        if word not in parameter.choices:
            raise UsageError(
                f"{parameter.name} cannot be {word!r}", f"choose: {', '.join(parameter.choices)}"
            )
        return word
    try:
        value = parse_bytes(word) if parameter.kind is ParameterKind.SIZE else int(word)
    except ValueError as error:
        raise UsageError(f"{parameter.name} cannot be {word!r}: {error}") from error
    if not 0 <= value < 2**63:
        raise UsageError(f"{parameter.name} cannot be {word}: it must be from 0 to below 2^63")
    return value
