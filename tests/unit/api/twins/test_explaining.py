"""Questions about simulated times as a person writes them."""

from __future__ import annotations

import pytest

from machmeter.api.twins.explaining import TimeQuestion, question_of
from machmeter.model.errors import UsageError


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ping-pong 8 B, farthest", TimeQuestion("ping-pong", 8, "farthest")),
        ("ping-pong 8B", TimeQuestion("ping-pong", 8)),
        ("  Ping-Ping  1 MiB nearest ", TimeQuestion("ping-ping", 2**20)),
        ("ping-pong, 0", TimeQuestion("ping-pong", 0)),
        ("ping-pong 64 KiB", TimeQuestion("ping-pong", 65536)),
    ],
)
def test_a_question_is_a_pattern_a_size_and_a_pair(text: str, question: TimeQuestion) -> None:
    assert question_of(text) == question


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("ping 8 B", "no pattern 'ping'"),
        ("ping-pong", "no size"),
        ("ping-pong 8 X", "'x' is neither a pair nor part of a size"),
        ("ping-pong 8 B, middle", "'middle' is neither"),
        ("ping-pong far", "'far' is not a size"),
        ("ping-pong -8 B", "is not a size"),
        ("ping-pong 1e9 GB", "is not a size"),
        ("ping-pong 128 GiB", "a message of 128 GiB"),
        ("ping-pong 8 B " * 40, "more than 200 characters"),
    ],
)
def test_an_unknown_word_is_refused_with_what_can_be_written(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        question_of(text)
    assert error.value.remedy
