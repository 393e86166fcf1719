"""The set of codes as a study: its sizes, and what it plans."""

from __future__ import annotations

import pytest

from machmeter.benchmarks.codes.set import CODE_SET, CODES
from machmeter.model.benchmark import RankSweep
from machmeter.model.errors import UsageError
from machmeter.run.compare.published_answers import answers_of_study
from machmeter.studies.codes import CODES_STUDY
from machmeter.studies.echo import ECHO
from machmeter.studies.select import select


@pytest.mark.parametrize("name", ["codes", "echo"])
def test_every_code_is_measured_in_one_process(name: str) -> None:
    study = select([name], {})
    assert study.code_set == CODE_SET
    of_codes = [one for one in study.experiments if one.benchmark in CODE_SET.codes]
    assert [one.benchmark for one in of_codes] == list(CODE_SET.codes)
    assert {one.ranks for one in of_codes} == {RankSweep.ONE}


def test_a_size_is_that_of_each_code() -> None:
    study = select(["codes"], {"size": "minute"})
    for code, one in zip(CODES, study.experiments, strict=True):
        assert {n: v for n, (v,) in one.parameters.items()} == code.sizes["minute"] != {}
    small = select(["codes"], {"size": "seconds"})
    assert [one.parameters for one in small.experiments] == [{} for _ in CODES]


def test_codes_of_large_data_take_a_size_by_memory() -> None:
    study = select(["codes"], {"size": "memory"})
    by_memory = {one.benchmark for one in study.experiments if one.parameters}
    large = {code.benchmark.name for code in CODES if "memory" in code.sizes}
    assert by_memory == large
    assert {"codes.kdtree", "codes.lbm", "proxies.ofp"} <= large
    with pytest.raises(UsageError, match="memory"):
        select(["memory.stream"], {"size": "memory"})


def test_other_settings_are_the_benchmarks_own() -> None:
    study = select(["echo"], {"size": "minute", "cells": "64"})
    assert {v for one in study.experiments for v in one.parameters.get("cells", ())} == {64}
    sizes = select(["echo"], {"size": "1048576"}).experiments
    stream = next(one for one in sizes if one.benchmark == "memory.stream")
    assert stream.parameters["size"] == (1048576,)


def test_a_size_that_no_code_has_is_refused() -> None:
    with pytest.raises(UsageError, match="no size 'hour'"):
        select(["codes"], {"size": "hour"})


def test_weak_is_only_what_grows_with_the_threads_of_one_process() -> None:
    study = select(["codes"], {"scaling": "weak", "cells": "64"})
    weak = {one.benchmark for one in study.experiments if "scaling" in one.parameters}
    assert weak == {name for name in CODE_SET.codes if name.startswith("codes.")}
    of_proxy = next(one for one in study.experiments if one.benchmark == "proxies.ofp")
    assert of_proxy.parameters == {"cells": (64,)}
    (over_ranks,) = select(["proxies.ofp"], {"scaling": "weak"}).experiments
    assert over_ranks.parameters == {"scaling": ("weak",)}


def test_what_is_chosen_without_the_set_has_none() -> None:
    assert select(["proxies.ofp"], {}).code_set is None
    assert select(["quick", "codes"], {}).code_set == CODE_SET


def test_printed_scores_stand_with_what_follows_from_them() -> None:
    texts = " ".join(one.published for one in answers_of_study(select(["codes"], {})))
    for number in ("10.4", "7.01", "7.65", "7.44", "18.08", "6.298"):
        assert number in texts


def test_the_study_has_what_cores_and_memory_can_do_too() -> None:
    measured = [one.benchmark for one in ECHO.experiments]
    assert {"compute.fma", "compute.lu", "memory.stream"} <= set(measured)
    assert ECHO.questions[: len(CODES_STUDY.questions)] == CODES_STUDY.questions
