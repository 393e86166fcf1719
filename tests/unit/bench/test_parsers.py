import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.parsers import (
    parse_babelstream,
    parse_hpcc,
    parse_likwid,
    parse_likwid_loop,
    parse_likwid_names,
    parse_multichase,
    parse_stream,
    parse_syncbench,
)

LIKWID_LIST = """clcopy - Double-precision cache line copy
stream_avx512_fma - Double-precision stream triad A(i) = B(i)*c + C(i), optimized for AVX-
User benchmarks:
"""

LIKWID_LOOP = """Name: stream
Number of streams: 3
Loop stride: 4
Bytes per element: 24
Load bytes per element: 16
Store bytes per element: 8
"""

LIKWID_RUN = """Initialization: Each thread in domain initializes its own stream chunks
Using 2 threads
Group: 0 Thread 0 Global Thread 0 running on hwthread 0 - Vector length 8000000 Offset 0
Group: 0 Thread 1 Global Thread 1 running on hwthread 4 - Vector length 8000000 Offset 8000000
Time:			8.199646e-01 sec
Size (Byte):		384000000
Size per thread:	192000000
MFlops/s:		762.56
MByte/s:		9366.26
"""

STREAM = """STREAM version $Revision: 5.10 $
This system uses 8 bytes per array element.
Array size = 16000000 (elements), Offset = 0 (elements)
Number of Threads requested = 2
Number of Threads counted = 2
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:            9777.7     0.050849     0.026182     0.075077
Triad:          10174.4     0.076800     0.037742     0.112196
"""

HPCC = """StarSTREAM_Triad=1
Begin of Summary section.
VersionMajor=1
STREAM_VectorSize=166666
SingleSTREAM_Triad=68.9343
AvgPingPongLatency_usec=1.82e-01
Language=C
End of Summary section.
StarSTREAM_Triad=2
"""

SYNCBENCH = """reference time 1 mean time    = 0.108064 microseconds +/- 0.001215
PARALLEL time         = 1.239280 microseconds +/- 0.048901
PARALLEL overhead     = 1.131215 microseconds +/- 0.050116
PARALLEL median_ovrhd = 1.116656 microseconds
PARALLEL FOR overhead     = -0.500000 microseconds +/- 1.0
"""

EVERY_PARSER = (
    parse_likwid_names,
    parse_likwid_loop,
    parse_likwid,
    parse_stream,
    parse_multichase,
    parse_hpcc,
    parse_syncbench,
)


BABELSTREAM = """\
Using OpenCL device pthread-skylake-avx512-AMD EPYC
Driver: 3.1+debian
Reduction kernel config: 2 groups of size 16
function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime
Copy,20,16777216,8,32246.1,0.00832458,0.0142478,0.0118606
Triad,20,16777216,8,34456.4,0.0116859,0.0188619,0.0160848
Dot,20,16777216,8,2110.53,0.127189,0.26515,0.216118
"""


def test_likwid_names_are_those_listed_with_a_description() -> None:
    assert parse_likwid_names(LIKWID_LIST) == ("clcopy", "stream_avx512_fma")


def test_likwid_loop_counts_all_bytes_of_an_element_not_those_loaded() -> None:
    loop = parse_likwid_loop(LIKWID_LOOP)
    assert (loop.arrays, loop.bytes_per_element) == (3, 24)


def test_likwid_run_has_its_rate_in_bytes_and_the_cpus_it_ran_on() -> None:
    run = parse_likwid(LIKWID_RUN)
    assert run.rate == pytest.approx(9366.26e6)
    assert run.cpus == (0, 4)


def test_stream_gives_its_best_rate_and_the_rate_of_its_mean_time() -> None:
    run = parse_stream(STREAM)
    assert run.array_bytes == 128_000_000
    assert run.threads == 2
    assert run.best_triad == pytest.approx(10174.4e6)
    assert run.mean_triad == pytest.approx(3 * 128e6 / 0.0768)


def test_stream_without_openmp_counts_as_one_thread() -> None:
    text = "\n".join(line for line in STREAM.splitlines() if "Threads" not in line)
    assert parse_stream(text).threads == 1


def test_babelstream_gives_the_rate_of_its_mean_time_and_its_best_one() -> None:
    mean, best = parse_babelstream(BABELSTREAM, "Triad")
    assert mean == pytest.approx(3 * 8 * 16_777_216 / 0.0160848)
    assert best == pytest.approx(34456.4e6)
    older = BABELSTREAM.replace("max_MB_per_sec", "max_mbytes_per_sec")
    assert parse_babelstream(older, "Triad") == (mean, best)
    mean, _ = parse_babelstream(BABELSTREAM, "Dot")
    assert mean == pytest.approx(2 * 8 * 16_777_216 / 0.216118)
    with pytest.raises(ValueError, match="no line of Nstream"):
        parse_babelstream(BABELSTREAM, "Nstream")


def test_multichase_ends_with_nanoseconds() -> None:
    assert parse_multichase(" 345.5\n") == pytest.approx(345.5e-9)


def test_hpcc_reads_numbers_of_the_summary_section_alone() -> None:
    assert parse_hpcc(HPCC) == {
        "VersionMajor": 1.0,
        "STREAM_VectorSize": 166666.0,
        "SingleSTREAM_Triad": 68.9343,
        "AvgPingPongLatency_usec": 0.182,
    }


def test_hpcc_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="did not finish"):
        parse_hpcc(HPCC.split("End of Summary", maxsplit=1)[0])


def test_syncbench_keeps_negative_overheads_as_they_are_printed() -> None:
    found = parse_syncbench(SYNCBENCH)
    assert set(found) == {"parallel", "parallel for"}
    assert found["parallel"].overhead == pytest.approx(1.131215e-6)
    assert found["parallel"].half_width == pytest.approx(0.050116e-6)
    assert found["parallel for"].overhead == pytest.approx(-0.5e-6)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_likwid, LIKWID_RUN.replace("9366.26", "0.00")),
        (parse_stream, STREAM.replace("10174.4", "0.0")),
        (parse_multichase, "0\n"),
    ],
)
def test_a_zero_is_refused(parse, text) -> None:
    with pytest.raises(ValueError, match="not above zero"):
        parse(text)


@pytest.mark.parametrize("parse", EVERY_PARSER)
@given(text=st.text(alphabet=st.sampled_from("0123456789.eE+-:=#() \nabSTu/Mwkxyz"), max_size=300))
def test_rubbish_is_a_value_error_and_nothing_else(parse, text) -> None:
    try:
        found = parse(text)
    except ValueError:
        return
    assert found
