"""Files in object stores and on other machines, by URL, through fsspec: ``s3://``, ``gs://``, ``sftp://`` and more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from focuscrawl.errors import ConfigError, StoreError, os_reason

EXTRA = "remote"
"""The extra of this project that installs fsspec and s3fs."""


@contextmanager
def remote_file(url: str) -> Iterator[BinaryIO]:
    """Yield a file that is uploaded to `url` when it is complete, and only then.

    It is written to the disk first, in the folder for temporary files: what fails half-way leaves nothing behind.

    Raises
    ------
    StoreError
        If fsspec, or what it needs for the scheme, is not installed, or the target cannot be written.
    """
    system, path = _system(url, of_file=True)
    try:
        with tempfile.NamedTemporaryFile(prefix="focuscrawl-") as file:
            yield file  # type: ignore[misc]  # a wrapper that reads and writes as one does
            file.flush()
            with _translated(url):
                system.put_file(file.name, path)
    except OSError as error:
        raise StoreError(
            f"--to {url}: cannot be written to the disk first: {os_reason(error)}; TMPDIR names another folder for it."
        ) from error


def upload_new(files: Sequence[Path], url: str) -> tuple[int, int]:
    """Upload files into the folder `url`, which is made, those left out that are there with their length.

    Returns
    -------
    tuple
        How many were uploaded, and how many were there.

    Raises
    ------
    StoreError
        As `remote_file`.
    """
    system, folder = _system(url)
    if files and not _FOLDERED.isdisjoint((system.protocol,) if isinstance(system.protocol, str) else system.protocol):
        with _translated(url):
            system.makedirs(folder, exist_ok=True)
    sent = 0
    for file in files:
        path = f"{folder.rstrip('/')}/{file.name}"
        with _translated(url):
            if system.exists(path) and system.size(path) == file.stat().st_size:
                continue
            system.put_file(str(file), path)
        sent += 1
    return sent, len(files) - sent


def _system(url: str, *, of_file: bool = False) -> tuple[Any, str]:
    try:
        parts = urlsplit(url)
        secret = parts.password is not None or (parts.username is not None and parts.scheme in _KEYED)
    except ValueError:
        raise ConfigError("--to: not a URL; expected one as s3://bucket/folder/pages.parquet.") from None
    if parts.scheme and "://" not in url:  # fsspec would take it for the name of a file here
        raise ConfigError(f"--to {url}: not a URL; expected one as s3://bucket/folder/pages.parquet.")
    if secret:
        raise ConfigError(
            "--to: no keys and passwords in a URL; they are read from the environment, as AWS_ACCESS_KEY_ID."
        )
    if of_file and (url.endswith("/") or (parts.scheme in _KEYED and not parts.path)):
        raise ConfigError(
            f"--to {url}: expected the address of a file, as {url}{'' if url.endswith('/') else '/'}pages.parquet."
        )
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise StoreError(f"--to {url}: needs the package fsspec: pip install 'focuscrawl[{EXTRA}]'.") from error
    try:
        with _translated(url):
            system, path = url_to_fs(url)
    except ImportError as error:
        raise StoreError(
            f"--to {url}: {_first(error)}; `pip install 'focuscrawl[{EXTRA}]'` brings s3:// only."
        ) from error
    except ValueError as error:
        raise StoreError(f"--to {url}: {_first(error)}.") from error
    return system, path


_KEYED = frozenset({"s3", "s3a", "gs", "gcs", "az"})
_FOLDERED = frozenset({"file", "sftp", "ssh"})  # elsewhere a name brings its folders, or makedirs would make a bucket


@contextmanager
def _translated(url: str) -> Iterator[None]:
    """Make one sentence of whatever a file system raises: each brings errors of its own library."""
    try:
        yield
    except (ImportError, ValueError):
        raise
    except NotImplementedError as error:
        raise StoreError(f"--to {url}: nothing can be written there.") from error
    except Exception as error:
        raise StoreError(f"--to {url}: cannot be written: {_first(error)}.") from error


def _first(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return os_reason(error)
    return (" ".join(str(error).split())[:200] or type(error).__name__).rstrip(".")
