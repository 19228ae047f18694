"""Feeds of a run as OPML, which feed readers and ``focuscrawl seeds import`` read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO
from xml.etree import ElementTree

from focuscrawl.records import PageRecord
from focuscrawl.types import storable


def write_opml(records: Iterable[PageRecord], file: BinaryIO, *, title: str) -> int:
    """Write the feeds among `records`, in their order; return how many."""
    root = ElementTree.Element("opml", version="2.0")
    ElementTree.SubElement(ElementTree.SubElement(root, "head"), "title").text = _plain(title)
    body = ElementTree.SubElement(root, "body")
    for record in records:
        if record.feed:
            name = _plain(record.title) or record.final_url
            ElementTree.SubElement(body, "outline", type="rss", text=name, title=name, xmlUrl=record.final_url)
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    file.write(b"\n")
    return len(body)


def _plain(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return "".join(char for char in storable(text) if char >= " " and char not in "\ufffe\uffff").strip()
