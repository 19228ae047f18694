"""A text in English and Chinese, and the choice of the language."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
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
        one = text.one and values.get("n") in (1, "1")  # of a stored sentence the number is text
        return (text.one if one else text.en).format_map(values)

    def known(self, texts: Mapping[str, Text], name: str) -> str:
        """Return the text of a stored name such as a reason; a name that has none stands for itself."""
        text = texts.get(name)
        return self(text) if text is not None else name

    def stored(self, texts: Iterable[Text], sentence: str) -> str:
        """Return a sentence that was stored in English; one that none of `texts` has made stands for itself.

        >>> Say("zh").stored([Text("{n} minutes", "{n} 分钟")], "90 minutes")
        '90 分钟'
        """
        for text in texts:
            values = values_of(text, sentence)
            if values is not None:
                return self(text, **values)
        return sentence

    def table(self, module: ModuleType) -> dict[str, str]:
        """Return the texts of a module of `focuscrawl.wording` by name, unfilled: for a page's own script."""
        return {name: text.zh if self.language == "zh" else text.en for name, text in texts_of(module).items()}


def values_of(text: Text, sentence: str) -> dict[str, str] | None:
    """Return the placeholders' values in an English sentence, None if `text` did not make it.

    The sentence is cut at the first place where what stands between two placeholders is found.

    >>> values_of(Text("{a} of {b}", ""), "3 of 4"), values_of(Text("{a} of {b}", ""), "3 in 4")
    ({'a': '3', 'b': '4'}, None)
    """
    values: dict[str, str] = {}
    name = ""
    for literal, field, _, _ in [*Formatter().parse(text.en), ("", None, None, None)]:
        last = field is None
        at = (len(sentence) - len(literal) if sentence.endswith(literal) else -1) if last else sentence.find(literal)
        if at < 0 or (at > 0 and not name):
            return None
        if name:
            values[name] = sentence[:at]
        sentence, name = sentence[at + len(literal) :], field or ""
        if last:
            break
    return values


def texts_of(module: ModuleType) -> dict[str, Text]:
    """Return the `Text` constants of a module by name."""
    return {name: value for name, value in vars(module).items() if isinstance(value, Text)}


def language_of(choice: Choice | None = None, environment: Mapping[str, str] | None = None) -> Language:
    """Return the language of a choice: `auto` is that of the locale, None what `VARIABLE` says, else `auto`.

    Any Chinese locale (`zh_CN.UTF-8`, `zh-Hans`) is Chinese, in simplified characters; all others are English.

    >>> language_of("auto", {"LANG": "zh_CN.UTF-8"}), language_of("auto", {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"})
    ('zh', 'en')
    """
    given = os.environ if environment is None else environment
    wanted = given.get(VARIABLE) if choice is None else choice
    if wanted == "zh":
        return "zh"
    if wanted == "en":
        return "en"
    locale = next((given[name] for name in _LOCALE if given.get(name)), "")
    return "zh" if locale.lower().replace("-", "_").split(".")[0].split("_")[0] == "zh" else "en"


def speaker(choice: Choice | None = None) -> Say:
    """Return the texts of a choice of language."""
    return Say(language_of(choice))
