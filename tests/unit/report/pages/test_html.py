"""The libraries of charts are bundled once for a cache, and again where it is damaged."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from machmeter.report.pages.html import kept_bundle


class Bundling:
    """Counts how often it bundles."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        return "window.vegaEmbed = '→';"


@pytest.fixture
def bundling() -> Bundling:
    return Bundling()


def test_a_bundle_is_made_once(tmp_path: Path, bundling: Bundling) -> None:
    assert kept_bundle(tmp_path, bundling) == kept_bundle(tmp_path, bundling) == bundling()
    assert bundling.times == 2


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_a_damaged_bundle_is_made_again(tmp_path: Path, bundling: Bundling, keep: int) -> None:
    kept_bundle(tmp_path, bundling)
    (kept,) = (tmp_path / "page").iterdir()
    kept.write_bytes(kept.read_bytes()[:keep])
    assert kept_bundle(tmp_path, bundling) == "window.vegaEmbed = '→';"
    assert bundling.times == 2


def test_a_bundle_that_others_may_have_changed_is_made_again(
    tmp_path: Path, bundling: Bundling
) -> None:
    kept_bundle(tmp_path, bundling)
    (kept,) = (tmp_path / "page").iterdir()
    kept.write_bytes(hashlib.sha256(b"theirs").digest() + b"theirs")
    kept.chmod(0o666)
    assert kept_bundle(tmp_path, bundling) == "window.vegaEmbed = '→';"


def test_a_cache_that_is_no_folder_is_as_an_empty_one(tmp_path: Path, bundling: Bundling) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert kept_bundle(blocked, bundling) == "window.vegaEmbed = '→';"
