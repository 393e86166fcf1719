"""Options as written, and what is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from machmeter.cli.options.hosts import parse_hosts
from machmeter.cli.options.run_options import (
    RunOptions,
    command_to_repeat,
    parse_seconds,
    parse_settings,
    parse_share,
    request_of,
)
from machmeter.launch.launchers.hosts import Hosts
from machmeter.model.errors import UsageError
from machmeter.model.layout_fields import LAYOUT_OPTIONS

DEFAULT = RunOptions(
    names=(),
    settings=(),
    precision="2%",
    budget=None,
    min_launches=10,
    max_launches=100,
    mpi=(),
    compiler="",
)


def changed(**changes: object) -> RunOptions:
    """The default with other values, those of layouts by the names of their options."""
    of_layouts = {name: changes.pop(name) for name in [*changes] if name in LAYOUT_OPTIONS}
    return replace(DEFAULT, **changes, layout=of_layouts)


def test_a_command_to_repeat_names_its_mpi() -> None:
    words = ["/bin/machmeter", "explore", "--", "./run", "explore"]
    assert command_to_repeat(words, "explore", "/opt/mpi") == (
        *("/bin/machmeter", "explore", "--mpi", "/opt/mpi"),
        *("--", "./run", "explore"),
    )
    assert command_to_repeat(words, "explore", "") == tuple(words)
    assert command_to_repeat(["a.py"], "run", "mpich") == ("a.py",)


def test_without_options_quick_is_asked_for_within_two_minutes() -> None:
    asked = request_of(DEFAULT)
    assert asked.names == ("quick",)
    assert asked.study.name == "quick"
    assert asked.precision.half_width == 0.02
    assert (asked.precision.least_launches, asked.precision.most_launches) == (10, 100)
    assert asked.precision.budget_seconds <= 120
    assert (
        asked.layout_options.threads
        == asked.layout_options.page_bytes
        == asked.layout_options.wait_policies
        == ()
    )


def test_all_nodes_are_those_of_the_hosts() -> None:
    here = changed(nodes=" all", hosts=Hosts(("here", "there")))
    assert request_of(here).layout_options.nodes == ()


def test_every_option_reaches_what_is_asked() -> None:
    asked = request_of(
        changed(
            names=("network", "memory.stream"),
            settings=("window=4", "kernel=triad"),
            precision="0.5%",
            budget="2min",
            min_launches=3,
            max_launches=7,
            ranks="2",
            nodes="1,2",
            hosts=Hosts(("here", "there"), "/usr/bin/rsh"),
            progress="thread,library",
            mpi=("openmpi,mpich", "/usr", "mpich"),
            threads="1,2,2",
            smt="2",
            binding="spread",
            pages="4KiB,2MiB,4KiB",
            wait="active, passive,active",
            reserve="1",
            oversubscribe=True,
        )
    )
    assert asked.precision.budget_seconds == 120
    assert asked.precision.half_width == 0.005
    wish = asked.layout_options
    assert (wish.rank_counts, wish.threads, wish.smt, wish.reserved_cores) == ((2,), (1, 2), 2, 1)
    assert (wish.nodes, wish.hosts, wish.remote_shell) == (
        (1, 2),
        ("here", "there"),
        "/usr/bin/rsh",
    )
    assert wish.progress == ("progress thread", "library")
    assert asked.mpi == "openmpi,mpich,/usr"
    assert wish.mpis == ("openmpi", "mpich", "/usr")
    assert (wish.bindings, wish.oversubscribe) == (("spread",), True)
    assert wish.page_bytes == (4096, 2**21)
    assert wish.wait_policies == ("active", "passive")
    parameters = {e.benchmark: e.parameters for e in asked.study.experiments}
    assert parameters["memory.stream"]["kernel"] == ("triad",)
    assert parameters["network.bandwidth"]["window"] == (4,)


@pytest.mark.parametrize(
    "changes",
    [
        {"names": ("nothing",)},
        {"settings": ("size",)},
        {"settings": ("=8",)},
        {"settings": ("size=8", " size =64"), "names": ("network",)},
        {"settings": ("window=4",), "names": ("memory",)},
        {"precision": "0"},
        {"precision": "nan"},
        {"precision": "60%"},
        {"precision": "two"},
        {"budget": "0s"},
        {"budget": "1d"},
        {"budget": "-5s"},
        {"budget": "9" * 400},
        {"min_launches": 1},
        {"min_launches": 20, "max_launches": 10},
        {"max_launches": 10**9},
        {"ranks": "0"},
        {"ranks": "1000000000"},
        {"nodes": "two"},
        {"nodes": "all"},
        {"progress": "fast"},
        {"hosts": Hosts((), "/bin/true")},
        {"smt": "0"},
        {"reserve": "-1"},
        {"smt": ""},
        {"smt": "1,0"},
        {"modes": "mpi+threads"},
        {"modes": "mpi", "smt": "2"},
        {"modes": "hybrid", "threads": "4"},
        {"binding": "tight"},
        {"threads": "0"},
        {"threads": "1;2"},
        {"threads": "9" * 5000},
        {"pages": "3KiB"},
        {"pages": "5000"},
        {"pages": "big"},
        {"wait": "both"},
    ],
    ids=str,
)
def test_what_has_no_meaning_is_wrong_usage(changes: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        request_of(changed(**changes))


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("1.5m", 90), ("5min", 300), ("2h", 7200)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["5", "90", "1.5"])
def test_a_duration_without_a_unit_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_seconds(text)
    assert str(refused.value) == f"--budget {text!r} has no unit"
    assert refused.value.remedy == f"write {text}s or {text}min"


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("2 %", 0.02), (".02", 0.02)])
def test_shares(text: str, share: float) -> None:
    assert parse_share("--precision", text) == pytest.approx(share)


def test_settings_keep_what_stands_after_the_first_equals_sign() -> None:
    assert parse_settings(["a=1", " b = x=y"]) == {"a": "1", "b": " x=y"}


def test_without_an_mpi_the_embedded_one_is_meant() -> None:
    asked = request_of(changed(names=("network.latency",)))
    assert asked.mpi == "mpich"
    assert asked.layout_options.mpis == ()


@pytest.mark.parametrize("text", ["a,b;c", "a,a", "-x", "a b", "../up", "n" * 300])
def test_what_are_no_host_names_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError):
        parse_hosts(text)


def test_hosts_keep_their_order() -> None:
    assert parse_hosts(" n2, n1 ,n10.cluster ") == ("n2", "n1", "n10.cluster")


@given(st.text(max_size=20))
def test_any_text_is_understood_or_wrong_usage(text: str) -> None:
    for name in ("precision", "budget", "threads", "ranks", "pages", "wait", "progress"):
        try:
            request_of(changed(**{name: text}))
        except UsageError as error:
            assert error.message
