from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from simulate_kit import CHESS, make_web

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.recorded import open_web


def test_topic_labels_and_starts(tmp_path: Path) -> None:
    web = open_web(make_web(tmp_path / "tiny"))
    assert (web.name, web.language, web.topic_names()) == ("tiny", "en", ["chess"])
    topic = web.topic("chess")
    assert topic.grades["club.test/chess/0.html"] == 2
    assert topic.grades["club.test/archive/index.html"] == 1
    assert (len(topic.grades), topic.unknown_labels) == (7, 1)
    assert topic.starts["portal"] == ("http://portal.test/",)


def test_the_topic_file_says_what_the_web_says(tmp_path: Path) -> None:
    spec = open_web(make_web(tmp_path / "tiny")).spec("chess", "far", strategy="rwb", options={"boost": 0.3})
    assert spec.name == "chess"
    assert spec.language == "en"
    assert spec.terms == {"chess": 1.0, "gambit": 1.0, "endgame": 1.0}
    assert spec.samples.relevant_text[0] == CHESS
    assert tuple(spec.seeds) == ("http://club.test/",)
    assert (spec.ranking.strategy, spec.ranking.options) == ("rwb", {"boost": 0.3})


def test_without_a_portal_the_far_seeds_stand_in(tmp_path: Path) -> None:
    root = make_web(tmp_path / "tiny")
    file = root / "topics" / "chess.json"
    data = json.loads(file.read_text())
    del data["portal_seeds"]
    file.write_text(json.dumps(data))
    assert open_web(root).topic("chess").starts["portal"] == ("http://club.test/",)


def test_an_archive_is_unpacked_once(tmp_path: Path) -> None:
    root = make_web(tmp_path / "tiny")
    archive = tmp_path / "tiny.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(root, arcname="tiny")
    web = open_web(archive, unpack_to=tmp_path / "unpacked")
    assert web.topic("chess").grades == open_web(root).topic("chess").grades
    mark = web.root / "mark"
    mark.touch()
    assert open_web(archive, unpack_to=tmp_path / "unpacked").root == web.root
    assert mark.exists()


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("../outside.html", tarfile.REGTYPE, "leads out of the folder"),
        ("/outside.html", tarfile.REGTYPE, "leads out of the folder"),
        ("www/a.test/link.html", tarfile.SYMTYPE, "neither a file nor a folder"),
        ("www/a.test/pipe", tarfile.FIFOTYPE, "neither a file nor a folder"),
    ],
)
def test_an_archive_writes_files_and_nowhere_else(tmp_path: Path, name: str, kind: bytes, reason: str) -> None:
    archive = tmp_path / "bad.tar"
    with tarfile.open(archive, "w") as tar:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, "/etc/hosts"
        tar.addfile(member)
    with pytest.raises(ConfigError, match=reason):
        open_web(archive, unpack_to=tmp_path / "unpacked")
    assert list((tmp_path / "unpacked").iterdir()) == []
    assert not (tmp_path / "outside.html").exists()


def test_faults_name_the_file_and_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder or archive"):
        open_web(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="not a recorded web"):
        open_web(tmp_path)
    (tmp_path / "bad.tar.xz").write_bytes(b"no archive")
    (tmp_path / "page.html").write_bytes(b"<html>")
    for folder in (None, tmp_path / "unpacked"):
        with pytest.raises(ConfigError, match=r"page\.html: neither a folder nor a \.tar"):
            open_web(tmp_path / "page.html", unpack_to=folder)
    with pytest.raises(ConfigError, match="say by --cache where to unpack it"):
        open_web(tmp_path / "bad.tar.xz")
    with pytest.raises(ConfigError, match=r"bad\.tar\.xz: cannot be unpacked"):
        open_web(tmp_path / "bad.tar.xz", unpack_to=tmp_path / "unpacked")
    web = open_web(make_web(tmp_path / "tiny"))
    with pytest.raises(ConfigError, match="no topic 'go' with labels; it has: chess"):
        web.topic("go")
    with pytest.raises(ConfigError, match="start 'middle' is unknown"):
        web.spec("chess", "middle")


def test_a_broken_label_line_is_named(tmp_path: Path) -> None:
    root = make_web(tmp_path / "tiny")
    (root / "qrels" / "chess.tsv").write_text("http://club.test/ 2\n")
    with pytest.raises(ConfigError, match=r"chess\.tsv, line 1: expected a URL, a tab and a grade"):
        open_web(root).topic("chess")


def test_a_topic_without_seeds_is_named(tmp_path: Path) -> None:
    root = make_web(tmp_path / "tiny")
    (root / "topics" / "chess.json").write_text("{}")
    with pytest.raises(ConfigError, match="'seeds' is missing"):
        open_web(root).topic("chess")
