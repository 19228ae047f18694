"""Near duplicates: MinHash over token shingles with locality-sensitive hashing (Broder 1997).

Only pages that would be stored are looked up, so the index grows with relevant pages. After a resume it is rebuilt
from the stored texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

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


def _shingle_hashes(tokens: Sequence[str]) -> list[int]:
    if len(tokens) < SHINGLE:
        shingles = {"\x1f".join(tokens)}
    else:
        shingles = set(map("\x1f".join, zip(*[tokens[at:] for at in range(SHINGLE)], strict=False)))
    # CRC-32: shingles need spread, not secrecy, and this is the cost of the whole check.
    hashes = [crc32(s.encode("utf-8", "surrogatepass")) for s in shingles]
    hashes.sort()
    return hashes[:MAX_SHINGLES]


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
