from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.stats.launch_value import interquartile_mean
from machmeter.importing.machine import import_files, imported_machine
from machmeter.importing.names import reported_name
from machmeter.model.errors import MachmeterError
from machmeter.published.estimates import published_estimates
from machmeter.text.plain import plain
from tests.support.importing_data import FOLDER, only, read_file, read_lines


def document(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())


def test_each_time_of_hyperfine_is_a_launch() -> None:
    figure = only(read_file("tools/hyperfine.json").results, workload="sleep-0-01")
    assert list(figure.values) == document("tools/hyperfine.json")["results"][0]["times"]
    assert (figure.unit, figure.better, figure.flag) == ("s", "lower", "")


def test_starts_that_failed_are_flagged() -> None:
    reading = read_file("tools/hyperfine.json")
    assert "6 of 6 starts" in only(reading.results, workload="false").flag


def test_repetitions_inside_one_start_are_one_launch() -> None:
    figures = read_file("tools/google_benchmark.json").results
    figure = only(figures, test="Sum/1024/repeats:3", unit="ns")
    rows = document("tools/google_benchmark.json")["benchmarks"]
    times = [
        row["real_time"]
        for row in rows
        if row["run_name"] == "Sum/1024/repeats:3" and row["run_type"] == "iteration"
    ]
    assert len(times) == 3
    assert figure.values[0] == pytest.approx(interquartile_mean(times))


def test_more_threads_than_cpus_are_flagged() -> None:
    figures = read_file("tools/google_benchmark.json").results
    flagged = [one for one in figures if one.layout["threads_per_rank"] == 4]
    assert flagged
    assert all("4 threads on 2 CPUs" in one.flag for one in flagged)


def test_cases_of_several_runs_of_reframe() -> None:
    reading = read_file("tools/reframe.json")
    rates = [one for one in reading.results if one.quantity == "rate"]
    assert len(rates) == 3
    assert {one.better for one in rates} == {"higher"}
    assert {one.better for one in reading.results if one.quantity == "elapsed"} == {"lower"}
    assert any("'things'" in one for one in reading.remarks)


def test_reports_of_older_reframes() -> None:
    case = {
        "name": "StreamTest",
        "result": "success",
        "perfvars": [{"name": "Triad", "value": 100.0, "unit": "MB/s", "thres_lower": -0.1}],
    }
    old = {"session_info": {"version": "3.9"}, "runs": [{"testcases": [case]}]}
    figure = only(read_lines(json.dumps(old)).results)
    assert (figure.values, figure.unit, figure.better) == ((100.0,), "MB/s", "higher")


def test_a_case_that_failed_is_left_out() -> None:
    report = document("tools/reframe.json")
    report["runs"] = report["runs"][:1]
    report["runs"][0]["testcases"][0]["result"] = "fail"
    reading = read_lines(json.dumps(report))
    assert not reading.results
    assert "did not pass" in reading.remarks[0]


def test_a_label_of_several_nodes_that_ran_on_one() -> None:
    report = document("tools/reframe.json")
    report["runs"][0]["testcases"][0]["display_name"] = "osu_latency %placement=inter-node"
    assert any("saw it run on one" in one for one in read_lines(json.dumps(report)).remarks)


def test_another_form_is_told_by_its_place() -> None:
    with pytest.raises(MachmeterError, match=r"results\[0\]\.times"):
        read_lines('{"results": [{"command": "a", "times": ["b"]}]}')


LONG = "/opt/programs/simulation/version-2026/bin/solver --input case.dat --solver "


def of_hyperfine(*commands: str) -> str:
    results = [{"command": one, "times": [1.0 + n, 1.1 + n]} for n, one in enumerate(commands)]
    return json.dumps({"results": results})


def of_google_benchmark(*rows: dict[str, object], executable: str = "") -> str:
    return json.dumps({"context": {"executable": executable}, "benchmarks": rows})


def timed(name: str, seconds: float = 1.0, **more: object) -> dict[str, object]:
    return {"name": name, "real_time": seconds, "time_unit": "s", **more}


def of_reframe(*cases: dict[str, object]) -> str:
    return json.dumps({"session_info": {"version": "4.7"}, "runs": [{"testcases": cases}]})


def case(value: float, **more: object) -> dict[str, object]:
    values = {"perfvalues": {"x:y:triad": [value, None, -0.1, None, "GB/s"]}}
    return {"name": "stream", "result": "pass", **values, **more}


@pytest.mark.parametrize(
    "content",
    [
        of_hyperfine(LONG + "cg", LONG + "gmres"),
        of_hyperfine("./A", "./a"),
        of_hyperfine("sleep 1", "sleep  1"),
        of_google_benchmark(timed("BM_sort/-1"), timed("BM_sort/1")),
        of_google_benchmark(timed("BM_f<double&>"), timed("BM_f<double>")),
        of_google_benchmark(timed("x" * 100 + "a" + "x" * 100), timed("x" * 100 + "b" + "x" * 100)),
        of_reframe(case(1000.0, partition="gpu"), case(100.0, partition="mc")),
        of_reframe(case(1000.0, system="daint"), case(100.0, system="eiger")),
        of_reframe(
            case(1.0, num_tasks=3, job_nodelist=["a", "b"]),
            case(2.0, num_tasks=5, job_nodelist=["a", "b"]),
        ),
        of_reframe(
            case(1.0) | {"perfvalues": {"x:y:copy+": [1.0, None, -0.1, None, "GB/s"]}},
            case(1.0) | {"perfvalues": {"x:y:copy-": [9.0, None, -0.1, None, "GB/s"]}},
        ),
    ],
)
def test_what_differs_is_never_a_launch_of_one_figure(content: str, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text(content)
    estimates = imported_machine(file)[0].estimates
    assert len(estimates) == 2
    assert len({(one.point, one.metric) for one in estimates}) == 2


@given(st.text(max_size=200), st.text(max_size=200))
def test_names_that_differ_are_told_by_other_words(one: str, other: str) -> None:
    assert (reported_name(one) == reported_name(other)) == (one == other)
    assert plain(reported_name(one), 80) == reported_name(one)


def test_the_same_test_of_another_program_is_refused_in_words(tmp_path: Path) -> None:
    files = []
    for number, program in enumerate(("/old/bench", "/old/bench", "/new/bench")):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(of_google_benchmark(timed("BM_f", 1.0 + number), executable=program))
    machine, remarks = import_files(files)
    (figure,) = published_estimates(machine)
    assert figure.launch_values == (1.0, 2.0)
    assert any("/new/bench is another program" in one for one in remarks)


def test_tests_of_one_name_are_left_out() -> None:
    rows = [timed("BM_f", 1.0, family_index=0), timed("BM_f", 9.0, family_index=1)]
    reading = read_lines(of_google_benchmark(*rows))
    assert not reading.results
    assert "several benchmarks are called BM_f" in reading.remarks[0]


def test_aggregates_of_old_versions_are_no_figures() -> None:
    names = ("BM_x", "BM_x", "BM_x_mean", "BM_x_stddev", "BM_y/8", "BM_y_BigO", "BM_z_mean")
    reading = read_lines(of_google_benchmark(*(timed(name) for name in names)))
    assert {one.parameters["test"] for one in reading.results} == {"BM_x", "BM_y/8", "BM_z_mean"}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"results": [{"command": "a", "times": [1.7e308] * 3}]}),
        of_google_benchmark(timed("x", 1.7e308), timed("x", 1.7e308)),
        of_reframe(case(1e300)),
    ],
)
def test_numbers_of_no_machine_are_left_out_with_words(content: str) -> None:
    reading = read_lines(content)
    assert not reading.results
    assert any("left out" in one for one in reading.remarks)


def of_iterations(name: str, **more: object) -> dict[str, object]:
    return timed(name, run_name=name, run_type="iteration", **more)


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("BM_f", "bytes per second of CPU time"),
        ("BM_f/process_time", "bytes per second of CPU time"),
        ("BM_f/8/real_time", "bytes per second"),
        ("BM_f/iterations:5/manual_time", "bytes per second"),
    ],
)
def test_rates_are_of_cpu_time_unless_the_name_says_wall(name: str, quantity: str) -> None:
    reading = read_lines(of_google_benchmark(of_iterations(name, bytes_per_second=5.0)))
    assert only(reading.results, unit="B/s").quantity == quantity


@pytest.mark.parametrize(("version", "divided"), [("", True), ("v1.8.5", True), ("v1.9.1", False)])
def test_time_of_threads_is_divided_before_1_9(version: str, divided: bool) -> None:
    document = {
        "context": {"library_version": version},
        "benchmarks": [of_iterations("BM_f/threads:2", threads=2)],
    }
    quantity = only(read_lines(json.dumps(document)).results).quantity
    assert ("divided by the threads" in quantity) == divided


def test_means_stand_for_repetitions_that_are_not_there() -> None:
    def aggregate(name: str, of: str, seconds: float) -> dict[str, object]:
        told = {"run_name": of, "run_type": "aggregate", "aggregate_name": name, "repetitions": 3}
        return timed(f"{of}_{name}", seconds, **told)

    rows = [aggregate("mean", "BM_f", 2.0), aggregate("stddev", "BM_f", 0.1)]
    figure = only(read_lines(of_google_benchmark(*rows)).results)
    assert figure.values == (2.0,)
    assert "mean of 3 repetitions" in figure.note
    both = [of_iterations("BM_f", real_time=1.0), *rows]
    assert only(read_lines(of_google_benchmark(*both)).results).values == (1.0,)


def test_counters_are_told() -> None:
    reading = read_lines(of_google_benchmark(of_iterations("BM_f", hits=7.0)))
    assert any("counters of its own (hits)" in one for one in reading.remarks)


def test_small_times_keep_their_digits() -> None:
    assert only(read_lines(of_google_benchmark(timed("BM_f", 1.842e-9))).results).decimals == 12


def test_results_of_one_name_are_left_out() -> None:
    reading = read_lines(of_hyperfine("same", "same", "other"))
    assert only(reading.results).parameters["command"] == "other"
    assert any("2 results are called same" in one for one in reading.remarks)


def test_times_of_nothing_are_told_with_the_remedy() -> None:
    reading = read_lines('{"results": [{"command": "true", "times": [0.0, 0.001]}]}')
    assert "1 of its 2 times are 0" in reading.remarks[0]
    assert "-N" in reading.remarks[0]


def test_what_missed_its_reference_was_measured() -> None:
    missed = case(5.0, result="fail", fail_phase="performance")
    assert "missed a reference" in only(read_lines(of_reframe(missed)).results).note
    unsound = case(5.0, result="fail", fail_phase="sanity")
    assert not read_lines(of_reframe(unsound)).results


@pytest.mark.parametrize("result", ["aborted", "abort", "skipped", "failure"])
def test_only_what_passed_is_read(result: str) -> None:
    assert not read_lines(of_reframe(case(5.0, result=result))).results


def test_older_reports_tell_environment_tasks_and_command_elsewhere() -> None:
    old = {
        "name": "stream",
        "result": "success",
        "system": "generic:default",
        "environment": "gnu",
        "nodelist": ["a", "b"],
        "check_vars": {"num_tasks": 4, "executable": "./stream", "executable_opts": ["-n", 1]},
        "perfvars": [{"name": "triad", "value": 100.0, "unit": "MB/s"}],
    }
    figure = only(read_lines(of_reframe(old)).results)
    assert figure.parameters["environment"] == "gnu"
    assert figure.layout == {"nodes": 2, "ranks_per_node": 2}
    assert figure.program == "./stream -n 1"


def test_binary_rates_of_reframe_are_bytes() -> None:
    values = {"perfvalues": {"x:y:triad": [1.5, None, None, None, "GiB/s"]}}
    figure = only(read_lines(of_reframe(case(1.0) | values)).results)
    assert (figure.unit, figure.values) == ("B/s", (1.5 * 2**30,))


@pytest.mark.parametrize("nodelist", [None, []])
def test_nodes_that_reframe_does_not_tell_are_not_stated(nodelist: list[str] | None) -> None:
    content = of_reframe(case(1.0, num_tasks=64, job_nodelist=nodelist))
    figure = only(read_lines(content).results)
    assert figure.layout == {"ranks_per_node": 64}
    assert "on how many nodes" in figure.note


def test_one_task_of_reframe_is_on_one_node() -> None:
    figure = only(read_lines(of_reframe(case(1.0, num_tasks=1))).results)
    assert (figure.layout, figure.note) == ({"nodes": 1, "ranks_per_node": 1}, "")


def test_nodes_without_tasks_are_told_apart() -> None:
    content = of_reframe(case(1.0, job_nodelist=["a"]), case(2.0, job_nodelist=["a", "b"]))
    one, two = read_lines(content).results
    assert (one.layout, two.layout) == ({"nodes": 1}, {"nodes": 2})


@pytest.mark.parametrize("absurd", ["NaN", "Infinity", "-Infinity"])
def test_what_json_does_not_have_spoils_only_its_own_test(absurd: str) -> None:
    rows = (timed("whole", counter=0.25), timed("spoiled", 0.5), timed("Infinity and NaN"))
    content = of_google_benchmark(*rows).replace("0.25", absurd).replace("0.5", absurd)
    reading = read_lines(content)
    assert [one.parameters["test"] for one in reading.results] == ["whole", "Infinity and NaN"]
    assert any("spoiled has a number that is none" in one for one in reading.remarks)


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_of_too_many_digits_is_left_out_with_words(digits: int) -> None:
    content = of_reframe(case(123.0), case(7.0)).replace("123.0", "1" * digits)
    reading = read_lines(content)
    assert [one.values for one in reading.results] == [(7.0,)]
    assert any("no number" in one for one in reading.remarks)


def test_a_time_that_is_none_is_named() -> None:
    content = of_hyperfine("a", "b").replace("2.0, 2.1", "2.0, NaN")
    assert any("a time of nan s is none" in one for one in read_lines(content).remarks)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (of_hyperfine("sleep 1")[:-5], "line 1, column"),
        (of_hyperfine("sleep 1").replace("sleep", "\\ud800"), "no text"),
        ("[" * 100_000, "too deep"),
    ],
)
def test_where_a_document_breaks_off_is_told(content: str, why: str) -> None:
    with pytest.raises(MachmeterError, match=f"no JSON document: .*{why}"):
        read_lines(content)
