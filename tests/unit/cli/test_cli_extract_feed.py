"""focuscrawl extract --feed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

BELLS = [
    "The bell of the north tower was cast in one piece, and the whole village came to see the metal run into the pit.",
    "A founder tunes a bell by taking bronze from its inner wall, a little at a time, until the tones agree at last.",
    "Ringers learn to hold the rope loosely, since a bell that is pulled against its swing will lift a grown man up.",
    "The clapper must be softer than the bell, for else it breaks the rim; wrought iron has been used for ages.",
    "In a hard winter the great bell is rung but seldom, because cold bronze is brittle and old cracks run on in it.",
]


def _item(n: int) -> str:
    return f"<item><title>Bell {n}</title><link>/bells/{n}.html</link><description>{BELLS[n]}</description></item>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = []
    for n, text in enumerate(BELLS):
        html = (
            f"<html><head><title>Tower</title></head><body><ul><li>Other words about the tower {n}</li></ul>"
            f"<div id=t><h2>Bell {n}</h2><div class=x><p>{text}</p></div><div>Rung {n} times.</div></div></body>"
        )
        (tmp_path / f"{n}.html").write_text(html, encoding="utf-8")
        lines.append({"id": f"b{n}", "url": f"https://tower.example/bells/{n}.html", "file": f"{n}.html"})
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    items = "".join(_item(n) for n in range(3))
    (tmp_path / "feed.xml").write_text(f"<rss><channel>{items}</channel></rss>", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_page_of_the_list_comes_by_the_template_in_order(folder: Path, command: Command, jobs: str) -> None:
    arguments = ("--feed", str(folder / "feed.xml"), "--pages", str(folder / "list.jsonl"), "--jobs", jobs)
    code, out, err = command("extract", *arguments)
    assert (code, err) == (0, "")
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["id"] for row in rows] == ["b0", "b1", "b2", "b3", "b4"]
    assert [row["text"] for row in rows] == BELLS
    assert {row["method"] for row in rows} == {"feed_template"}
    assert rows[4]["title"] == "Bell 4"
    assert rows[0]["xpaths"][0] == "/html/body/div[1]/div[1]"


def test_pages_that_the_template_does_not_fit_are_left_to_the_method(folder: Path, command: Command) -> None:
    (folder / "3.html").write_text("<body><p>The tower is closed for repair until the spring.</p></body>")
    (folder / "4.html").unlink()
    list_ = folder / "list.jsonl"
    other = {"id": "else", "url": "https://other.example/", "file": "0.html"}
    list_.write_text(list_.read_text() + json.dumps(other) + "\nnot json\n")
    code, out, err = command("extract", "--feed", str(folder / "feed.xml"), "--pages", str(list_), "--method", "blocks")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["method"] for row in rows] == ["feed_template"] * 3 + ["blocks", "", "blocks", ""]
    assert "2 of 7 pages" in err


def test_a_feed_of_other_pages_is_said_and_does_no_harm(folder: Path, command: Command) -> None:
    (folder / "feed.xml").write_text("<rss><channel><item><link>https://a.example/1</link></item></channel></rss>")
    code, out, err = command("extract", "--feed", str(folder / "feed.xml"), "--pages", str(folder / "list.jsonl"))
    assert code == 0
    assert "no template could be learned: no page of the list is in the feed" in err
    assert len(out.splitlines()) == 5


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), (b"<html></html>", "an RSS or Atom feed with entries is expected"), (b"", "empty feed")],
)
def test_what_is_no_feed_is_said_in_a_sentence(
    folder: Path, command: Command, content: bytes | None, message: str
) -> None:
    path = folder / "feed.xml"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    code, out, err = command("extract", "--feed", str(path), "--pages", str(folder / "list.jsonl"))
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err


def test_a_feed_goes_with_a_list(folder: Path, command: Command) -> None:
    code, _, err = command("extract", "--feed", str(folder / "feed.xml"), str(folder / "0.html"))
    assert code == 2
    assert "--pages" in err


def test_a_feed_of_two_sites_gives_each_its_template(folder: Path, command: Command) -> None:
    lines = [json.loads(line) for line in (folder / "list.jsonl").read_text().splitlines()]
    items = ""
    for n, text in enumerate(BELLS):
        (folder / f"gong{n}.html").write_text(f"<body><table><tr><td>Gongs</td><td>{text}</td></tr></table></body>")
        url = f"https://gong.example/{n}"
        lines.append({"id": f"g{n}", "url": url, "file": f"gong{n}.html"})
        items += f"<item><title>Gong {n}</title><link>{url}</link><description>{text}</description></item>"
        items += _item(n).replace("/bells/", "https://tower.example/bells/")
    (folder / "list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "feed.xml").write_text(f"<rss><channel>{items}</channel></rss>")
    code, out, _ = command("extract", "--feed", str(folder / "feed.xml"), "--pages", str(folder / "list.jsonl"))
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["text"] for row in rows] == BELLS * 2
    assert {row["method"] for row in rows} == {"feed_template"}


def run(folder: Path, command: Command, *more: str) -> list[dict[str, object]]:
    code, out, _ = command("extract", "--feed", str(folder / "feed.xml"), "--pages", str(folder / "list.jsonl"), *more)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()]


def test_an_error_page_of_an_entry_gives_no_text_and_the_reason(folder: Path, command: Command) -> None:
    gone = (
        "<body><h1>Page not found</h1><p>The page you asked for is not here any more. Try the search above.</p></body>"
    )
    (folder / "1.html").write_text(gone)
    rows = run(folder, command)
    assert (rows[1]["text"], rows[1]["method"]) == ("", "feed_template")
    assert "of the words of its feed entry" in str(rows[1]["reason"])
    assert [row["text"] for row in (rows[0], *rows[2:])] == [BELLS[0], *BELLS[2:]]


def test_what_a_template_finds_must_agree_with_the_entry(folder: Path, command: Command) -> None:
    # The text has moved, and the notice in its old place would be taken for it.
    notice = (
        "Our web site has a new face since the first of May, and we hope that all of you will soon feel at home in it."
    )
    moved = f"<div id=t><h2>Bell 2</h2><div class=x><p>{notice}</p></div></div><article><p>{BELLS[2]}</p></article>"
    (folder / "2.html").write_text(f"<body><ul><li>Other words</li></ul>{moved}</body>")
    rows = run(folder, command, "--method", "blocks")
    assert rows[2]["method"] == "blocks"
    assert BELLS[2] in str(rows[2]["text"])
    assert rows[0]["method"] == "feed_template"


def test_a_site_that_changed_its_layout_gets_a_template_for_each(folder: Path, command: Command) -> None:
    lines, items = [], ""
    for n in range(24):
        text = f"{BELLS[n % 5]} This was in year {1900 + n}, {'when the tower was new' if n % 2 else 'after the fire'}."
        old = f"<table><tr><td>Tower</td><td class=story>{text}</td></tr></table>"
        new = f"<div id=t><h2>Bell {n}</h2><div class=x><p>{text}</p></div></div>"
        (folder / f"{n}.html").write_text(f"<body>{new if n < 14 else old}<p>Rung {n} times</p></body>")
        url = f"https://tower.example/bells/{n}.html"
        lines.append(json.dumps({"id": n, "url": url, "file": f"{n}.html"}) + "\n")
        date = f"<pubDate>Mon, {28 - n:02d} Jan 2024 10:00:00 GMT</pubDate>"
        items += f"<item><title>Bell {n}</title><link>{url}</link><description>{text}</description>{date}</item>"
    (folder / "list.jsonl").write_text("".join(lines))
    (folder / "feed.xml").write_text(f"<rss><channel>{items}</channel></rss>")
    rows = run(folder, command)
    assert {row["method"] for row in rows} == {"feed_template"}
    assert all(
        str(row["text"]).startswith(BELLS[n % 5]) and "Rung" not in str(row["text"]) for n, row in enumerate(rows)
    )
