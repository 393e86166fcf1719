"""What is pooled as launches of one result, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from machmeter.importing.machine import import_files
from machmeter.importing.starts import launch_of
from machmeter.published.estimates import published_estimates
from tests.support.importing_data import FOLDER, read_lines

TABLE = "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)\n8     {}\n"
IMB = """#    Intel(R) MPI Benchmarks 2021.8, MPI-1 part
# Calling sequence was:

# IMB-MPI1 PingPong {}

# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         1.60         5.00
"""


def launches(tmp_path: Path, *texts: str) -> tuple[list[int], list[str]]:
    files = []
    for number, text in enumerate(texts):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(text)
    machine, remarks = import_files(files)
    return [one.launches for one in published_estimates(machine)], list(remarks)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("mpirun -np 2 -x UCX_TLS=rc ./osu_latency", "mpirun -np 2 -x UCX_TLS=tcp ./osu_latency"),
        ("srun -n 2 ./osu_latency", "srun -n 2 ./osu_latency -x 0"),
        ("srun -n 2 ./osu_latency", "srun -n 2 --cpu-bind=cores ./osu_latency"),
        ("export UCX_TLS=rc", "export UCX_TLS=tcp"),
        ("UCX_TLS=rc srun -n 2 ./osu_latency", "UCX_TLS=tcp srun -n 2 ./osu_latency"),
        ("+ export OMP_NUM_THREADS=1", "+ export OMP_NUM_THREADS=4"),
    ],
)
def test_other_options_are_no_launches(first: str, second: str, tmp_path: Path) -> None:
    texts = [f"{line}\n{TABLE.format(value)}" for line, value in ((first, 1.0), (second, 1.1))]
    for together in (texts, ["".join(texts)]):
        counts, remarks = launches(tmp_path, *together)
        assert counts == [1]
        assert any("was started otherwise" in remark for remark in remarks)


def test_a_variable_that_is_set_between_two_tables(tmp_path: Path) -> None:
    first, second = TABLE.format(1.0), f"export UCX_TLS=tcp\n{TABLE.format(1.1)}"
    counts, remarks = launches(tmp_path, first + second)
    assert counts == [1]
    assert any("with 'UCX_TLS=tcp' was started otherwise" in remark for remark in remarks)
    # A file that sets no variable says nothing of them.
    assert launches(tmp_path, first, second)[0] == [2]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("srun -n 2 ./osu_latency", "srun -n 2 ./osu_latency"),
        ("srun -n 2 ./osu_latency", "$ srun -n 2 /opt/osu/osu_latency > night2.txt"),
        ("srun -n 2 -w cn07,cn08 ./osu_latency", "srun -n 2 --nodelist=cn1,cn2 ./osu_latency"),
        ("srun -n 2 ./osu_latency", "a log of the night"),
        ("mpirun -np 2 ./osu_latency", "mpirun -np 2 ./osu_latency\nmpirun -np 2 hostname"),
    ],
)
def test_the_same_start_on_other_hosts_is_another_launch(
    first: str, second: str, tmp_path: Path
) -> None:
    texts = [f"{line}\n{TABLE.format(value)}" for line, value in ((first, 1.0), (second, 1.1))]
    counts, remarks = launches(tmp_path, *texts)
    assert counts == [2]
    assert not any("differ" in remark for remark in remarks)


def test_options_of_imb_that_are_not_in_the_point(tmp_path: Path) -> None:
    plain, other = IMB.format(""), IMB.format("-thread_level multiple")
    assert launches(tmp_path, plain, plain)[0] == [2]
    assert launches(tmp_path, other, plain + other)[0] == [2]
    assert launches(tmp_path, f"srun -n 2 ./IMB-MPI1\n{plain}", plain)[0] == [2]
    assert launches(tmp_path, plain, other)[0] == [1]


@pytest.mark.parametrize(("value", "said"), [(1.4, False), (1.6, True), (100.0, True)])
def test_launches_that_differ_much_are_reported(value: float, said: bool, tmp_path: Path) -> None:
    counts, remarks = launches(tmp_path, TABLE.format(1.0), TABLE.format(value))
    assert counts == [2]
    assert any(f"differ by up to {value:.3g} times" in one for one in remarks) == said


def test_a_launch_without_hosts_and_redirections() -> None:
    line = "[u@login ~]$ mpirun -np 2 --hostfile h.txt -x UCX_TLS=rc /opt/osu_bw -W 32 | tee o.txt"
    assert launch_of(line) == "UCX_TLS=rc mpirun -np 2 -x osu_bw -W 32"
    assert launch_of("srun -n 2 hostname") == ""


def test_what_is_read_of_documents_has_no_lines() -> None:
    text = (FOLDER / "tools/hyperfine.json").read_text()
    results = read_lines(f"export UCX_TLS=rc\n{text}").results
    assert all(one.started_with == {} for one in results)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('export UCX_TLS="rc, sm"', 'export UCX_TLS="rc, tcp"'),
        ("export GOMP_CPU_AFFINITY='0 1 2 3'", "export GOMP_CPU_AFFINITY='0 2 4 6'"),
        ("+ export 'OMP_PLACES={0:4}, {4:4}'", "+ export 'OMP_PLACES={0:4}, {8:4}'"),
        ("export A=1 OMP_NUM_THREADS=2", "export A=1 OMP_NUM_THREADS=4"),
        ("export UCX_TLS=rc; cd /tmp", "export UCX_TLS=tcp; cd /tmp"),
        ("cd /tmp && export UCX_TLS=rc", "cd /tmp && export UCX_TLS=tcp"),
        ('setenv OMP_PLACES "{0}, {1}"', 'setenv OMP_PLACES "{0}, {2}"'),
        ("OMP_PLACES='{0}, {1}' ./osu_latency", "OMP_PLACES='{0}, {2}' ./osu_latency"),
        (
            'OMP_PLACES="{0} {1}" srun -n 2 ./osu_latency',
            'OMP_PLACES="{0} {2}" srun -n 2 ./osu_latency',
        ),
        (
            "export UCX_TLS=rc; srun -n 2 ./osu_latency",
            "export UCX_TLS=tcp; srun -n 2 ./osu_latency",
        ),
    ],
)
def test_variables_in_quotes_and_several_of_a_line(first: str, second: str, tmp_path: Path) -> None:
    one = "".join(f"{line}\n{TABLE.format(1.0)}" for line in (first, first))
    assert launches(tmp_path, one)[0] == [2]
    other = "".join(f"{line}\n{TABLE.format(1.0)}" for line in (first, second))
    counts, remarks = launches(tmp_path, other)
    assert counts == [1]
    assert any("was started otherwise" in remark for remark in remarks)


def test_a_value_in_quotes_is_whole() -> None:
    text = f'export B=2 OMP_PLACES="{{0:4}}, {{4:4}}"\n{TABLE.format(1.0)}'
    (one,) = read_lines(text).results
    assert one.started_with["variables"] == "OMP_PLACES={0:4}, {4:4}"
    assert launch_of('OMP_PLACES="{0}, {1}" ./osu_bw') == "OMP_PLACES={0}, {1} osu_bw"
