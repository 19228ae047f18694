"""Characters by script: the one place that says which are Chinese.

The ranges are for the inside of a character class, ``re.compile(f"[{HAN}]+")``.
"""

from __future__ import annotations

import re

HAN = "\u3400-\u9fff"
"""Chinese characters of the basic plane, for texts of which no single character matters."""
ALL_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U000323af"
"""All Chinese characters, without the hexagrams between the blocks of the basic plane."""
DICTIONARY_HAN = "\u4e00-\u9fd5"
"""What the dictionaries of the segmenters know."""
RARE_HAN = "\u3005\u3007\u3400-\u4dbf\u9fd6-\u9fff\U00020000-\U000323af"
"""The others: the segmenters would drop them or cut them into bytes."""
HAN_AND_KANA_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x3040, 0x30FF))
HAN_AND_KANA = "".join(f"{chr(first)}-{chr(last)}" for first, last in HAN_AND_KANA_RANGES)
"""What is written without spaces: each character counts as a word."""

WORD = re.compile(f"[{HAN}]|[^\\W{HAN}]+")
"""A Chinese character, or a run of other letters and digits."""
