"""Tables of OSU and IMB as they are printed, read back in base units."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.network.tables import LARGEST_TEXT, MOST_ROWS, parse_imb_table, parse_osu_table

LATENCY = """# HOST/POSIX_MEMALIGN: allocated 8 bytes at 0x562c7ddb1000

# A Latency Test v1
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
8                       0.81
1048576               182.50
"""
FULL = """# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
8                       0.40              0.38              0.44        1000
"""
RATES = """# [ pairs: 1 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
64                    102.50        1601562.50
"""
BARRIER = """# Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
             0.34              0.33              0.35        1000
"""
HIDDEN = """# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
8                      17.50              6.40              5.00             12.50
"""
REMARK = "# HOST/POSIX_MEMALIGN: allocated 8 bytes at 0x562c7ddb1000\n"

PING_PONG = """#---------------
# Benchmarking PingPong
# #processes = 2
#---------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.44         0.00
            8         1000         0.50        16.00

# All processes entering MPI_Finalize
"""
SYNC = """ #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         0.32         0.34         0.33
"""
TWO_MODES = """#    MODE: NON-AGGREGATE
       #bytes #repetitions      t[usec]   Mbytes/sec
            8          100         0.60        13.33
#    MODE: AGGREGATE
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         0.20        40.00
"""
OVERLAP = """       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]
            8         1000         4.00         2.00         3.00        25.00
"""


def test_latencies_come_back_in_seconds() -> None:
    table = parse_osu_table(LATENCY)
    assert table.column("Avg Latency") == pytest.approx({8: 0.81e-6, 1048576: 182.5e-6})
    assert table.step("Avg Latency") == pytest.approx(0.01e-6)


def test_every_column_has_its_own_unit() -> None:
    assert parse_osu_table(FULL).column("Max Latency") == pytest.approx({8: 0.44e-6})
    assert parse_osu_table(FULL).column("Iterations") == {8: 1000.0}
    rates = parse_osu_table(RATES)
    assert rates.column("MB/s") == pytest.approx({64: 102.5e6})
    assert rates.column("Messages/s") == pytest.approx({64: 1601562.5})
    assert parse_osu_table(HIDDEN).column("Overlap") == pytest.approx({8: 0.125})
    assert parse_osu_table(HIDDEN).column("Pure Comm.") == pytest.approx({8: 5e-6})


def test_a_table_without_sizes_has_the_size_zero() -> None:
    assert parse_osu_table(BARRIER).column("Max Latency") == pytest.approx({0: 0.35e-6})
    assert parse_imb_table(SYNC).column("t_max") == pytest.approx({0: 0.34e-6})


@given(st.integers(0, len(LATENCY)))
def test_a_remark_of_another_rank_may_stand_anywhere(place: int) -> None:
    assert parse_osu_table(LATENCY[:place] + REMARK + LATENCY[place:]) == parse_osu_table(LATENCY)


def test_a_head_over_two_lines_is_one_head() -> None:
    text = LATENCY.replace("# Size       Avg", f"# Size  \n{REMARK}     Avg")
    assert parse_osu_table(text) == parse_osu_table(LATENCY)


def test_imb_tables_come_back_in_base_units() -> None:
    table = parse_imb_table(PING_PONG)
    assert table.column("t") == pytest.approx({0: 0.44e-6, 8: 0.5e-6})
    assert table.column("Mbytes/sec") == pytest.approx({0: 0.0, 8: 16e6})
    assert parse_imb_table(OVERLAP).column("overlap") == pytest.approx({8: 0.25})


def test_the_section_asked_for_is_read() -> None:
    assert parse_imb_table(TWO_MODES, "NON-AGGREGATE").column("t") == pytest.approx({8: 0.6e-6})
    assert parse_imb_table(TWO_MODES, "AGGREGATE").column("t") == pytest.approx({8: 0.2e-6})
    with pytest.raises(ValueError, match="no section 'MODE: OTHER'"):
        parse_imb_table(TWO_MODES, "OTHER")


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (parse_osu_table, "", "no header line"),
        (parse_osu_table, "# Size   Latency (us)\n", "no line"),
        (parse_osu_table, LATENCY.replace("(us)", "(ms)"), "unit that is not known"),
        (parse_osu_table, LATENCY.replace("0.81", "0.81 0.9"), "2 values"),
        (parse_osu_table, LATENCY.replace("\n8 ", "\n-8 "), "no message size"),
        (parse_osu_table, LATENCY + "1 1.0\n" * MOST_ROWS, "more than"),
        (parse_osu_table, LATENCY + " " * LARGEST_TEXT, "longer than any"),
        (parse_imb_table, "", "no header line"),
        (parse_imb_table, PING_PONG.replace("0.50", "1e999"), "no finite number"),
        (parse_imb_table, PING_PONG.replace("[usec]", "[days]"), "unit that is not known"),
        (parse_imb_table, PING_PONG + " " * LARGEST_TEXT, "longer than any"),
    ],
)
def test_what_is_no_such_table_is_refused(parse, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_a_column_that_is_missing_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no column 'Max Latency', only Avg Latency"):
        parse_osu_table(LATENCY).column("Max Latency")


@pytest.mark.parametrize("parse", [parse_osu_table, parse_imb_table])
@given(
    text=st.text(alphabet=st.sampled_from("0123456789.eE+-#[]() \nSizetusrpbyLac/%"), max_size=300)
)
def test_rubbish_is_a_value_error_and_nothing_else(parse, text: str) -> None:
    try:
        table = parse(text)
    except ValueError:
        return
    assert table.rows


@given(st.integers(0, 10**9), st.floats(0.01, 1e6), st.integers(1, 5))
def test_any_row_is_read_back_with_its_step(size: int, value: float, digits: int) -> None:
    printed = f"{value:.{digits}f}"
    osu = parse_osu_table(f"# Size          Latency (us)\n{size:<10d}{printed:>20}\n")
    imb = parse_imb_table(f"#bytes #repetitions t[usec]\n{size:>12d} 1000 {printed:>12}\n")
    for table, column in ((osu, "Latency"), (imb, "t")):
        assert math.isclose(table.column(column)[size], float(printed) * 1e-6, rel_tol=1e-12)
        assert math.isclose(table.step(column), 10.0 ** (-6 - digits), rel_tol=1e-9)
