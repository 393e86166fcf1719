import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from machmeter.analysis.stats.warmup import mser5_cut

times = st.lists(st.floats(1e-9, 1e3), min_size=0, max_size=120)


def test_fewer_than_twenty_samples_are_kept() -> None:
    assert mser5_cut([100.0] * 10 + [1.0] * 9) == 0


def test_a_constant_series_is_kept() -> None:
    assert mser5_cut([0.1] * 200) == 0


def test_a_step_is_cut_where_it_ends() -> None:
    assert mser5_cut([3.0] * 30 + [1.0] * 170) == 30


def test_a_true_ramp_is_found_within_tolerance() -> None:
    rng = np.random.default_rng(11)
    cuts = []
    for _ in range(50):
        ramp = np.concatenate((np.linspace(2.0, 1.0, 40), np.ones(160)))
        cuts.append(mser5_cut((ramp * rng.lognormal(0, 0.02, 200)).tolist()))
    assert 30 <= np.median(cuts) <= 55
    assert np.mean([25 <= cut <= 75 for cut in cuts]) >= 0.9


def test_little_is_cut_from_white_noise() -> None:
    rng = np.random.default_rng(12)
    cuts = [mser5_cut(rng.lognormal(0, 0.05, 200).tolist()) for _ in range(200)]
    assert np.mean(cuts) < 40
    assert np.median(cuts) <= 15


@given(times)
def test_at_most_half_is_cut_and_whole_batches(samples: list[float]) -> None:
    cut = mser5_cut(samples)
    assert cut % 5 == 0
    assert 0 <= cut <= len(samples) / 2
