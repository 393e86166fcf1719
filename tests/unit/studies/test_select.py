"""From the names and settings a person writes to what is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.benchmarks.catalogue import BENCHMARKS, GROUPS, find
from machmeter.model.benchmark import Value
from machmeter.model.errors import UsageError
from machmeter.model.plan.question import ConsistentRule
from machmeter.model.plan.study import Experiment, LayoutOptions, Study
from machmeter.run.planning.plan import make_plan
from machmeter.run.planning.sizing import choose_sizes
from machmeter.studies.edison.modes import EDISON
from machmeter.studies.quick import QUICK
from machmeter.studies.select import STUDIES, comparing_libraries, requested_text, select
from tests.support.fake_launcher import PRECISION, synthetic_machine

# A benchmark with a parameter of each kind.
SIZE = ("network.threads", "size")
COUNT = ("network.threads", "window")
CHOICE = ("memory.stream", "kernel")


def set_values(of: tuple[str, str], text: str) -> tuple[Value, ...]:
    """What `--set NAME=text` makes of a parameter of a benchmark."""
    benchmark, name = of
    (experiment,) = select((benchmark,), {name: text}).experiments
    return experiment.parameters[name]


def test_nothing_named_means_quick() -> None:
    assert select((), {}) == select(("quick",), {}) == QUICK


def test_a_run_with_several_libraries_first_asks_which_is_better() -> None:
    found = comparing_libraries(QUICK)
    leading = [q for q in found.questions if q.leads]
    assert [q.benchmark for q in leading] == ["network.latency", "network.bandwidth"]
    assert found.questions == (*leading, *QUICK.questions)
    study = comparing_libraries(select(("comet-network",), {}))
    assert len(study.questions) == len(select(("comet-network",), {}).questions)
    assert study.questions[0].leads
    assert comparing_libraries(select(("memory.stream",), {})).questions == ()


def test_a_group_means_its_benchmarks() -> None:
    studies = {study.name for study in STUDIES}
    for group in set(GROUPS) - studies:
        named = [experiment.benchmark for experiment in select((group,), {}).experiments]
        assert named == [b.name for b in BENCHMARKS if b.group == group]


def test_a_benchmark_means_itself_with_its_own_words() -> None:
    study = select(("memory.latency",), {})
    assert [experiment.benchmark for experiment in study.experiments] == ["memory.latency"]
    assert (study.title, study.summary) == (
        find("memory.latency").title,
        find("memory.latency").summary,
    )


def test_what_is_named_twice_is_measured_once_as_the_first_says() -> None:
    study = select(("quick", "memory", "memory.latency"), {})
    named = [experiment.benchmark for experiment in study.experiments]
    assert len(set(named)) == len(named)
    assert study.experiments[0] == QUICK.experiments[0]
    assert study.questions == QUICK.questions


def test_every_study_asks_for_benchmarks_parameters_and_metrics_that_exist() -> None:
    for study in STUDIES:
        measured = {experiment.benchmark for experiment in study.experiments}
        for experiment in study.experiments:
            known = {parameter.name for parameter in find(experiment.benchmark).parameters}
            assert set(experiment.parameters) <= known
        for question in study.questions:
            assert question.benchmark in measured
            assert find(question.benchmark).metric(question.metric)


def test_settings_reach_every_benchmark_that_has_the_parameter() -> None:
    study = select(("network",), {"size": "8,1KiB", "window": "4"})
    sized = [e for e in study.experiments if "size" in e.parameters]
    assert {e.parameters["size"] for e in sized} == {(8, 1024)}
    assert {e.benchmark for e in study.experiments} - {e.benchmark for e in sized} == {
        "network.barrier",
        "network.atomics",
    }
    windows = {e.benchmark: e.parameters.get("window") for e in study.experiments}
    assert windows["network.bandwidth"] == (4,)
    assert windows["network.latency"] is None


@pytest.mark.parametrize(
    "name", ["", "memory.", "Memory", "machine.reference", "a" * 10_000, "../x"]
)
def test_unknown_names_are_wrong_usage_with_where_to_look(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        select((name,), {})
    assert caught.value.remedy.endswith("`machmeter list` shows what can be measured")


def test_a_setting_that_nothing_has_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="window"):
        select(("memory",), {"window": "4"})


@pytest.mark.parametrize(
    ("parameter", "text", "expected"),
    [
        (SIZE, "8,64,1KiB", (8, 64, 1024)),
        (SIZE, " 8 , 8 ,", (8,)),
        (COUNT, "1,2", (1, 2)),
        (CHOICE, "triad,copy", ("triad", "copy")),
    ],
)
def test_values_are_read_in_order_each_once(
    parameter: tuple[str, str], text: str, expected: tuple[int | str, ...]
) -> None:
    assert set_values(parameter, text) == expected


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (SIZE, ""),
        (SIZE, ",,"),
        (SIZE, "eight"),
        (SIZE, "-8"),
        (SIZE, "1.5"),
        (SIZE, "9999999TiB"),
        (COUNT, "-1"),
        (COUNT, "1.5"),
        (COUNT, "9" * 5000),
        (COUNT, "9" * 30),
        (CHOICE, "sweep"),
        (SIZE, ",".join(map(str, range(201)))),
    ],
)
def test_values_without_meaning_are_wrong_usage(parameter: tuple[str, str], text: str) -> None:
    with pytest.raises(UsageError):
        set_values(parameter, text)


@given(st.sampled_from([SIZE, COUNT, CHOICE]), st.text(max_size=40))
def test_any_text_is_read_or_refused(parameter: tuple[str, str], text: str) -> None:
    try:
        values = set_values(parameter, text)
    except UsageError:
        return
    assert values
    assert all(isinstance(v, str) or 0 <= v < 2**63 for v in values)


@pytest.mark.parametrize(
    ("names", "settings", "said"),
    [
        (("memory.stream",), {"size": "100MB"}, "99999744 or 100000256"),
        (("memory.stream",), {"size": "511"}, "at least 512"),
        (("memory.latency",), {"size": "64"}, "at least 128"),
        (("network.latency",), {"size": "128GiB"}, "at most 68719476736"),
        (("network.bandwidth",), {"window": "0"}, "at least 1"),
        (("network.bandwidth",), {"window": "1025"}, "at most 1024"),
        (("network.overlap",), {"work_percent": "0"}, "at least 1"),
        (("memory",), {"size": "4KiB,8"}, "size cannot be 8"),
    ],
)
def test_what_no_benchmark_asked_for_can_take_is_wrong_usage(
    names: tuple[str, ...], settings: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        select(names, settings)


def test_a_value_that_one_of_them_can_take_is_measured_there() -> None:
    study = select(("quick",), {"size": "8"})
    sizes = [e.parameters["size"] for e in study.experiments if "size" in e.parameters]
    assert set(sizes) == {(8,)}


def values_of(study: Study, name: str) -> dict[str, tuple[object, ...]]:
    return {e.benchmark: e.parameters[name] for e in study.experiments if name in e.parameters}


@pytest.mark.parametrize(
    ("names", "settings", "benchmark", "value"),
    [
        (("threads",), {"construct": "barrier"}, "threads.sync", "barrier"),
        (("threads",), {"construct": "inner-barrier"}, "threads.nested", "inner-barrier"),
        (("scalemp",), {"schedule": "balanced"}, "sparse.spmv", "balanced"),
        (("scalemp",), {"schedule": "auto"}, "threads.schedule", "auto"),
    ],
)
def test_a_choice_that_one_of_them_has_is_measured_there_and_refused_elsewhere_in_words(
    names: tuple[str, ...], settings: dict[str, str], benchmark: str, value: str
) -> None:
    study = select(names, settings)
    (name,) = settings
    asked = values_of(study, name)
    assert asked[benchmark] == (value,)
    machine = synthetic_machine()
    plan = make_plan(study, machine, LayoutOptions(), PRECISION, choose_sizes(machine, ()))
    measured = {p.benchmark for p in plan.points if dict(p.parameters).get(name) == value}
    assert measured == {benchmark}
    for other in asked.keys() - {benchmark}:
        assert not [point for point in plan.points if point.benchmark == other]
        reasons = [s.reason for s in plan.skipped if s.what == f"{other} with {name}={value}"]
        assert reasons
        assert "must be one of" in reasons[0]


def test_sizes_may_be_asked_to_be_automatic_where_they_are() -> None:
    assert values_of(select(("network.bandwidth",), {"size": "auto"}), "size") == {
        "network.bandwidth": ("auto",)
    }
    with pytest.raises(UsageError, match="size: 'auto' is not a size"):
        select(("network.latency",), {"size": "auto"})


def test_a_choice_that_none_of_them_has_is_wrong_usage_with_the_choices_of_all() -> None:
    with pytest.raises(UsageError, match="construct cannot be 'sweep' in any") as caught:
        select(("threads",), {"construct": "barrier,sweep"})
    assert "taskloop" in caught.value.remedy
    assert "inner-barrier" in caught.value.remedy


@pytest.mark.parametrize("ending", [".mtx", ".MTX"])
def test_a_matrix_file_is_taken_by_its_path(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"m{ending}"
    file.write_text("%%MatrixMarket\n")
    study = select(("sparse.spmv",), {"matrix": f"{file},ramp"})
    assert values_of(study, "matrix") == {"sparse.spmv": (str(file), "ramp")}


def test_a_comma_in_the_path_of_a_matrix_is_explained(tmp_path: Path) -> None:
    for path in ("/a,b.mtx", "/no/such,/there.mtx", "/no/such.mtx"):
        with pytest.raises(UsageError) as caught:
            select(("sparse.spmv",), {"matrix": path})
        assert "commas separate values" in caught.value.remedy


def test_a_library_is_taken_by_a_path_with_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "libblas.so"
    file.touch()
    study = select(("compute.gemm",), {"library": f"{file},system"})
    assert values_of(study, "library") == {"compute.gemm": (str(file), "system")}
    for named in ("libblas.so", str(tmp_path / "libmissing.so")):
        with pytest.raises(UsageError) as caught:
            select(("compute.gemm",), {"library": named})
        assert "commas separate values" in caught.value.remedy


def test_every_benchmark_takes_its_own_values() -> None:
    for experiment in (*QUICK.experiments, *(Experiment(b.name) for b in BENCHMARKS)):
        for parameter in find(experiment.benchmark).parameters:
            for value in experiment.parameters.get(parameter.name) or parameter.values:
                assert not parameter.refusal(value)


@given(st.integers(0, 2**40), st.integers(1, 64))
def test_the_nearest_values_that_are_named_can_be_taken(value: int, threads: int) -> None:
    parameter = find("memory.stream").parameters[2]
    reason = parameter.refusal(value, threads)
    assert (reason == "") == (value % 512 == 0 and value >= 512 * threads)
    for word in reason.partition("nearest: ")[2].split(" or "):
        assert not word or not parameter.refusal(int(word), threads)


def test_a_benchmark_by_itself_answers_what_needs_no_other_side() -> None:
    asked = select(("network.consistency",), {}).questions
    assert asked
    assert {type(question.rule) for question in asked} == {ConsistentRule}
    group = select(("network",), {}).questions
    assert {q.text for q in asked} <= {q.text for q in group}
    assert len({q.text for q in group}) == len(group)
    assert select(("memory.stream",), {}).questions == ()


def test_a_pair_of_ranks_is_the_same_both_ways() -> None:
    (experiment,) = select(("network.consistency",), {"pair": "10-9,9-10,0-1,1-0"}).experiments
    assert experiment.parameters["pair"] == ("9-10", "0-1")
    (of_cpus,) = select(("threads.pairs",), {"pair": "1-0"}).experiments
    assert of_cpus.parameters["pair"] == ("1-0",)


def test_a_study_is_named_as_such_and_a_benchmark_is_not() -> None:
    assert requested_text(("louhi", "memory.stream")) == "study louhi, memory.stream"


def test_what_is_published_of_a_study_goes_with_it() -> None:
    assert select(["edison", "quick"], {}).published == EDISON.published
    assert select(["quick"], {}).published == ()
