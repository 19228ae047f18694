"""The run folder: where everything of one crawl lies."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from focuscrawl.errors import NoRunError, StoreError, os_reason
from focuscrawl.storage.runlock import holder_of
from focuscrawl.types import digest64

CRAWLS = Path("crawls")  # where runs lie by default, below the working directory
LATEST = "latest"

DATABASE = "crawl.db"
"""File that makes a folder a run folder."""
_STAMP = "%Y%m%dT%H%M%SZ"
_RUN_NAME = re.compile(r"(\d{8}T\d{6}Z)(?:-(\d+))?$")
# What a crawl that has not written its database yet may have left in a folder it made.
_OURS = frozenset(
    {
        DATABASE,
        "crawl.lock",
        f"{DATABASE}-wal",
        f"{DATABASE}-shm",
        "pages.jsonl",
        "report.html",
        "run.log",
        "archive",
        "templates",
        "control.jsonl",
    }
)

_FOLDERS = ("archive", "templates")

_WORKERS = re.compile(r"pages-[^/]+\.jsonl$")

_SECRET_NAME = re.compile(
    r"pass(?:w(?:or)?d|phrase)|secret|token(?!izer)|credential|auth(?!or)|cookie|api_?key|private_?key", re.I
)
_USERINFO = re.compile(r"(?<=://)[^/?#\s@]*@")
_QUERY_SECRET = re.compile(r"(?<=[?&])(\w{0,20}password)=[^&#\s]*", re.I)  # also sentinel_password and ssl_password
_HIDDEN = "***"


def holds_run(folder: Path) -> bool:
    """Tell whether a crawl has begun in a folder."""
    return (folder / DATABASE).is_file()


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run folder and the paths in it; make one with `create`, `open`, `open_or_create` or `find`."""

    path: Path
    resumed: bool = False  # it held a crawl already
    worker: str = ""  # of a fleet: part of the names of files that will lie beside those of other workers

    @property
    def db(self) -> Path:
        """SQLite database of the crawl: the truth all else is made from."""
        return self.path / DATABASE

    @property
    def pages_jsonl(self) -> Path:
        """One relevant page a line."""
        return self.path / (f"pages-{self.worker}.jsonl" if self.worker else "pages.jsonl")

    @property
    def report(self) -> Path:
        """The HTML report."""
        return self.path / "report.html"

    @property
    def log(self) -> Path:
        """The log of the crawl."""
        return self.path / "run.log"

    @property
    def archive(self) -> Path:
        """WARC files."""
        return self.path / "archive"

    @property
    def worker_name(self) -> str:
        """A name for who writes here: the machine's with a digest of the folder's path, which no two workers share.

        A run that goes on in its place has the same.
        """
        machine = re.sub(r"[^A-Za-z0-9.]+", "-", os.uname().nodename).strip("-.") or "worker"
        return f"{machine}-{digest64(str(self.path.resolve())) & 0xFFFFFF:06x}"

    def as_worker(self) -> RunFolder:
        """Return the folder as that of a worker of a fleet, under the name its files have already, or a new one."""
        earlier = sorted(self.path.glob("pages-*.jsonl"))
        return replace(self, worker=earlier[0].stem.removeprefix("pages-") if earlier else self.worker_name)

    @property
    def process(self) -> int | None:
        """Id of the process that crawls here, None when there is none; 0 where the file does not tell it.

        Of a process in another container or on another machine it is the id it has there.
        """
        return holder_of(self.path / "crawl.lock")

    @classmethod
    def create(cls, base: Path, topic: str, *, now: datetime) -> RunFolder:
        """Make ``<base>/<topic>/<UTC time>``; a second run in the same second gets ``-2`` added.

        Raises
        ------
        StoreError
            If the folder cannot be made.
        """
        stamp = now.astimezone(UTC).strftime(_STAMP)
        parent = base / topic
        try:
            parent.mkdir(parents=True, exist_ok=True)
            for n in range(1, 1000):
                path = parent / (stamp if n == 1 else f"{stamp}-{n}")
                try:
                    path.mkdir()
                except FileExistsError:
                    continue
                return cls(path)
        except OSError as error:
            raise StoreError(f"{parent}: a run folder cannot be made here: {os_reason(error)}.") from error
        raise StoreError(f"{parent / stamp}: 999 runs were started in this second; wait a second and try again.")

    @classmethod
    def open(cls, path: Path, *, writable: bool = True) -> RunFolder:
        """Return the existing run in `path`; `writable` is for going on with it.

        Raises
        ------
        StoreError
            If there is no such folder, it is not a run folder, or it cannot be read (or written).
        """
        try:
            if not path.exists():
                raise NoRunError(f"{path}: there is no such run folder.")
            if not path.is_dir():
                raise StoreError(f"{path}: a run folder is expected, this is a file.")
            db = path / DATABASE
            if not db.is_file():
                raise NoRunError(f"{path}: not a run folder: there is no crawl.db in it.")
        except PermissionError as error:
            raise StoreError(f"{path}: cannot be read: {os_reason(error)}.") from error
        for wanted in (path, db):
            if not os.access(wanted, os.R_OK):
                raise StoreError(f"{wanted}: cannot be read: permission denied.")
            if writable and not os.access(wanted, os.W_OK):
                raise StoreError(f"{wanted}: cannot be written: permission denied; a crawl that goes on needs to.")
        if writable:
            _refuse_links(path)
        return cls(path, resumed=True)

    @classmethod
    def open_or_create(cls, path: Path) -> RunFolder:
        """Return the run in `path` to go on with, or make a new one there.

        Raises
        ------
        StoreError
            If it can be neither; a folder with other people's files in it is left alone.
        """
        if holds_run(path):
            return cls.open(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            strange = sorted(
                child.name for child in path.iterdir() if child.name not in _OURS and not _WORKERS.match(child.name)
            )
        except FileExistsError:
            raise StoreError(f"{path}: a run folder is expected, this is a file.") from None
        except OSError as error:
            raise StoreError(f"{path}: a run folder cannot be made here: {os_reason(error)}.") from error
        if strange:
            raise StoreError(
                f'{path}: not a run folder: there is no crawl.db in it, but "{strange[0]}"; name a new or empty folder.'
            )
        if not os.access(path, os.W_OK | os.X_OK):
            raise StoreError(f"{path}: cannot be written: permission denied.")
        _refuse_links(path)
        return cls(path)

    @classmethod
    def find(cls, reference: str, *, base: Path = CRAWLS) -> RunFolder:
        """Return the run meant by `reference`, for reading.

        Parameters
        ----------
        reference
            A run folder (or its crawl.db), a folder of runs, ``latest``, or the name of a topic; of several runs the
            newest is meant.
        base
            Where runs lie.

        Raises
        ------
        StoreError
            If there is no such run; the sentence names what there is.
        """
        if not reference.strip():  # a variable of a script that is not set: not the run that happens to be here
            raise NoRunError('"": no run is named; a run folder, a topic or "latest" is expected.')
        path = Path(reference)
        if path.name == DATABASE and path.is_file():
            path = path.parent
        if holds_run(path):
            return cls.open(path, writable=False)
        if path.is_dir():
            runs = _runs([path, *_folders(path)])
            if runs:
                return cls.open(runs[-1], writable=False)
            if reference not in (LATEST, *_topics(base)):
                return cls.open(path, writable=False)  # says what is missing
        topics = _topics(base)
        runs = _runs(topics.values() if reference == LATEST else [topics[reference]] if reference in topics else [])
        if runs:
            return cls.open(runs[-1], writable=False)
        if path.exists():
            return cls.open(path, writable=False)
        if reference == LATEST:
            raise NoRunError(f'{base}: no run here yet; "focuscrawl crawl" makes one, or "focuscrawl demo".')
        near = difflib.get_close_matches(reference, topics, n=1)
        hint = f' Did you mean "{near[0]}"?' if near else ""
        known = f"; topics with runs in {base}: {', '.join(sorted(topics))}" if topics else f"; no runs in {base}"
        raise NoRunError(
            f'"{reference}": no run of this name; a run folder, a topic or "latest" is expected{known}.{hint}'
        )


def _refuse_links(path: Path) -> None:
    """Raise StoreError when something in a run folder is neither a file nor a folder of its own.

    A folder from a stranger may hold links to files of this machine, which a crawl that goes on would write to.
    """
    try:
        inside = [child for folder in (path, *(path / name for name in _FOLDERS)) for child in _entries(folder)]
        strange = sorted(child.path for child in inside if not _is_own(child))
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {os_reason(error)}.") from error
    if strange:
        raise StoreError(
            f"{strange[0]}: is a link, a pipe or a device; a run folder holds files of its own only: put the file"
            " itself there, or crawl in another folder."
        )


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    with os.scandir(folder) as entries:
        return list(entries)


def _is_own(entry: os.DirEntry[str]) -> bool:
    return not entry.is_symlink() and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))


def without_secrets(settings: Mapping[str, object]) -> dict[str, object]:
    """Return `settings` fit to be saved with a run: values of secret names and user info of URLs are blanked.

    >>> without_secrets({"http_proxy": "http://me:pw@proxy:8080", "API_TOKEN": "x", "pages": 5})
    {'http_proxy': 'http://***@proxy:8080', 'API_TOKEN': '***', 'pages': 5}
    """
    return {
        name: _HIDDEN if _SECRET_NAME.search(name) and not _harmless(value) else _blanked(value)
        for name, value in settings.items()
    }


def _harmless(value: object) -> bool:
    """Tell whether a value cannot be a secret whatever its name: a switch, or nothing."""
    return value is None or isinstance(value, bool) or str(value).lower() in ("", "true", "false", "0", "1")


def _blanked(value: object) -> object:
    if isinstance(value, str):
        return _QUERY_SECRET.sub(rf"\1={_HIDDEN}", _USERINFO.sub(f"{_HIDDEN}@", value))
    if isinstance(value, Mapping):
        return without_secrets({str(k): v for k, v in value.items()})
    if isinstance(value, list | tuple):
        return [_blanked(v) for v in value]
    return value


def _topics(base: Path) -> dict[str, Path]:
    return {folder.name: folder for folder in _folders(base) if _runs([folder])}


def _folders(path: Path) -> list[Path]:
    try:
        return sorted(child for child in path.iterdir() if child.is_dir())
    except OSError:
        return []


def _runs(topics: Iterable[Path]) -> list[Path]:
    """Return the run folders below `topics`, oldest first: their own, and those of a demo, which lie together."""
    found = []
    for topic in topics:
        for folder in _folders(topic):
            inside = [folder] if holds_run(folder) else _folders(folder) if _dated(folder) else []
            found += [run for run in inside if holds_run(run)]
    return sorted(found, key=_age)


def _dated(folder: Path) -> bool:
    return _RUN_NAME.match(folder.name) is not None


def _age(run: Path) -> tuple[str, int, float]:
    """Sort key by time of the run: its name's when it has one, that of its database for runs with a name of choice."""
    match = _RUN_NAME.match(run.name)
    if match:
        return match[1], int(match[2] or 1), 0.0
    at = (run / DATABASE).stat().st_mtime
    return datetime.fromtimestamp(at, UTC).strftime(_STAMP), 0, at
