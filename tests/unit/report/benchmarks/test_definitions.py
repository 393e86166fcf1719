from machmeter.benchmarks.catalogue import BENCHMARKS
from machmeter.report.benchmarks.definitions import _KNOWN, definitions
from machmeter.report.benchmarks.selection import estimates_of, where
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.run import make_run

RUN = make_network_run()


def test_definitions_are_of_benchmarks_and_parameters_that_exist() -> None:
    known = {benchmark.name: benchmark for benchmark in BENCHMARKS}
    for name, meanings in _KNOWN.items():
        parameters = {p.name: p for p in known[name].parameters}
        for one in meanings:
            if one.parameter:
                assert set(one.values) <= set(parameters[one.parameter].choices)


def test_only_what_was_measured_is_defined() -> None:
    found = estimates_of(RUN, "network.latency")
    names = [name for name, _ in definitions("network.latency", found)]
    assert names == ["Ping-ping", "Data", "Buffers"]
    plain = where(where(found, "pattern", "ping-pong"), "data", "contiguous")
    assert [name for name, _ in definitions("network.latency", plain)] == ["Buffers"]
    old = estimates_of(make_run(), "network.latency")
    assert definitions("network.latency", old) == ()
    assert definitions("memory.stream", ()) == ()
