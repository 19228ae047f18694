"""Near duplicates: MinHash over token shingles with locality-sensitive hashing (Broder 1997).

Only pages that would be stored are looked up, so the index grows with relevant pages. After a resume it is rebuilt
from the stored texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from datasketch import MinHash, MinHashLSH

from focuscrawl.types import UrlKey

SHINGLE = (
    4  # tokens; the usual length for word shingles (Broder et al. 1997 use 10 words, short Chinese texts need less)
)
PERMUTATIONS = 64  # standard error of the estimated similarity about 1/8; enough to tell 0.9 from 0.6
THRESHOLD = 0.85  # Jaccard similarity of shingle sets from which two texts count as the same
MAX_SHINGLES = 2000  # a bound on work a page: longer texts are sampled evenly by hash (bottom-k)


@dataclass(frozen=True, slots=True)
class Near:
    """The earlier page that a text repeats."""

    key: UrlKey
    similarity: float  # estimated Jaccard similarity in [0, 1]


# Random odd numbers, one for each token of a shingle, and one that is added.
_FACTORS = (0x9E2B5C4F1D3A7F65, 0xC1A96E8B37D25E0F, 0x5F4D8A73B9E61C2B, 0xE38B17D94C6F2A51)
_ADDED = np.uint64(0x2D7E93A5F08C614B)
# Words remembered with their hashes; a crawl's vocabulary is below that, junk tokens are not.
_MAX_WORDS = 200_000


class _WordHashes(dict[str, int]):
    """Token to CRC-32: words need spread, not secrecy."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MAX_WORDS:
            self.clear()
        hashed = self[word] = crc32(word.encode("utf-8", "surrogatepass"))
        return hashed


_words = _WordHashes()


def _shingle_hashes(tokens: Sequence[str]) -> list[int]:
    """Return the smallest distinct 32-bit hashes of the shingles, rising.

    Multilinear hashing of the tokens' hashes: the upper half of m + sum of m_i * s_i modulo 2^64 (Lemire and Kaser,
    Strongly universal string hashing is fast, The Computer Journal 57(11), 2014).
    """
    hashes = np.fromiter(map(_words.__getitem__, tokens), np.uint64, len(tokens))
    count = max(1, len(hashes) - SHINGLE + 1)
    sums = np.full(count, _ADDED)
    for at, factor in enumerate(_FACTORS[:SHINGLE]):
        part = hashes[at : at + count]
        sums[: len(part)] += part * np.uint64(factor)
    smallest: list[int] = np.unique(sums >> np.uint64(32))[:MAX_SHINGLES].tolist()
    return smallest


class NearDuplicates:
    """Index of the texts kept so far.

    Parameters
    ----------
    threshold
        Jaccard similarity in (0, 1] from which two texts count as duplicates.
    min_tokens
        Shorter texts are never called near duplicates: two stubs of five words prove nothing.
    """

    def __init__(self, *, threshold: float = THRESHOLD, min_tokens: int = 20) -> None:
        self.threshold = threshold
        self.min_tokens = min_tokens
        self._lsh: Any = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
        self._signatures: dict[UrlKey, Any] = {}

    def __len__(self) -> int:
        return len(self._signatures)

    def check(self, key: UrlKey, tokens: Sequence[str]) -> Near | None:
        """Return the earlier text that `tokens` repeats, or None after adding it to the index."""
        if len(tokens) < self.min_tokens or key in self._signatures:
            return None
        # Shingles come hashed: the identity function spares datasketch a SHA-1 for each of them.
        signature: Any = MinHash(num_perm=PERMUTATIONS, hashfunc=_identity)
        signature.update_batch(_shingle_hashes(tokens))
        best: Near | None = None
        for other in self._lsh.query(signature):
            similarity = float(signature.jaccard(self._signatures[other]))
            if similarity >= self.threshold and (best is None or (similarity, -other) > (best.similarity, -best.key)):
                best = Near(other, similarity)
        if best is None:
            self._add(key, signature)
        return best

    def _add(self, key: UrlKey, signature: Any) -> None:
        self._lsh.insert(key, signature)
        self._signatures[key] = signature


def _identity(value: int) -> int:
    return value
