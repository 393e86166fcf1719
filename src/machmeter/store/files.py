"""Files that are either wholly there or not there at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from machmeter.model.errors import MachineLacksError, MachmeterError, storage_error
from machmeter.model.written.text import shell_text
from machmeter.store.json_text import decode_json

T = TypeVar("T")

LARGEST_JSON = 64 * 2**20
_PIECE = 2**20

# What file systems answer that cannot flush a folder.
_NO_FOLDER_FLUSH = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS)


def write_durably(path: Path, content: bytes) -> None:
    """Write under a temporary name, fsync, rename; a crash leaves the old file or the new one.

    The folder is flushed too: only then does the new name outlive a power cut (fsync(2)).

    Raises MachineLacksError when the disk is full or read-only.
    """
    try:
        with replacing(path) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _flush_folder(path.parent)
    except OSError as error:
        raise storage_error(error, path) from error


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` at the end of the block, at once, where that does
    not raise. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open_new(temporary, mode) as file:
            yield file
        temporary.replace(path)
    except BaseException:
        # Where nothing can be written nothing can be removed either.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def open_unfollowed(path: Path, flags: int, mode: int = 0o666) -> int:
    """A descriptor of the file itself, never of one that a link leads to.

    Raises MachineLacksError where there is a link, OSError where it cannot be opened or is no
    regular file: opening a pipe waits for its other end.
    """
    try:
        flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        descriptor = os.open(path, flags, mode)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    except OSError as error:
        if not path.is_symlink():
            raise
        raise MachineLacksError(
            f"{path} is a link, and machmeter writes to none there",
            f"`{shell_text(('rm', str(path)))}`: machmeter makes a file in its place",
        ) from error


def open_new(path: Path, mode: int = 0o666) -> BinaryIO:
    """A new file to write, in place of one that a process left that ended, or of a link: what that
    leads to stays as it is. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, mode)
    except FileExistsError:
        path.unlink(missing_ok=True)
        descriptor = os.open(path, flags, mode)
    return os.fdopen(descriptor, "wb")


def open_regular(path: Path, *, follow_links: bool = True) -> BinaryIO:
    """A file to read.

    Raises OSError when it cannot be opened or is no regular file: reading a pipe waits for its
    writer, and a device may have no end. Without `follow_links` a link is none.
    """
    # Opening a pipe waits too, unless it is told not to.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags if follow_links else flags | os.O_NOFOLLOW)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no regular file", str(path))


def read_regular(path: Path, most_bytes: int, *, follow_links: bool = True) -> bytes:
    """The first `most_bytes` of a file at most. Raises OSError as `open_regular` does."""
    # Reading reserves what it is told to read, and most files are small.
    content = bytearray()
    with open_regular(path, follow_links=follow_links) as file:
        while piece := file.read(min(_PIECE, most_bytes - len(content))):
            content += piece
    return bytes(content)


def read_bounded(path: Path, most_bytes: int = LARGEST_JSON) -> bytes:
    """The content of a file no larger than `most_bytes`.

    Raises MachmeterError when it cannot be read or is larger.
    """
    try:
        content = read_regular(path, most_bytes + 1)
    except OSError as error:
        raise MachmeterError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > most_bytes:
        raise MachmeterError(
            f"{path} is larger than {most_bytes} bytes: no file of machmeter's is",
            "see what wrote it, and remove it",
        )
    return content


def read_json(path: Path, of: type[T]) -> T:
    """A JSON file as one of machmeter's types. Raises MachmeterError when it is not one."""
    try:
        return decode_json(read_bounded(path), msgspec.json.Decoder(of))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MachmeterError(
            f"{path} is not what this version of machmeter writes: {error}",
            "read it with the version that wrote it, restore the file, or measure again",
        ) from error


def write_json(path: Path, value: object) -> None:
    """Write a value of machmeter's types durably, indented for people."""
    write_durably(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")


def make_folder(path: Path) -> Path:
    """The folder, made if need be. Raises MachineLacksError where it cannot be made."""
    try:
        new = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
        for folder in new:
            _flush_folder(folder.parent)
    except OSError as error:
        raise storage_error(error, path) from error
    return path


def _flush_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        # One may write into a folder without being allowed to read it.
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_FLUSH:
            raise
    finally:
        os.close(descriptor)
