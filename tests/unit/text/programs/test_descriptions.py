"""What a description says, as text."""

from __future__ import annotations

from machmeter.model.plan.description import (
    Description,
    Figure,
    InputFile,
    OutputCheck,
    Preparation,
    ProgramVariant,
    Provided,
    Validity,
)
from machmeter.text.programs.descriptions import description_rows

BARE = Description(name="a", title="A", command=("a", "an input"))
FULL = Description(
    name="a",
    title="A",
    command=("a",),
    thread_arguments=("-t", "{threads}"),
    provided=Provided(debian=("a", "a-data"), pypi=("a",), by_hand="unpack it"),
    needs=("b", "c"),
    figures=(
        Figure(name="rate", unit="1/s", better="higher", pattern="(a)"),
        Figure(name="time", unit="s", better="lower", pattern="(a)"),
    ),
    checks=(
        OutputCheck(name="energy", pattern="(a)", reference=-4.5, absolute=1e-4),
        OutputCheck(name="same", pattern="(a)", across=True, relative=0.25),
    ),
    validities=(Validity(name="use", pattern="(a)", least=90, most=101),),
    inputs=(
        InputFile(path="in", fill=True),
        InputFile(path="data"),
        InputFile(path="mesh", made=True, fill=True),
    ),
    preparations=(Preparation(command=("mesh.py", "1 2")), Preparation(command=("fix",))),
    variants=(ProgramVariant(program="/b/a-avx2", feature="avx2"), ProgramVariant(program="a0")),
    least_threads=2,
    helper_threads=True,
)


def test_parts_that_are_missing_are_left_out() -> None:
    assert dict(description_rows(BARE)) == {
        "command": "a 'an input'",
        "figures of merit": "wall time only",
    }


def test_every_part_is_said() -> None:
    assert dict(description_rows(FULL)) == {
        "install": "apt install a a-data or pip install a or unpack it",
        "starts": "b, c",
        "command": "a -t '{threads}'",
        "figures of merit": "rate in 1/s, higher is better (the main result); time in s, lower is "
        "better",
        "checks": "energy = -4.5 within 0.0001; same equal in all launches within 25 %",
        "must be": "use at least 90 and at most 101",
        "input": "in, filled in for each launch; data; mesh, made before, filled in for each "
        "launch",
        "made by": "mesh.py '1 2'; fix",
        "program by CPU": "/b/a-avx2 with avx2, a0",
        "threads": "2 or more in each rank, with helpers that are not counted",
    }
