import math

import pytest
from msgspec.structs import replace

from machmeter.analysis.stats.noise import steal_shares, summarize_noise
from machmeter.model.plan.launch import Noise


def noise(
    host: str = "a",
    cpus: tuple[int, ...] = (0,),
    quanta: tuple[tuple[float, ...], ...] = ((1.0,),),
    steal: float = 0.0,
) -> Noise:
    return Noise(host, cpus, quanta, steal, 0, 0.0)


def test_quanta_are_compared_with_the_cpus_own_fastest_tenth_over_all_launches() -> None:
    slow = noise(quanta=((2.0,) * 10,))
    fast = noise(quanta=((1.0,) * 9 + (4.0,),))
    (found,) = summarize_noise([slow, fast])
    assert (found.host, found.cpu, found.quanta) == ("a", 0, 20)
    assert (found.median_slowdown, found.worst_slowdown, found.detours) == (2.0, 4.0, 11)
    assert 2.0 < found.p99_slowdown < 4.0


def test_an_undisturbed_cpu_has_no_detour() -> None:
    (found,) = summarize_noise([noise(quanta=((1.0, 1.01, 1.02, 1.04),))])
    assert found.detours == 0
    assert math.isclose(found.worst_slowdown, 1.04)


def test_cpus_and_hosts_stand_apart_in_order() -> None:
    found = summarize_noise(
        [noise("b"), noise("a", (3, 1), ((5.0, 5.0), (1.0, 2.0))), noise("c", (7,), ((),))]
    )
    assert [(s.host, s.cpu, s.worst_slowdown) for s in found] == [
        ("a", 1, 2.0),
        ("a", 3, 1.0),
        ("b", 0, 1.0),
    ]


def of_kernel(host: str, boot: str, started: float | None) -> Noise:
    return replace(noise(host), boot=boot, kernel_started=started)


def test_hosts_of_one_kernel_have_its_cpus_once() -> None:
    seen = [of_kernel(host, "4ae1", 5.0) for host in ("n2", "n1", "n2", "n3")]
    seen.append(of_kernel("n1", "77c0", 9.0))  # booted again
    assert [(one.host, one.cpu, one.quanta) for one in summarize_noise(seen)] == [("n2", 0, 5)]


@pytest.mark.parametrize(("boot", "started"), [("77c0", 5.0), ("4ae1", 9.0), ("", 5.0)])
def test_hosts_of_two_kernels_have_cpus_of_their_own(boot: str, started: float) -> None:
    found = summarize_noise([of_kernel("n1", "4ae1", 5.0), of_kernel("n2", boot, started)])
    assert [(one.host, one.quanta) for one in found] == [("n1", 1), ("n2", 1)]


def test_no_noise_gives_no_summary() -> None:
    assert summarize_noise([]) == ()


def test_rubbish_is_refused() -> None:
    with pytest.raises(ValueError, match="1 CPUs but quanta of 2"):
        summarize_noise([noise(quanta=((1.0,), (1.0,)))])
    with pytest.raises(ValueError, match="CPU 0: a quantum"):
        summarize_noise([noise(quanta=((0.0,),))])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seconds", [5e-324, 1e307])
def test_a_quantum_that_no_ratio_can_be_made_of_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="CPU 0: a quantum"):
        summarize_noise([noise(quanta=((1.0,) * 20 + (seconds,),))])


@pytest.mark.parametrize(("steal", "passed"), [(1e308, 1e-9), (1.0, 5e-324)])
def test_steal_that_cannot_be_is_refused(steal: float, passed: float) -> None:
    with pytest.raises(ValueError, match="steal of a"):
        steal_shares([(noise(), noise(steal=steal), passed)], 2)


def test_steal_is_a_share_of_the_cpus_time_over_all_launches() -> None:
    first = (noise(steal=1.0), noise(steal=3.0), 10.0)
    second = (noise(steal=7.0), noise(steal=7.0), 30.0)
    elsewhere = (noise("b", steal=9.0), noise("b", steal=8.0), 10.0)
    assert steal_shares([first], 1) == {"a": 0.2}
    assert steal_shares([first, second, elsewhere], 4) == {"a": 2.0 / 160, "b": 0.0}
    assert steal_shares([], 1) == {}


def test_steal_needs_one_host_and_time() -> None:
    with pytest.raises(ValueError, match="two hosts"):
        steal_shares([(noise("a"), noise("b"), 1.0)], 1)
    with pytest.raises(ValueError, match="positive time"):
        steal_shares([(noise(), noise(), 0.0)], 1)
