"""From what a person names (a study, a benchmark, a group) to what is measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS, find
from machmeter.model.benchmark import Parameter, ParameterKind, Value
from machmeter.model.errors import UsageError
from machmeter.model.study import Experiment, Study
from machmeter.model.units import parse_bytes
from machmeter.studies.quick import QUICK
from machmeter.studies.scalemp import SCALEMP

STUDIES: tuple[Study, ...] = (QUICK, SCALEMP)
_MOST_VALUES = 200
MATRIX_ENDING = ".mtx"
_PAIR = re.compile(r"(0|[1-9]\d{0,6})-(0|[1-9]\d{0,6})")


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
        budget_seconds=max(study.budget_seconds for study in chosen),
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
    """All experiments; the first study that names a benchmark says how it is measured."""
    by_benchmark: dict[str, tuple[Experiment, ...]] = {}
    for study in studies:
        own: dict[str, tuple[Experiment, ...]] = {}
        for experiment in study.experiments:
            own[experiment.benchmark] = (*own.get(experiment.benchmark, ()), experiment)
        by_benchmark |= {name: found for name, found in own.items() if name not in by_benchmark}
    return tuple(experiment for several in by_benchmark.values() for experiment in several)


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
        changed.append(replace(experiment, parameters=parameters))
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


def _matrix_file(parameter: Parameter, word: str) -> str:
    """The absolute path of a matrix file, as the native programs can take it."""
    path = Path(word).expanduser().absolute()
    if "=" in str(path):
        raise UsageError(
            f"{parameter.name}: {path} has a = in its path",
            "copy or link the file to a path without one",
        )
    if not path.is_file():
        raise UsageError(f"{parameter.name}: there is no file {path}")
    return str(path)


def _parse_value(parameter: Parameter, word: str) -> Value:
    if parameter.kind is ParameterKind.MATRIX and word.endswith(MATRIX_ENDING):
        return _matrix_file(parameter, word)
    if parameter.kind in (ParameterKind.CHOICE, ParameterKind.MATRIX):
        if word not in parameter.choices:
            or_file = " or the path of a .mtx file" * (parameter.kind is ParameterKind.MATRIX)
            raise UsageError(
                f"{parameter.name} cannot be {word!r}",
                f"choose: {', '.join(parameter.choices)}{or_file}",
            )
        return word
    if parameter.kind in (ParameterKind.PAIR, ParameterKind.DOMAIN_PAIR):
        if not _PAIR.fullmatch(word):
            raise UsageError(f"{parameter.name} cannot be {word!r}", "write two numbers: 0-17")
        return word
    try:
        value = parse_bytes(word) if parameter.kind is ParameterKind.SIZE else int(word)
    except ValueError as error:
        raise UsageError(f"{parameter.name} cannot be {word!r}: {error}") from error
    if not 0 <= value < 2**63:
        raise UsageError(f"{parameter.name} cannot be {word}: it must be from 0 to below 2^63")
    return value
