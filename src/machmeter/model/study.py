"""What is asked: experiments and the questions they answer, as data."""

from __future__ import annotations

from msgspec import Struct, field

from machmeter.model.benchmark import Value

LARGEST = "largest"
SMALLEST = "smallest"


class Selector(Struct, frozen=True):
    """Picks one estimate: parameters by name, layout fields by name.

    The thread count `0` means: as many as the largest layout measured; the value `"largest"` or
    `"smallest"` of a parameter or a layout field, the largest or smallest measured. What is not
    named must be the same on both sides.
    """

    parameters: dict[str, Value] = field(default_factory=dict)
    layout: dict[str, Value] = field(default_factory=dict)


class Question(Struct, frozen=True):
    """A decision rule: is `candidate` better than `baseline`, and what to do then.

    `yes`, `no` and `same` are the advice for each outcome, after the verdict and its ratio;
    `source` says who asked it first.
    """

    text: str
    benchmark: str
    metric: str
    candidate: Selector
    baseline: Selector
    yes: str
    no: str
    same: str
    source: str = ""


class Experiment(Struct, frozen=True):
    """A benchmark over parameters and layouts; what is empty takes the benchmark's own values.

    all_threads: every thread count on the way from 1 to all (powers of two), else 1 and all;
    seconds_per_point: time cap of one point in one launch, seconds (0 = the benchmark's own).
    """

    benchmark: str
    parameters: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    all_threads: bool = True
    seconds_per_point: float = 0.0


class Study(Struct, frozen=True):
    """A named list of experiments and the questions asked of them."""

    name: str
    title: str
    summary: str
    experiments: tuple[Experiment, ...]
    questions: tuple[Question, ...] = ()


class LayoutWish(Struct, frozen=True):
    """Layout options of the command line; None or empty means the benchmark's own sweep."""

    ranks: int | None = None
    threads: tuple[int, ...] = ()
    smt: int = 1
    reserved_cores: int = 0
    binding: str = "close"
    page_bytes: tuple[int, ...] = ()
    wait_policies: tuple[str, ...] = ()
    oversubscribe: bool = False
