import pytest
from msgspec.structs import replace

from machmeter.model.device import Device, NamedDevice
from machmeter.model.layout import Layout
from machmeter.model.plan.launch import Toolchain
from machmeter.model.point import make_point
from machmeter.model.results.precision import PrecisionReached, PrecisionStep
from machmeter.model.variant import Variant
from machmeter.text.runs import (
    library_in_short,
    library_of,
    machine_properties,
    mpi_in_short,
    precision_summary_text,
    software_properties,
)
from tests.support.synthetic.network import make_network_run
from tests.support.synthetic.run import make_machine, make_run

RUN = make_run()


def test_machine_leaves_out_what_is_unknown() -> None:
    names = dict(machine_properties(RUN))
    assert "Container" not in names
    assert names["Virtual machine"] == "KVM"
    limited = replace(make_machine(), cpu_quota=1.5)
    header = replace(RUN.header, machine=limited)
    assert "limited to 1.5 CPUs" in dict(machine_properties(replace(RUN, header=header)))["Cores"]


def test_the_mpi_library_is_named_once() -> None:
    facts = software_properties(RUN)
    assert [name for name, text in facts if "MPICH Version: 5.0.2" in text] == ["MPI"]
    assert "requested: mpich 5.0.2 from PyPI" in dict(facts)["MPI"]


def test_libraries_transports_and_hosts_are_told_where_there_are_several() -> None:
    run = make_network_run()
    software, machine = dict(software_properties(run)), dict(machine_properties(run))
    assert software["MPI libraries compared"] == "mpich, openmpi"
    assert software["Transport, openmpi"] == "pml ob1, btl self,sm,tcp"
    assert machine["Hosts of ranks"] == "6: n1, n2, n3, n4, n5, n6"
    assert (
        not {"MPI libraries compared", "Transport, mpich"} & dict(software_properties(RUN)).keys()
    )
    assert "Hosts of ranks" not in dict(machine_properties(RUN))


def test_openmp_is_the_version_that_its_date_stands_for() -> None:
    chain = Toolchain("c++ 1", "-O2", "0" * 16, "201511")
    software = dict(software_properties(replace(RUN, toolchain=chain)))
    assert software["OpenMP"] == "OpenMP 4.5 (_OPENMP 201511)"
    later = replace(RUN, toolchain=replace(chain, openmp="203001"))
    assert dict(software_properties(later))["OpenMP"] == "203001"


def test_what_a_library_says_cannot_steer_a_terminal() -> None:
    said = replace(RUN, transports={"lib\x1b[2J": {"net\u202e": "tcp\x07"}})
    names = {n: t for n, t in software_properties(said) if n.startswith("Transport")}
    assert names == {"Transport, lib[2J": "net tcp"}


def test_more_precision_is_said_as_the_option_that_gives_it() -> None:
    curve = (PrecisionStep(100.0, 0.08, False), PrecisionStep(400.0, 0.039, True))
    reached = PrecisionReached(0.02, 10, 0, 0.08, 12, (), curve)
    text = precision_summary_text(replace(RUN, precision=reached))
    assert text == "median ±8 % (target ±2 %); about ±3.9 % with --budget 7min"


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("MPICH Version: 5.0.2", "MPICH 5.0.2"),
        ("Open MPI v5.0.11, package: Open MPI root@x", "Open MPI v5.0.11"),
        ("Some\x1b[31mMPI", "Some[31mMPI"),
    ],
)
def test_a_library_is_named_in_short(said: str, short: str) -> None:
    assert library_in_short(said) == short


def test_what_machmeter_did_not_link_has_no_library_but_the_one_that_started_it() -> None:
    run = replace(RUN, mpi_libraries={"": "MPICH Version: 5.0.2"})
    for name, library in (("network.latency", "MPICH 5.0.2"), ("app.examl", "")):
        assert library_of(run, make_point(name, {}, Layout())) == library
        by_one_of_two = make_point(name, {}, Layout(), Variant("openmpi"))
        assert library_of(run, by_one_of_two) == "openmpi"
    assert library_of(run, make_point("memory.stream", {}, Layout())) == ""


def test_the_mpi_requested_is_said_where_its_name_does_not() -> None:
    chain = Toolchain("g++", "-O3", "a", mpi_library="MPICH Version: 5.0.2")
    request = replace(RUN.header.request, mpi="mpich")
    one = replace(RUN, toolchain=chain, header=replace(RUN.header, request=request))
    assert mpi_in_short(one) == "MPICH 5.0.2"
    other = replace(one.header, request=replace(request, mpi="/opt/mpi"))
    assert mpi_in_short(replace(one, header=other)) == "MPICH 5.0.2 (requested: /opt/mpi)"


def test_a_device_is_named_with_what_is_known_of_it() -> None:
    known = Device("cuda", "B200", "gpu", "CUDA 13.0", driver="580.1", units=148)
    bare = NamedDevice("x:1", "x", Device("x", "Y"))
    devices = (NamedDevice("cuda:0", "cuda:GPU-1", replace(known, memory_bytes=2**37)), bare)
    header = replace(RUN.header, machine=replace(make_machine(), devices=devices))
    text = dict(machine_properties(replace(RUN, header=header)))["Devices"]
    assert text == "cuda:0 B200 (GPU, 148 units, 128 GiB, CUDA 13.0, driver 580.1); x:1 Y"
