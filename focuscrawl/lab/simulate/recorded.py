"""Recorded webs: real or generated pages on disk with topics and relevance labels.

Layout, as a folder or a tar archive of it::

    world.json            name, language
    www/<host>/<path>     the files, as a static server would hold them
    topics/<id>.json      title, description, keywords, sample_texts, seeds, far_seeds, portal_seeds
    qrels/<id>.tsv        url TAB grade; grade 2 = on topic, 1 = related
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focuscrawl.errors import ConfigError, InputError, os_reason
from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.topic.spec import TopicSpec

STARTS = ("near", "far", "portal")
# Older webs name no portal; theirs is the far seed on this host.
_PORTAL_MARK = "//web-directory.example/"


@dataclass(frozen=True, slots=True)
class WebTopic:
    """A topic of a recorded web, with its labels."""

    name: str
    title: str
    description: str
    keywords: tuple[str, ...]
    sample_texts: tuple[str, ...]
    starts: Mapping[str, tuple[str, ...]]  # start -> seed URLs
    grades: Mapping[str, int]  # page -> grade, of pages this web holds
    unknown_labels: int  # labelled URLs that this web does not hold


class RecordedWeb:
    """A recorded web: files, topics and labels. Pages are analysed elsewhere (`AnalysedPages`)."""

    starts = STARTS

    def __init__(self, root: Path) -> None:
        if not (root / "www").is_dir():
            raise InputError(f"{root}: not a recorded web; expected the folders www/, topics/ and qrels/ in it")
        self.root = root
        facts = _json(root / "world.json") if (root / "world.json").is_file() else {}
        self.name = str(facts.get("name") or root.name)
        self.language = str(facts.get("lang", "auto"))
        self.files = WebFiles(root / "www")
        self._topics: dict[str, WebTopic] = {}

    def topic_names(self) -> list[str]:
        """Return the names of the topics that have labels, sorted."""
        names = {p.stem for p in (self.root / "topics").glob("*.json")}
        return sorted(n for n in names if (self.root / "qrels" / f"{n}.tsv").is_file())

    def topic(self, name: str) -> WebTopic:
        """Return a topic.

        Raises
        ------
        ConfigError
            If the web has no such topic, or its files cannot be read.
        """
        if name not in self._topics:
            if name not in self.topic_names():
                known = ", ".join(self.topic_names()) or "none"
                raise ConfigError(f"{self.root}: has no topic {name!r} with labels; it has: {known}")
            self._topics[name] = self._read_topic(name)
        return self._topics[name]

    def spec(self, name: str, start: str, *, strategy: str = "", options: Mapping[str, Any] | None = None) -> TopicSpec:
        """Return a topic as a topic file has it: keywords of weight 1, the sample texts, the seeds of `start`."""
        topic = self.topic(name)
        if start not in topic.starts:
            raise ConfigError(f"start {start!r} is unknown; known: {', '.join(STARTS)}")
        data = {
            "name": re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "topic",
            "title": topic.title,
            "language": self.language,
            "description": topic.description,
            "seeds": list(topic.starts[start]),
            "terms": dict.fromkeys(topic.keywords, 1.0),
            "samples": {"relevant_text": list(topic.sample_texts)},
            "ranking": {"strategy": strategy, "options": dict(options or {})},
        }
        return TopicSpec.model_validate(data)

    def _read_topic(self, name: str) -> WebTopic:
        path = self.root / "topics" / f"{name}.json"
        data = _json(path)
        try:
            near, far = tuple(data["seeds"]), tuple(data["far_seeds"])
            portal = tuple(data.get("portal_seeds") or [u for u in far if _PORTAL_MARK in u]) or far
            grades, unknown = self._read_grades(self.root / "qrels" / f"{name}.tsv")
            return WebTopic(
                name,
                str(data.get("title", name)),
                str(data.get("description", "")),
                tuple(data["keywords"]),
                tuple(data["sample_texts"]),
                {"near": near, "far": far, "portal": portal},
                grades,
                unknown,
            )
        except (KeyError, TypeError) as error:
            raise InputError(f"{path}: {error} is missing or of the wrong kind") from error

    def _read_grades(self, path: Path) -> tuple[dict[str, int], int]:
        grades: dict[str, int] = {}
        unknown = 0
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            url, tab, grade = line.rpartition("\t")
            if not tab or not grade.strip().isdigit():
                raise InputError(f"{path}, line {number}: expected a URL, a tab and a grade (0, 1 or 2)")
            page = self.files.identity(url)
            if page is None:
                unknown += 1
            else:
                grades[page] = max(grades.get(page, 0), int(grade))
        return grades, unknown


def open_web(path: Path, *, unpack_to: Path | None = None) -> RecordedWeb:
    """Open a recorded web.

    Parameters
    ----------
    path
        A folder in the layout above, or a .tar, .tar.gz or .tar.xz of one.
    unpack_to
        Folder that archives are unpacked into, once each; needed for archives.

    Raises
    ------
    ConfigError
        If `path` is neither.
    """
    if path.is_dir():
        return RecordedWeb(path)
    if not path.is_file():
        raise InputError(f"{path}: no such folder or archive")
    if not _is_archive(path):
        raise InputError(f"{path}: neither a folder nor a .tar, .tar.gz or .tar.xz of a recorded web")
    if unpack_to is None:
        raise InputError(f"{path}: is an archive; say by --cache where to unpack it, or give the unpacked folder")
    stat = path.stat()
    mark = hashlib.blake2b(f"{path.resolve()}|{stat.st_size}|{stat.st_mtime_ns}".encode(), digest_size=6).hexdigest()
    home = unpack_to / f"{path.name.partition('.tar')[0]}-{mark}"
    if not home.is_dir():
        _unpack(path, home)
    inside = [p for p in home.iterdir() if p.is_dir()]
    return RecordedWeb(home if (home / "www").is_dir() or len(inside) != 1 else inside[0])


def _is_archive(path: Path) -> bool:
    """Tell whether a file is named or looks as an archive: one that is cut short has its name alone."""
    try:
        return ".tar" in path.suffixes or path.suffix == ".tgz" or tarfile.is_tarfile(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {os_reason(error)}") from error
    except (zlib.error, EOFError):
        return False


def _unpack(archive: Path, home: Path) -> None:
    part = home.with_name(home.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        with tarfile.open(archive) as tar:
            _extract(tar, part)
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError) as error:
        shutil.rmtree(part, ignore_errors=True)
        raise InputError(f"{archive}: cannot be unpacked ({error})") from error
    part.rename(home)


def _extract(tar: tarfile.TarFile, into: Path) -> None:
    """Write files and folders, nothing else and nowhere else (the filters of `tarfile` begin with Python 3.11.4)."""
    root = into.resolve()
    for member in tar:
        place = (root / member.name).resolve()
        if not place.is_relative_to(root):
            raise tarfile.TarError(f"{member.name!r} leads out of the folder")
        if member.isdir():
            place.mkdir(parents=True, exist_ok=True)
        elif member.isfile() and (source := tar.extractfile(member)) is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            with source, place.open("wb") as file:
                shutil.copyfileobj(source, file)
        else:
            raise tarfile.TarError(f"{member.name!r} is neither a file nor a folder")


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error})") from error
    if not isinstance(data, dict):
        raise InputError(f"{path}: expected an object")
    return data
