from __future__ import annotations

import json
from typing import Any

import pytest
from importing_data import DATA, only, read_file, read_lines

from machmeter.analysis.launch_value import interquartile_mean
from machmeter.model.errors import MachmeterError


def document(name: str) -> Any:
    return json.loads((DATA / name).read_text())


def test_each_time_of_hyperfine_is_a_launch() -> None:
    figure = only(read_file("hyperfine.json").figures, workload="sleep-0-01")
    assert list(figure.values) == document("hyperfine.json")["results"][0]["times"]
    assert (figure.unit, figure.better, figure.flag) == ("s", "lower", "")


def test_starts_that_failed_are_flagged() -> None:
    reading = read_file("hyperfine.json")
    assert "6 of 6 starts" in only(reading.figures, workload="false").flag


def test_repetitions_inside_one_start_are_one_launch() -> None:
    figures = read_file("google_benchmark.json").figures
    figure = only(figures, text="Sum/1024/repeats:3", unit="ns")
    rows = document("google_benchmark.json")["benchmarks"]
    times = [
        row["real_time"]
        for row in rows
        if row["run_name"] == "Sum/1024/repeats:3" and row["run_type"] == "iteration"
    ]
    assert len(times) == 3
    assert figure.values[0] == pytest.approx(interquartile_mean(times))


def test_more_threads_than_cpus_are_flagged() -> None:
    figures = read_file("google_benchmark.json").figures
    flagged = [one for one in figures if one.layout["threads_per_rank"] == 4]
    assert flagged
    assert all("4 threads on 2 CPUs" in one.flag for one in flagged)


def test_cases_of_several_runs_of_reframe() -> None:
    reading = read_file("reframe.json")
    rates = [one for one in reading.figures if one.quantity == "rate"]
    assert len(rates) == 3
    assert {one.better for one in rates} == {"higher"}
    assert {one.better for one in reading.figures if one.quantity == "elapsed"} == {"lower"}
    assert any("'things'" in one for one in reading.remarks)


def test_reports_of_older_reframes() -> None:
    case = {
        "name": "StreamTest",
        "result": "success",
        "perfvars": [{"name": "Triad", "value": 100.0, "unit": "MB/s", "thres_lower": -0.1}],
    }
    old = {"session_info": {"version": "3.9"}, "runs": [{"testcases": [case]}]}
    figure = only(read_lines(json.dumps(old)).figures)
    assert (figure.values, figure.unit, figure.better) == ((100.0,), "MB/s", "higher")


def test_a_case_that_failed_is_left_out() -> None:
    report = document("reframe.json")
    report["runs"] = report["runs"][:1]
    report["runs"][0]["testcases"][0]["result"] = "fail"
    reading = read_lines(json.dumps(report))
    assert not reading.figures
    assert "did not pass" in reading.remarks[0]


def test_a_label_of_several_nodes_that_ran_on_one() -> None:
    report = document("reframe.json")
    report["runs"][0]["testcases"][0]["display_name"] = "osu_latency %placement=inter-node"
    assert any("saw it run on one" in one for one in read_lines(json.dumps(report)).remarks)


def test_another_form_is_told_by_its_place() -> None:
    with pytest.raises(MachmeterError, match=r"results\[0\]\.times"):
        read_lines('{"results": [{"command": "a", "times": ["b"]}]}')
