"""A text in English and Chinese, and the choice of the language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

Language = Literal["en", "zh"]
Choice = Literal["auto", "en", "zh"]
VARIABLE = "FOCUSCRAWL_LANG"
# What decides a locale's messages, the first that is set (POSIX 8.2).
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")


@dataclass(frozen=True, slots=True)
class Text:
    """A text in both languages, with placeholders as of `str.format`.

    Parameters
    ----------
    en, zh
        The text; both have the same placeholders.
    one
        English text where the argument `n` is 1; Chinese has no plural.
    """

    en: str
    zh: str
    one: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """Texts in one language.

    >>> PAGES = Text("{n:,} pages", "{n:,} 个网页", one="{n} page")
    >>> Say("en")(PAGES, n=1), Say("en")(PAGES, n=1200), Say("zh")(PAGES, n=1200)
    ('1 page', '1,200 pages', '1,200 个网页')
    """

    language: Language = "en"

    def __call__(self, text: Text, **values: object) -> str:
        """Return `text` with its placeholders filled.

        Raises
        ------
        KeyError
            If a value is missing.
        """
        if self.language == "zh":
            return text.zh.format_map(values)
        one = text.one and values.get("n") == 1
        return (text.one if one else text.en).format_map(values)

    def known(self, texts: Mapping[str, Text], name: str) -> str:
        """Return the text of a stored name such as a reason; a name that has none stands for itself."""
        text = texts.get(name)
        return self(text) if text is not None else name

    def table(self, module: ModuleType) -> dict[str, str]:
        """Return the texts of a module of `focuscrawl.wording` by name, unfilled: for a page's own script."""
        return {name: text.zh if self.language == "zh" else text.en for name, text in texts_of(module).items()}


def texts_of(module: ModuleType) -> dict[str, Text]:
    """Return the `Text` constants of a module by name."""
    return {name: value for name, value in vars(module).items() if isinstance(value, Text)}


def language_of(choice: Choice = "auto", environment: Mapping[str, str] | None = None) -> Language:
    """Return the language of a choice; `auto` is that of the locale.

    Any Chinese locale (`zh_CN.UTF-8`, `zh-Hans`) is Chinese, in simplified characters; all others are English.

    >>> language_of("auto", {"LANG": "zh_CN.UTF-8"}), language_of("auto", {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"})
    ('zh', 'en')
    """
    if choice != "auto":
        return choice
    given = os.environ if environment is None else environment
    locale = next((given[name] for name in _LOCALE if given.get(name)), "")
    return "zh" if locale.lower().replace("-", "_").split(".")[0].split("_")[0] == "zh" else "en"


def speaker(choice: Choice = "auto") -> Say:
    """Return the texts of a choice of language."""
    return Say(language_of(choice))
