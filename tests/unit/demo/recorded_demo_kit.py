"""Writes the sample web down as a recorded web, so that `focuscrawl evaluate` runs on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.demo.trap import TRAP_FIRST
from focuscrawl.demo.web import SampleWeb, topic_file
from focuscrawl.topic.spec import load_topic

NAME = "sample-web"
_TRAP_MONTHS = 36  # a folder cannot be endless; three years of pages are more than a crawl of this web has to spend
# The starts of a recorded web: among relevant pages, and far from them. The third, the portals, are the demo's own.
_NEAR = ("http://chayou.example/",)
_FAR = ("http://openings.example/", "http://citywalk.example/")


def trap_paths(*, months: int) -> Iterator[str]:
    """Yield the paths of the trap's calendar: its first months and their days."""
    day = end = TRAP_FIRST
    for _ in range(months):
        end = (end + timedelta(days=31)).replace(day=1)
    while day < end:
        if day.day == 1:
            yield f"/calendar/{day:%Y/%m}/"
        yield f"/calendar/{day:%Y/%m/%d}/"
        day += timedelta(days=1)


def write_world(web: SampleWeb, folder: Path) -> Path:
    """Write the sample web into `folder` in the layout of recorded webs, and return the folder.

    The demo's topic is `topics/tea-culture.json`, its labels are `qrels/tea-culture.tsv`; the endless calendar is cut
    off after three years.
    """
    spec = load_topic(str(topic_file()))
    for url, file in web.files.items():
        _write(folder / "www", url, file.body)
    for path in trap_paths(months=_TRAP_MONTHS):
        url = f"http://events.test{path}"
        found = web.answer(url)
        if found is not None:
            _write(folder / "www", url, found.body)
    topic = {
        "title": spec.title,
        "description": spec.description,
        "keywords": [*spec.terms, *[word for words in spec.synonyms.values() for word in words]],
        "sample_texts": [sample.text for sample in spec.samples_loaded() if sample.text],
        "seeds": list(_NEAR),
        "far_seeds": list(_FAR),
        "portal_seeds": spec.seed_urls(),
    }
    grades = {url: web.files[url].grade for url in web.labels}
    rows = "".join(f"{url}\t{grade}\n" for url, grade in sorted(grades.items()) if grade)
    _text(folder / "world.json", json.dumps({"name": NAME, "lang": spec.language, "hosts": web.hosts}, indent=1))
    _text(folder / "topics" / f"{spec.name}.json", json.dumps(topic, ensure_ascii=False, indent=1))
    _text(folder / "qrels" / f"{spec.name}.tsv", rows)
    return folder


def _write(www: Path, url: str, body: bytes) -> None:
    parts = urlsplit(url)
    path = parts.path + ("index.html" if parts.path.endswith("/") else "")
    target = www / str(parts.hostname) / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
