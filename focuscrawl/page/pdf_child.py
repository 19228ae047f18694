"""Reader of PDFs in a process of its own: ``python -P pdf_child.py``.

It imports nothing of this package, so that it starts quickly and holds little. A request, on standard
input, is a line of JSON and the bytes of the file; the answer, on standard output, is a line of JSON
(`focuscrawl.page.pdf`). Memory is bounded once, processor time anew for each file, by limits of the operating system:
what goes beyond ends the process.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
from io import BytesIO
from typing import Any, BinaryIO

_MOST_TITLE_CHARS = 1000
# Characters of an address, and of the text that leads to it.
_MOST_URL_CHARS = 2000
_MOST_ANCHOR_CHARS = 300
# Programs round the edges of a link, and the next words begin where it ends (1/72 inch).
_SLACK = 1.0
# Of a page.
_MOST_LINKS = 200
_MOST_ANNOTATIONS = 2000
# Pieces of text of a page that are compared with the places of its links.
_MOST_PIECES = 5000


def main() -> None:
    """Answer until standard input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what pypdf may print is no answer
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it names every slip of a file that it reads all the same
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while line := requests.readline():
        answer = _answer(json.loads(line), requests)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
        if answer.get("fault") == "memory":
            return


def _answer(request: dict[str, Any], requests: BinaryIO) -> dict[str, Any]:
    try:
        _bound(resource.RLIMIT_AS, request["memory_bytes"])
        if request["cpu_s"]:
            used = resource.getrusage(resource.RUSAGE_SELF)
            _bound(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + request["cpu_s"]) + 1)
        return _read(requests.read(request["size"]), request["pages"], request["chars"])
    except MemoryError:
        return {"fault": "memory"}


def _bound(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _read(content: bytes, most_pages: int, most_chars: int) -> dict[str, Any]:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError
    except ImportError:
        return {"fault": "no pypdf"}
    pages: list[dict[str, Any]] = []
    left = most_chars
    try:
        reader = PdfReader(BytesIO(content))
        title = str((reader.metadata.title if reader.metadata is not None else "") or "")[:_MOST_TITLE_CHARS]
        for number, page in enumerate(reader.pages):
            if number >= most_pages or left <= 0:
                break
            pieces: list[tuple[float, float, str]] = []
            text = page.extract_text(visitor_text=_collector(pieces))[:left]
            left -= len(text)
            pages.append({"text": text, "links": _links(page, pieces)})
    except (FileNotDecryptedError, DependencyError):
        return {"fault": "encrypted"}
    except MemoryError:
        raise
    except (
        Exception
    ) as error:  # of a stranger's file pypdf raises whatever its parts happen to be of the wrong type for
        return {"fault": "damaged", "why": " ".join(str(error).split())[:120] or type(error).__name__}
    return {"title": title, "pages": pages}


def _collector(pieces: list[tuple[float, float, str]]) -> Any:
    def collect(text: str, user: list[float], line: list[float], _font: object, _size: object) -> None:
        """Note where a piece of text begins, in the coordinates of the page."""
        if text.strip() and len(pieces) < _MOST_PIECES:
            x, y = line[4], line[5]
            pieces.append((x * user[0] + y * user[2] + user[4], x * user[1] + y * user[3] + user[5], text))

    return collect


def _links(page: Any, pieces: list[tuple[float, float, str]]) -> list[tuple[str, str]]:
    """Return the addresses that places of a page lead to, each with the text that begins there."""
    links: list[tuple[str, str]] = []
    annotations = page["/Annots"] if "/Annots" in page else ()  # noqa: SIM401 - `get` does not resolve references
    for reference in annotations[:_MOST_ANNOTATIONS] if isinstance(annotations, list) else ():
        if len(links) >= _MOST_LINKS:
            break
        try:
            link = _link(reference.get_object(), pieces)
        except MemoryError:
            raise
        except Exception:  # noqa: S112 - a link that is damaged costs itself, not the text of the file
            continue
        if link is not None:
            links.append(link)
    return links


def _link(note: Any, pieces: list[tuple[float, float, str]]) -> tuple[str, str] | None:
    action = note.get("/A") if note.get("/Subtype") == "/Link" else None
    url = action.get_object().get("/URI") if action is not None else None
    if url is None:
        return None
    left, bottom, right, top = sorted_box([float(edge) for edge in note["/Rect"]])
    text = " ".join(
        "".join(t for x, y, t in pieces if left - _SLACK <= x < right - _SLACK and bottom <= y <= top).split()
    )
    return str(url)[:_MOST_URL_CHARS], text[:_MOST_ANCHOR_CHARS]


def sorted_box(box: list[float]) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of a rectangle, which may be given from any corner.

    >>> sorted_box([9, 8, 1, 2])
    (1, 2, 9, 8)
    """
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


if __name__ == "__main__":
    main()
