"""From what a person names (a study, a benchmark, a group) to what is measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS, find
from machmeter.model.benchmark import AUTO, OF_MEMORY, Benchmark, Parameter, ParameterKind, Value
from machmeter.model.errors import UsageError
from machmeter.model.plan.question import (
    ConsistentRule,
    FlatRule,
    GrowthRule,
    NodesRule,
    Question,
    SwitchRule,
)
from machmeter.model.plan.study import Experiment, Study
from machmeter.model.units import parse_bytes
from machmeter.model.written.choices import choice_remedy
from machmeter.studies.codes import CODES_STUDY, at_size, strong_in_one_process
from machmeter.studies.comet.applications import COMET
from machmeter.studies.comet.network import COMET_NETWORK
from machmeter.studies.comet.network_questions import LIBRARY_QUESTIONS
from machmeter.studies.device import DEVICE
from machmeter.studies.echo import ECHO
from machmeter.studies.edison.modes import EDISON
from machmeter.studies.edison.network import EDISON_NETWORK
from machmeter.studies.louhi.network import LOUHI
from machmeter.studies.nodes import NODES
from machmeter.studies.proxies import PROXY_STUDY
from machmeter.studies.quick import QUICK
from machmeter.studies.roofline import ROOFLINE
from machmeter.studies.scalemp.node import SCALEMP

STUDIES: tuple[Study, ...] = (
    QUICK,
    ROOFLINE,
    PROXY_STUDY,
    SCALEMP,
    LOUHI,
    EDISON,
    EDISON_NETWORK,
    COMET_NETWORK,
    COMET,
    CODES_STUDY,
    ECHO,
    DEVICE,
    NODES,
)
_ANSWERED_ALONE = (SwitchRule, FlatRule, ConsistentRule, GrowthRule, NodesRule)
_MOST_VALUES = 200
MATRIX_ENDINGS = (".mtx", ".MTX")
_NO_COMMA = "(commas separate values, so it can have none)"
_OR_FILE = {
    ParameterKind.MATRIX: f", or the path of a .mtx file {_NO_COMMA}",
    ParameterKind.LIBRARY: f", or the path of a shared library with its folder {_NO_COMMA}",
}
_PAIRS = (ParameterKind.PAIR, ParameterKind.DOMAIN_PAIR, ParameterKind.RANK_PAIR)
_PAIR = re.compile(r"(0|[1-9]\d{0,6})-(0|[1-9]\d{0,6})")


def select(names: Sequence[str], settings: Mapping[str, str]) -> Study:
    """The study that `names` ask for, its parameters replaced by `settings` (name to text).

    Raises UsageError for a name or a parameter that does not exist, or a value it cannot take.
    """
    chosen = [_by_name(name) for name in dict.fromkeys(names or ("quick",))]
    code_set = next((study.code_set for study in chosen if study.code_set), None)
    experiments, settings = _joined(chosen), dict(settings)
    if code_set and "size" in settings and not settings["size"][:1].isdigit():
        experiments = at_size(experiments, settings.pop("size"))
    experiments = _with_settings(experiments, settings)
    if code_set:
        experiments = strong_in_one_process(experiments)
    return Study(
        name="+".join(study.name for study in chosen),
        title=chosen[0].title if len(chosen) == 1 else "Selected benchmarks",
        summary=chosen[0].summary if len(chosen) == 1 else "",
        experiments=experiments,
        questions=tuple(question for study in chosen for question in study.questions),
        published=tuple(source for study in chosen for source in study.published),
        budget_seconds=max(study.budget_seconds for study in chosen),
        mpis=tuple(dict.fromkeys(name for study in chosen for name in study.mpis)),
        applications=tuple(
            {one.name: one for study in chosen for one in study.applications}.values()
        ),
        code_set=code_set,
    )


def comparing_libraries(study: Study) -> Study:
    """`study` for a run with several MPI libraries: which of them is better leads its questions."""
    names = {experiment.benchmark for experiment in study.experiments}
    which = tuple(replace(q, leads=True) for q in LIBRARY_QUESTIONS if q.benchmark in names)
    texts = {question.text for question in which}
    others = tuple(question for question in study.questions if question.text not in texts)
    return replace(study, questions=(*which, *others))


def requested_text(names: Sequence[str]) -> str:
    """What a run was requested to measure: `study louhi, memory.stream`.

    A study is named as such, since a published machine may have its name.
    """
    studies = {study.name for study in STUDIES}
    return ", ".join(f"study {name}" if name in studies else name for name in names)


def _by_name(name: str) -> Study:
    for study in STUDIES:
        if study.name == name:
            return study
    members = tuple(b for b in BENCHMARKS if b.group == name)
    if members:
        experiments = tuple(Experiment(b.name) for b in members)
        return Study(name, f"Group {name}", "", experiments, _own_questions(members))
    if any(benchmark.name == name for benchmark in BENCHMARKS):
        found = find(name)
        questions = _own_questions((found,))
        return Study(name, found.title, found.summary, (Experiment(name),), questions)
    known = [study.name for study in STUDIES] + list(GROUPS) + [b.name for b in BENCHMARKS]
    remedy = choice_remedy(name, known, "`machmeter list` shows what can be measured")
    raise UsageError(f"there is nothing called {name!r} to measure", remedy)


def _own_questions(benchmarks: Sequence[Benchmark]) -> tuple[Question, ...]:
    """What studies ask of one of these benchmarks that it answers without another operand."""
    names = {benchmark.name for benchmark in benchmarks}
    every = (question for study in STUDIES for question in study.questions)
    own = (q for q in every if q.benchmark in names and isinstance(q.rule, _ANSWERED_ALONE))
    return tuple({question.text: question for question in own}.values())


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
    changed = experiments
    for name, text in settings.items():
        changed = _with_setting(changed, name, text)
    return changed


def _with_setting(
    experiments: tuple[Experiment, ...], name: str, text: str
) -> tuple[Experiment, ...]:
    """A value that only some of the benchmarks can take is measured by those.

    The plan of a run says which ones were refused, and why.
    """
    having = tuple(
        dict.fromkeys(
            parameter
            for experiment in experiments
            for parameter in find(experiment.benchmark).parameters
            if parameter.name == name
        )
    )
    if not having:
        raise UsageError(
            f"no requested benchmark has a parameter {name}",
            choice_remedy(name, _parameters_of(experiments), "`machmeter list NAME` shows them"),
        )
    values = {parameter: _values_for(parameter, text) for parameter in having}
    for word in _words(name, text):
        _refuse_what_none_can_take(having, word)
    changed = []
    for experiment in experiments:
        own = next((p for p in find(experiment.benchmark).parameters if p.name == name), None)
        if own is None:
            changed.append(experiment)
        elif values[own]:
            parameters = {**experiment.parameters, name: values[own]}
            changed.append(replace(experiment, parameters=parameters))
    return tuple(changed)


def _parameters_of(experiments: Sequence[Experiment]) -> list[str]:
    return [parameter.name for one in experiments for parameter in find(one.benchmark).parameters]


def _values_for(parameter: Parameter, text: str) -> tuple[Value, ...]:
    """The requested values of `parameter`; of choices also unknown ones, to be refused by name."""
    values: list[Value] = []
    for word in _words(parameter.name, text):
        try:
            values.append(_parse_value(parameter, word))
        except UsageError:
            if parameter.kind is ParameterKind.CHOICE:
                values.append(word)
    return tuple(dict.fromkeys(values))


def _refuse_what_none_can_take(having: Sequence[Parameter], word: str) -> None:
    errors = []
    for parameter in having:
        try:
            value = _parse_value(parameter, word)
        except UsageError as error:
            errors.append(error)
            continue
        reason = parameter.refusal(value)
        if not reason:
            return
        errors.append(UsageError(f"{parameter.name} cannot be {value}: {reason}"))
    choices = dict.fromkeys(choice for parameter in having for choice in parameter.choices)
    if len(having) > 1 and all(parameter.choices for parameter in having):
        raise UsageError(
            f"{having[0].name} cannot be {word!r} in any requested benchmark",
            f"choose: {', '.join(choices)}",
        )
    raise errors[0]


def _words(name: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or len(words) > _MOST_VALUES:
        raise UsageError(f"--set {name} takes 1 to {_MOST_VALUES} values")
    return words


def _names_a_file(parameter: Parameter, word: str) -> bool:
    """A library is named with its folder, so that no other of that name is found."""
    if parameter.kind is ParameterKind.LIBRARY:
        return "/" in word
    return parameter.kind is ParameterKind.MATRIX and word.endswith(MATRIX_ENDINGS)


def _named_file(parameter: Parameter, word: str) -> str:
    """The absolute path of a file, as the native programs can take it."""
    path = Path(word).expanduser().absolute()
    if "=" in str(path):
        raise UsageError(
            f"{parameter.name}: {path} has a = in its path",
            "copy or link the file to a path without one",
        )
    if not path.is_file():
        raise UsageError(
            f"{parameter.name}: there is no file {path}",
            "commas separate values: a path with one in it must be linked to by another",
        )
    return str(path)


def _parse_value(parameter: Parameter, word: str) -> Value:
    if (word == AUTO and parameter.automatic) or (word == OF_MEMORY and parameter.fills_memory):
        return word
    if _names_a_file(parameter, word):
        return _named_file(parameter, word)
    if parameter.kind is ParameterKind.CHOICE or parameter.kind.may_be_file:
        if word not in parameter.choices:
            or_file = _OR_FILE.get(parameter.kind, "")
            raise UsageError(
                f"{parameter.name} cannot be {word!r}",
                f"choose: {', '.join(parameter.choices)}{or_file}",
            )
        return word
    if parameter.kind in _PAIRS:
        if not _PAIR.fullmatch(word):
            raise UsageError(f"{parameter.name} cannot be {word!r}", "write two numbers: 0-17")
        return _lower_first(word) if parameter.kind is ParameterKind.RANK_PAIR else word
    is_size = parameter.kind is ParameterKind.SIZE
    try:
        value = parse_bytes(word) if is_size else int(word)
    except ValueError as error:
        reason = error if is_size else f"{word!r} is not a whole number"
        remedy = "write 8, 64KiB or 1.5MB" if is_size else "write 8"
        raise UsageError(f"{parameter.name}: {reason}", remedy) from error
    if not 0 <= value < 2**63:
        raise UsageError(f"{parameter.name} cannot be {word}: it must be from 0 to below 2^63")
    return value


def _lower_first(pair: str) -> str:
    """A pair of ranks is the same both ways: the lower one comes first."""
    return "-".join(sorted(pair.split("-"), key=int))
