"""Whether what is started or loaded from a cache can only be the work of users who are trusted."""

from __future__ import annotations

import functools
import grp
import os
import pwd
import stat
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path

from msgspec import Struct

from machmeter.model.errors import MachineLacksError, MachmeterError, UsageError
from machmeter.model.written.text import shell_text

TRUST_CACHE = "MACHMETER_TRUST_CACHE"
_ROOT = 0
_LONGEST_NUMBER = 10
_CLOSED = 0o755
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


class CacheFault(Enum):
    """Who else may have made or changed an entry of a cache; each as a message says it."""

    OWNER = "does not belong to you or root"
    OTHERS = "can be written by every user"
    GROUP = "can be written by a group that is not your own"


class CacheOwners(Struct, frozen=True):
    """Whose work in a cache is trusted."""

    users: frozenset[int]
    """Numbers of users."""
    groups: frozenset[int]
    """Numbers of groups that hold nobody else."""


def cache_owners(environment: Mapping[str, str]) -> CacheOwners:
    """This user, root, and the owner that MACHMETER_TRUST_CACHE names.

    Raises UsageError where it names a user that this machine does not know.
    """
    people = {os.geteuid()}
    if named := environment.get(TRUST_CACHE, ""):
        people.add(_number_of(named))
    groups = (_own_group(user) for user in people)
    return CacheOwners(
        frozenset({_ROOT, *people}), frozenset(group for group in groups if group is not None)
    )


def fault_of(status: os.stat_result, owners: CacheOwners) -> CacheFault | None:
    """What is wrong with an entry of a cache, None where nothing is. The rights of a link are not
    looked at: they mean nothing."""
    if status.st_uid not in owners.users:
        return CacheFault.OWNER
    if stat.S_ISLNK(status.st_mode):
        return None
    if status.st_mode & stat.S_IWOTH:
        return CacheFault.OTHERS
    if status.st_mode & stat.S_IWGRP and status.st_gid not in owners.groups:
        return CacheFault.GROUP
    return None


def refuse_untrusted(paths: Iterable[Path], cache: Path, environment: Mapping[str, str]) -> None:
    """Look at these paths of the cache, at every folder above them and at the cache itself, and at
    what links among them lead to. What is not there is not wrong.

    The cache may be reached over links: folders above it are not looked at.

    Raises MachineLacksError where someone else may have made or changed one of them, UsageError as
    `cache_owners` does, MachmeterError where one cannot be looked at.
    """
    owners = cache_owners(environment)
    root = Path(os.path.realpath(cache))
    seen: set[Path] = set()
    for path in paths:
        below = root / path.absolute().relative_to(cache.absolute())
        above = [one for one in below.parents if one.is_relative_to(root)]
        for place in (*reversed(above), below):
            if place in seen:
                continue
            seen.add(place)
            for status in _statuses(place):
                if fault := fault_of(status, owners):
                    raise _refusal(place, status, fault)


def make_closed(folder: Path) -> None:
    """Make the folder and those above it that are missing, so that only their owner may write into
    them, whatever the umask. Raises OSError."""
    for place in (*reversed(folder.parents), folder):
        if not place.is_dir():
            place.mkdir(mode=_CLOSED, exist_ok=True)


def close_tree(folder: Path) -> None:
    """Take from group and others the right to write to the folder and all that is in it, without
    following links. Raises OSError."""
    for place, folders, files in os.walk(folder):
        for name in ("", *folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & _WRITABLE:
                path.chmod(stat.S_IMODE(mode) & ~_WRITABLE)


def _number_of(named: str) -> int:
    if named.isdecimal() and len(named) <= _LONGEST_NUMBER:
        return int(named)
    try:
        return pwd.getpwnam(named).pw_uid
    except KeyError as error:
        raise UsageError(
            f"{TRUST_CACHE}={named}: this machine has no such user",
            "name the user that the cache belongs to, or its number (`ls -ldn`)",
        ) from error


@functools.cache
def _own_group(user: int) -> int | None:
    """The primary group of a user where it bears the user's name and lists nobody else, as what
    makes users' own groups has it (pam_umask(8), usergroups); None where it is shared."""
    try:
        known = pwd.getpwuid(user)
        group = grp.getgrgid(known.pw_gid)
    except KeyError:
        return None
    alone = group.gr_name == known.pw_name and set(group.gr_mem) <= {known.pw_name}
    return group.gr_gid if alone else None


def _statuses(place: Path) -> Iterator[os.stat_result]:
    """Of an entry and, where it is a link, of what it leads to; none where it is not there."""
    try:
        status = place.lstat()
        yield status
        if stat.S_ISLNK(status.st_mode):
            yield place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise MachmeterError(
            f"cannot look at {place}: {error.strerror}",
            "set MACHMETER_CACHE to a folder that you may read",
        ) from error


def _refusal(place: Path, status: os.stat_result, fault: CacheFault) -> MachineLacksError:
    try:
        owner = pwd.getpwuid(status.st_uid).pw_name
    except KeyError:
        owner = str(status.st_uid)
    if place.is_symlink() and not stat.S_ISLNK(status.st_mode):
        place = Path(os.path.realpath(place))
    mode = stat.S_IMODE(status.st_mode)
    message = (
        f"{place} {fault.value} (owner {owner}, mode {mode:04o}): "
        "programs and libraries are not taken from there"
    )
    if fault is CacheFault.OWNER:
        variable = shell_text((f"{TRUST_CACHE}={owner}",))
        return MachineLacksError(
            message,
            f"if you trust {owner}, `export {variable}`; otherwise set MACHMETER_CACHE to a folder "
            "of your own",
        )
    recursive = ("-R",) if stat.S_ISDIR(status.st_mode) else ()
    command = shell_text(("chmod", *recursive, "go-w", str(place)))
    by = "" if status.st_uid == os.geteuid() else f" as {owner}"
    return MachineLacksError(
        message,
        f"`{command}`{by} if you trust what is there; otherwise remove it, and it is made again",
    )
