"""Pages with their links as JSON-safe parts, each written once: what a graph is rebuilt from when a crawl goes on.

A snapshot of a whole graph would cost more with every page; a part holds the pages since the last one. The keys of a
part are listed once and named by their place in the list.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from focuscrawl.errors import FocusCrawlError
from focuscrawl.types import UrlKey

_MAX_BYTES = 1 << 28  # of an unpacked array; a part of 50 pages has less than 1 MB


@dataclass(frozen=True, slots=True)
class PageLinks:
    """A fetched page as a link graph takes it in."""

    key: UrlKey
    other_key: UrlKey  # after redirects; `key` without
    relevance: float
    targets: NDArray[np.uint64]
    weights: NDArray[np.float32]  # as long as `targets`, or empty


def pack(pages: Sequence[PageLinks]) -> dict[str, object]:
    """Return a part that `unpack` takes."""
    keys, places = np.unique(np.concatenate([page.targets for page in pages]), return_inverse=True)
    return {
        "pages": [[page.key, page.other_key, page.relevance, len(page.targets), len(page.weights)] for page in pages],
        "keys": _text(keys.astype("<u8")),
        "targets": _text(places.astype("<u4")),
        "weights": _text(np.concatenate([page.weights for page in pages]).astype("<f4")),
    }


def unpack(part: Mapping[str, Any]) -> list[PageLinks]:
    """Return the pages of a part.

    Raises
    ------
    FocusCrawlError
        If it is not what `pack` made.
    """
    try:
        keys, places, weights = (_array(part[name], kind) for name, kind in _ARRAYS.items())
        targets = keys[places]
        pages = []
        at_target = at_weight = 0
        for key, other_key, relevance, links, weighted in part["pages"]:
            pages.append(
                PageLinks(
                    int(key),
                    int(other_key),
                    float(relevance),
                    targets[at_target : at_target + links],
                    weights[at_weight : at_weight + weighted],
                )
            )
            at_target += links
            at_weight += weighted
        if at_target != len(targets) or at_weight != len(weights):
            raise ValueError("lengths differ")
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, zlib.error) as error:
        raise FocusCrawlError(
            f"the link graph of the run cannot be read ({error}); crawl in a new run folder, or with another strategy"
        ) from error
    return pages


_ARRAYS = {"keys": "<u8", "targets": "<u4", "weights": "<f4"}


def _text(values: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 1)).decode("ascii")


def _array(text: str, kind: str) -> NDArray[Any]:
    unpacker = zlib.decompressobj()
    raw = unpacker.decompress(base64.b64decode(text, validate=True), _MAX_BYTES)
    if unpacker.unconsumed_tail:
        raise ValueError("an array is too long")
    return np.frombuffer(raw, dtype=kind)
