"""Topics inside Python packages: ``pkg:myproject/topics/tea.toml``, also where the package is a zipped egg."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from focuscrawl.errors import TopicError
from focuscrawl.topic.files import SEED_FOLDER

PREFIX = "pkg:"
_MAX_FILES = 1_000
_MAX_BYTES = 64 * 1024 * 1024


def is_packaged(reference: str) -> bool:
    """Tell whether `reference` names a file of a package (``pkg:…``)."""
    return reference.startswith(PREFIX)


@cache
def packaged_topic(reference: str) -> Path:
    """Return the topic file of a package; one in an archive is unpacked with its folder and the seeds beside it.

    Raises
    ------
    TopicError
        If there is no such package or file, or its folder is too large to be one of topics.
    """
    package, _, inside = reference.removeprefix(PREFIX).partition("/")
    steps = inside.split("/")
    if not inside or ".." in steps or "" in steps:
        raise TopicError(
            [f'topic "{reference}": expected pkg:PACKAGE/FOLDER/FILE.toml, as in pkg:shop/topics/tea.toml']
        )
    try:
        root = files(package)
    except (ImportError, TypeError, ValueError) as error:
        raise TopicError([f'topic "{reference}": there is no package {package} to import ({error})']) from error
    found = root.joinpath(*steps)
    if not found.is_file():
        raise TopicError(
            [f'topic "{reference}": the package {package} has no file {inside}; in setup.py, package_data names it']
        )
    if isinstance(found, Path):
        return found
    return _unpack(root, steps, reference)


def _unpack(root: Traversable, steps: list[str], reference: str) -> Path:
    held = tempfile.TemporaryDirectory(prefix="focuscrawl-topic-")
    atexit.register(held.cleanup)  # not before: samples are read later than the topic file
    folder = Path(held.name)
    left = [_MAX_FILES, _MAX_BYTES]
    inner = steps[:-1]
    _copy(root.joinpath(*inner) if inner else root, folder.joinpath(*inner), left, reference)
    beside = [*inner[:-1], SEED_FOLDER]
    if inner and root.joinpath(*beside).is_dir():
        _copy(root.joinpath(*beside), folder.joinpath(*beside), left, reference)
    return folder.joinpath(*steps)


def _copy(source: Traversable, target: Path, left: list[int], reference: str) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for one in source.iterdir():
        if one.is_dir():
            _copy(one, target / one.name, left, reference)
            continue
        content = one.read_bytes()
        left[0] -= 1
        left[1] -= len(content)
        if min(left) < 0:
            raise TopicError(
                [
                    f'topic "{reference}": its folder has more than {_MAX_FILES:,} files or {_MAX_BYTES >> 20} MB;'
                    " put topics into a folder of their own"
                ]
            )
        (target / one.name).write_bytes(content)
