"""Items as XML: well-formed whatever the words of a topic and the texts of pages hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scrapy.exporters import XmlItemExporter

from focuscrawl.crawler.items import BY_WORD

# No document may hold these, escaped or not.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class XmlExporter(XmlItemExporter):
    """Scrapy's exporter, for which a word with a space in it would be the name of an element.

    What counts words, as `evidence`, becomes a list for each place, each value with its `word` and `count`.
    """

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return a field's value as elements and texts can hold it."""
        value = super().serialize_field(field, name, value)
        if field.get(BY_WORD):
            value = {place: [{"word": w, "count": n} for w, n in words.items()] for place, words in value.items()}
        return _storable(value)


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return _NO_XML.sub("", value)
    if isinstance(value, Mapping):
        return {name: _storable(one) for name, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list | tuple) else value
