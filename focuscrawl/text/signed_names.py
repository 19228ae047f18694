"""Names that end with signs, C++, C# and F#: written out for tokenizers, which know letters and digits alone.

Without its signs such a name is a letter, which is on most pages. Addresses and tags write them out, too ("csharp").
"""

from __future__ import annotations

import re

_WRITTEN_OUT = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp"}
_SIGNED = {plain: name for name, plain in _WRITTEN_OUT.items()}
# "C++11" is C++ too, while "abc++" and "c+++" are something else.
_NAMES = re.compile(r"(?<![a-z0-9+#])(?:c\+\+(?!\+)|[cf]#(?![a-z0-9#]))", re.IGNORECASE)
_HASH, _PLUS = re.compile(r"#(?<=[cCfF]#)"), re.compile(r"\+(?<=[cC]\+)\+")


def written_out(text: str) -> str:
    """Return text with each such name as a word of small letters, parted from what follows.

    >>> written_out("C++11, c/c++ and c#: i++, #c")
    'cplusplus 11, c/cplusplus  and csharp : i++, #c'
    """
    # One sign is looked for in a microsecond, and most texts have none.
    if ("#" in text and _HASH.search(text)) or ("+" in text and _PLUS.search(text)):
        return _NAMES.sub(lambda found: f"{_WRITTEN_OUT[found[0].lower()]} ", text)
    return text


def with_signs(words: str) -> str:
    """Return words, joined by a space, with such a name as people write it.

    >>> with_signs("modern cplusplus")
    'modern c++'
    """
    return " ".join([_SIGNED.get(word, word) for word in words.split(" ")])
