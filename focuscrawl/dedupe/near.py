"""Near duplicates: MinHash over token shingles with locality-sensitive hashing (Broder 1997).

Only pages that would be stored are looked up, so the index grows with relevant pages, by about 1 kB each. After a
resume it is rebuilt from the stored texts; workers of a fleet tell each other their signatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from focuscrawl.types import UrlKey

# Tokens of a shingle: the usual length for words (Broder et al. 1997 use 10 words, short Chinese texts need less).
SHINGLE = 4
MIN_TOKENS = 20  # shorter texts are never called near duplicates: two stubs of five words prove nothing
PERMUTATIONS = 64  # standard error of the estimated similarity about 1/8; enough to tell 0.9 from 0.6
THRESHOLD = 0.85  # Jaccard similarity of shingle sets from which two texts count as the same
SIGNATURE_BYTES = 4 * PERMUTATIONS
_COMPARED = 0.9  # least probability that two texts at the threshold are compared at all
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


def _shingle_hashes(tokens: Sequence[str]) -> NDArray[np.uint32]:
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
    halves = (sums >> np.uint64(32)).astype(np.uint32)
    halves.sort()
    # `np.unique` takes twice as long, and loads numpy's masked arrays.
    return halves[np.concatenate(([True], halves[1:] != halves[:-1]))][:MAX_SHINGLES]


class NearDuplicates:
    """Index of the texts kept so far; two are compared when a band of their signatures is equal.

    Parameters
    ----------
    threshold
        Jaccard similarity in (0, 1] from which two texts count as duplicates.
    """

    def __init__(self, *, threshold: float = THRESHOLD) -> None:
        self.threshold = threshold
        self._signatures: dict[UrlKey, bytes] = {}
        bands, rows = bands_for(threshold)
        self._band_bytes = 4 * rows
        # Band -> key, or keys where several texts have it. Hashes of the bands do: what is found is compared anyway.
        self._bands: tuple[dict[int, UrlKey | list[UrlKey]], ...] = tuple({} for _ in range(bands))

    def __len__(self) -> int:
        return len(self._signatures)

    def check(self, key: UrlKey, tokens: Sequence[str]) -> Near | None:
        """Return the earlier text that `tokens` repeats, or None after adding it to the index."""
        if len(tokens) < MIN_TOKENS or key in self._signatures:
            return None
        signature = signature_of(tokens)
        best = self._nearest(signature)
        if best is None:
            self.add(key, signature)
        return best

    def signature(self, key: UrlKey) -> bytes | None:
        """Return the signature of a text in the index: 64 little-endian numbers of 32 bits, None for others."""
        return self._signatures.get(key)

    def add(self, key: UrlKey, signature: bytes) -> None:
        """Add a text that is kept whatever is like it; `signature` is one of `signature_of`.

        Raises
        ------
        ValueError
            If it has another length.
        """
        if len(signature) != SIGNATURE_BYTES:
            raise ValueError(f"a signature has {SIGNATURE_BYTES} bytes, this one {len(signature)}")
        if key in self._signatures:
            return
        self._signatures[key] = signature
        for keys, band in self._banded(signature):
            there = keys.setdefault(band, key)
            if isinstance(there, list):
                there.append(key)
            elif there != key:
                keys[band] = [there, key]

    def remove(self, key: UrlKey) -> None:
        """Forget a text; one that is not there is no error."""
        signature = self._signatures.pop(key, None)
        if signature is None:
            return
        for keys, band in self._banded(signature):
            there = keys[band]
            if isinstance(there, list) and len(there) > 1:
                there.remove(key)
            else:
                del keys[band]

    def _banded(self, signature: bytes) -> Iterator[tuple[dict[int, UrlKey | list[UrlKey]], int]]:
        width = self._band_bytes
        for number, keys in enumerate(self._bands):
            yield keys, hash(signature[number * width : (number + 1) * width])

    def _nearest(self, signature: bytes) -> Near | None:
        candidates: set[UrlKey] = set()
        for keys, band in self._banded(signature):
            there = keys.get(band)
            if isinstance(there, list):
                candidates.update(there)
            elif there is not None:
                candidates.add(there)
        if not candidates:
            return None
        others = list(candidates)
        shares = _similarities(signature, [self._signatures[other] for other in others])
        similarity, key = max(zip(shares, (-other for other in others), strict=True))
        return Near(-key, similarity) if similarity >= self.threshold else None


def bands_for(threshold: float) -> tuple[int, int]:
    """Return the number of bands and their rows, for which texts at the threshold are most likely compared.

    Texts of similarity s are compared with probability 1 - (1 - s^rows)^bands (Leskovec, Rajaraman and Ullman, Mining
    of Massive Datasets, section 3.4.2). Of the rows with which that is 0.9 at the threshold, the most are taken: the
    more rows, the fewer texts are compared in vain.

    >>> bands_for(0.85)
    (8, 8)
    """
    fine = [rows for rows in range(1, PERMUTATIONS + 1) if _compared(threshold, rows) >= _COMPARED]
    rows = max(fine, default=1)
    return PERMUTATIONS // rows, rows


def _compared(similarity: float, rows: int) -> float:
    return 1.0 - (1.0 - similarity**rows) ** (PERMUTATIONS // rows)


def signature_of(tokens: Sequence[str]) -> bytes:
    """Return the MinHash signature of a text: 64 little-endian numbers of 32 bits, the same in every process."""
    factors, added = _permutations()
    permuted = np.multiply.outer(factors, _mixed(_shingle_hashes(tokens)))
    permuted += added[:, None]
    packed: bytes = permuted.min(axis=1).astype("<u4").tobytes()
    return packed


@cache
def _permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return odd factors and addends: h -> a * h + b modulo 2^32 permutes the numbers of 32 bits.

    They are the ones datasketch 2 draws, so that signatures agree with those stored by earlier workers of a crawl.
    """
    drawn = np.random.RandomState(1)  # numpy keeps the stream of this generator for good
    factors = drawn.randint(0, 1 << 31, PERMUTATIONS, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, drawn.randint(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)


def _mixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the hashes with every bit spread over all: the finalizer of MurmurHash3 (Appleby 2011)."""
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))


def _similarities(one: bytes, others: Sequence[bytes]) -> list[float]:
    """Return the estimated Jaccard similarities in [0, 1]: the shares of equal minima (Broder 1997)."""
    equal = np.frombuffer(b"".join(others), "<u4").reshape(-1, PERMUTATIONS) == np.frombuffer(one, "<u4")
    shares: list[float] = (np.count_nonzero(equal, axis=1) / PERMUTATIONS).tolist()
    return shares
