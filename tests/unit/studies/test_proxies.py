"""Study `proxies`: every proxy beside the roofline of the node."""

from __future__ import annotations

from machmeter.benchmarks.catalogue import BENCHMARKS, PROXIES
from machmeter.benchmarks.proxies.shared import SCALING
from machmeter.studies.proxies import PROXY_STUDY


def test_every_proxy_is_measured_and_asked_about() -> None:
    measured = {experiment.benchmark for experiment in PROXY_STUDY.experiments}
    proxies = {one.name for one in BENCHMARKS if one.group == "proxies"}
    assert proxies == {one.name for one in PROXIES}
    assert proxies < measured
    assert {question.benchmark for question in PROXY_STUDY.questions} == proxies


def test_a_proxy_counts_operations_and_bytes_and_says_what_its_work_is() -> None:
    for one in PROXIES:
        assert one.amounts
        assert SCALING in one.parameters
        counted = one.display.counted
        assert counted is not None
        assert {counted.flops, counted.bytes} <= {metric.name for metric in one.metrics}
        assert set(counted.largest) <= set(one.amounts)
