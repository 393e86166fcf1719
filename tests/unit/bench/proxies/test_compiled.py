"""Programs that call libraries, as far as no compiler is needed for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.comparisons.proxies import likelihood, projection
from bench.comparisons.proxies.peers import compiled


@pytest.mark.parametrize("peer", [likelihood.PEER, projection.PEER])
def test_the_program_of_each_library_is_next_to_what_compiles_it(
    peer: compiled.LibraryPeer,
) -> None:
    assert Path(compiled.__file__).with_name(peer.source).is_file()
    assert any(flag.startswith("-l") for flag in peer.flags)
