from msgspec.structs import replace
from synthetic_run import make_machine, make_run

from machmeter.report.facts import machine_facts, software_facts

RUN = make_run()


def test_machine_leaves_out_what_is_unknown() -> None:
    names = dict(machine_facts(RUN))
    assert "Container" not in names
    assert names["Virtual machine"] == "KVM"
    limited = replace(make_machine(), cpu_quota=1.5)
    header = replace(RUN.header, machine=limited)
    assert "limited to 1.5 CPUs" in dict(machine_facts(replace(RUN, header=header)))["Cores"]


def test_the_mpi_library_is_named_once() -> None:
    facts = software_facts(RUN)
    assert [name for name, text in facts if "MPICH Version: 5.0.2" in text] == ["MPI"]
    assert "asked: mpich 5.0.2 from PyPI" in dict(facts)["MPI"]
