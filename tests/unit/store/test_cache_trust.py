"""What may be started from a cache: the work of the user, root and a named owner, no other's."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from machmeter.model.errors import ExitCode, MachmeterError
from machmeter.store.cache_trust import (
    TRUST_CACHE,
    CacheFault,
    CacheOwners,
    _own_group,
    cache_owners,
    close_tree,
    fault_of,
    make_closed,
    refuse_untrusted,
)

ME, MY_GROUP = 1000, 1000
OWNERS = CacheOwners(frozenset({0, ME}), frozenset({MY_GROUP}))
STRANGER = 54321

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    made = tmp_path / "cache"
    (made / "build" / "a").mkdir(parents=True)
    (made / "build" / "a" / "program").write_text("")
    close_tree(made)
    return made


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def program_of(cache: Path) -> Path:
    return cache / "build" / "a" / "program"


def refusal(cache: Path, **environment: str) -> MachmeterError:
    with pytest.raises(MachmeterError) as caught:
        refuse_untrusted((program_of(cache),), cache, environment)
    return caught.value


def status(kind: int, mode: int, user: int = ME, group: int = MY_GROUP) -> os.stat_result:
    return os.stat_result((kind | mode, 0, 0, 1, user, group, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (status(stat.S_IFDIR, 0o755), None),
        (status(stat.S_IFREG, 0o755, user=0, group=0), None),
        (status(stat.S_IFREG, 0o755, user=STRANGER), CacheFault.OWNER),
        (status(stat.S_IFREG, 0o757), CacheFault.OTHERS),
        (status(stat.S_IFDIR, 0o1777), CacheFault.OTHERS),
        (status(stat.S_IFDIR, 0o775), None),
        (status(stat.S_IFDIR, 0o2775, group=STRANGER), CacheFault.GROUP),
        (status(stat.S_IFDIR, 0o755, group=STRANGER), None),
        (status(stat.S_IFLNK, 0o777), None),
        (status(stat.S_IFLNK, 0o777, user=STRANGER), CacheFault.OWNER),
    ],
)
def test_owner_and_rights_decide(found: os.stat_result, fault: CacheFault | None) -> None:
    assert fault_of(found, OWNERS) is fault


def test_what_only_the_user_writes_and_what_is_not_there_is_accepted(cache: Path) -> None:
    nowhere = cache / "build" / "none" / "program"
    refuse_untrusted((program_of(cache), nowhere), cache, {})
    refuse_untrusted((cache.with_name("none") / "a",), cache.with_name("none"), {})


@pytest.mark.parametrize("which", ["", "build", "build/a", "build/a/program"])
def test_a_place_that_all_may_write_to_is_refused_with_what_closes_it(
    cache: Path, which: str
) -> None:
    place = cache / which
    place.chmod(0o777)
    error = refusal(cache)
    assert error.exit_code is ExitCode.MACHINE_LACKS
    assert f"{place} can be written by every user" in error.message
    assert "mode 0777" in error.message
    recursive = "-R " if place.is_dir() else ""
    command = f"chmod {recursive}go-w {place}"
    assert f"`{command}`" in error.remedy
    assert os.system(command) == 0  # noqa: S605 - the line that a person copies
    refuse_untrusted((program_of(cache),), cache, {})


@as_root
def test_a_group_may_write_only_where_it_is_the_user_s_own(cache: Path) -> None:
    program_of(cache).chmod(0o775)
    refuse_untrusted((program_of(cache),), cache, {})
    os.chown(program_of(cache), -1, STRANGER)
    error = refusal(cache)
    assert "a group that is not your own" in error.message
    assert f"`chmod go-w {program_of(cache)}`" in error.remedy


def test_a_primary_group_that_others_share_is_not_the_user_s_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = pwd.getpwuid(os.geteuid())
    for name, members, own in (
        (here.pw_name, [], True),
        (here.pw_name, [here.pw_name], True),
        (here.pw_name, ["another"], False),
        ("users", [], False),
    ):
        group = grp.struct_group((name, "x", here.pw_gid, members))
        monkeypatch.setattr(grp, "getgrgid", lambda _, group=group: group)
        # A process asks once.
        _own_group.cache_clear()
        assert (here.pw_gid in cache_owners({}).groups) is own
    _own_group.cache_clear()


@as_root
@pytest.mark.parametrize("which", ["", "build/a", "build/a/program"])
@pytest.mark.parametrize("named", ["daemon", "number"])
def test_a_cache_of_another_is_trusted_only_where_its_owner_is_named(
    cache: Path, which: str, named: str
) -> None:
    owner = pwd.getpwnam("daemon").pw_uid if named == "daemon" else STRANGER
    os.chown(cache / which, owner, -1)
    error = refusal(cache)
    assert error.exit_code is ExitCode.MACHINE_LACKS
    text = named if named == "daemon" else str(owner)
    assert f"owner {text}" in error.message
    assert f"`export {TRUST_CACHE}={text}`" in error.remedy
    refusal(cache, **{TRUST_CACHE: "nobody"})
    for name in (text, str(owner)):
        refuse_untrusted((program_of(cache),), cache, {TRUST_CACHE: name})
    program_of(cache).chmod(0o666)
    assert f"go-w {program_of(cache)}`" in refusal(cache, **{TRUST_CACHE: text}).remedy


@pytest.mark.parametrize("name", ["no-such-user-here", "-1", "1" * 5000, "1000 "])
def test_an_owner_that_is_unknown_is_wrong_usage(cache: Path, name: str) -> None:
    error = refusal(cache, **{TRUST_CACHE: name})
    assert error.exit_code is ExitCode.WRONG_USAGE
    assert TRUST_CACHE in error.message


def test_a_cache_behind_a_link_is_looked_at_where_it_is(cache: Path) -> None:
    home = cache.with_name("home")
    home.symlink_to(cache.parent)
    by_link = home / "cache"
    refuse_untrusted((program_of(by_link),), by_link, {})
    (cache / "build").chmod(0o777)
    assert str(cache / "build") in refusal(by_link).message


@as_root
def test_a_link_within_the_cache_counts_as_what_it_leads_to(cache: Path) -> None:
    elsewhere = cache.with_name("elsewhere")
    program_of(cache).rename(elsewhere)
    program_of(cache).symlink_to(elsewhere)
    refuse_untrusted((program_of(cache),), cache, {})
    elsewhere.chmod(0o666)
    assert f"`chmod go-w {elsewhere}`" in refusal(cache).remedy
    elsewhere.chmod(0o644)
    os.chown(elsewhere, STRANGER, -1)
    assert f"{elsewhere} does not belong to you" in refusal(cache).message
    os.chown(elsewhere, 0, -1)
    os.chown(program_of(cache), STRANGER, -1, follow_symlinks=False)
    assert f"{program_of(cache)} does not belong to you" in refusal(cache).message


def test_links_in_a_circle_are_no_crash(cache: Path) -> None:
    program_of(cache).unlink()
    program_of(cache).symlink_to(program_of(cache))
    assert str(program_of(cache)) in refusal(cache).message


def test_folders_are_closed_whatever_the_umask(tmp_path: Path, open_umask: None) -> None:
    folder = tmp_path / "a" / "b"
    make_closed(folder)
    make_closed(folder)
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)} == {0o755}


def test_a_tree_is_closed_and_what_its_links_lead_to_stays(
    tmp_path: Path, open_umask: None
) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    (tree / "bin").mkdir(parents=True)
    (tree / "bin" / "program").touch(0o777)
    outside.touch(0o666)
    (tree / "link").symlink_to(outside)
    close_tree(tree)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (tree, tree / "bin")]
    assert modes == [0o755, 0o755]
    assert stat.S_IMODE((tree / "bin" / "program").stat().st_mode) == 0o755
    assert stat.S_IMODE(outside.stat().st_mode) == 0o666
