"""The S-stemmer: English plurals become singular, nothing else changes."""

from __future__ import annotations

_MIN_CHARS = 4
"""Shorter words stay as they are: "bus", "gas", "his", "was" are no plurals."""
_MAX_MEMO = 200_000
"""Distinct words remembered; a crawl's English vocabulary is below that, junk tokens are not."""


def s_stem(word: str) -> str:
    """Return `word` without its plural ending; the first rule whose ending fits decides.

    "-ies" becomes "-y" (not after a or e), "-es" becomes "-e" (not after a, e or o), "-s" goes (not after u or s).
    Words of fewer than four characters stay. The rules are meant for lower-case words.

    References
    ----------
    .. [1] Donna Harman, How effective is suffixing?, Journal of the American Society for Information Science 42(1),
       1991: the "S stemmer". It groups "recipe" with "recipes" and leaves everything that is not a plural alone, which
       is what matching topic words needs.
    """
    if len(word) < _MIN_CHARS or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else word[:-3] + "y"
    if word.endswith("es"):
        return word if word.endswith(("aes", "ees", "oes")) else word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]


class StemMemo(dict[str, str]):
    """Word to stem, computed once a word: ``[memo[word] for word in words]`` runs at the speed of a dict."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MAX_MEMO:
            self.clear()
        stem = self[word] = s_stem(word)
        return stem
