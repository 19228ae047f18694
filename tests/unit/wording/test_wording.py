"""Every text is there in both languages, with the same placeholders, and is shown in the language asked for."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Mapping
from string import Formatter

import pytest

import focuscrawl.wording
from focuscrawl.wording.base import Choice, Say, Text, language_of

MODULES = sorted(
    module.name
    for module in pkgutil.iter_modules(focuscrawl.wording.__path__)
    if module.name not in ("base", "columns")
)
CHINESE = re.compile(r"[㐀-鿿]")
# Signs, numbers and names, which are the same or have no letters.
SAME = {"endings.COMMA"}


def texts() -> dict[str, Text]:
    """Return all texts by the names of their constants, those in mappings by their keys, too."""
    found = {}
    for name in MODULES:
        for constant, value in vars(importlib.import_module(f"focuscrawl.wording.{name}")).items():
            if isinstance(value, Text):
                found[f"{name}.{constant}"] = value
            elif isinstance(value, tuple):
                found |= {f"{name}.{constant}[{at}]": text for at, text in enumerate(value) if isinstance(text, Text)}
            elif isinstance(value, Mapping) and not constant.startswith("__"):
                found |= {f"{name}.{constant}[{key}]": text for key, text in value.items() if isinstance(text, Text)}
    return found


def placeholders(text: str) -> dict[str, str]:
    return {name: spec or "" for _, name, spec, _ in Formatter().parse(text) if name is not None}


def test_there_are_texts() -> None:
    assert len(texts()) > 200


@pytest.mark.parametrize(("name", "text"), texts().items(), ids=list(texts()))
def test_a_text_is_there_in_both_languages(name: str, text: Text) -> None:
    assert text.en
    assert not CHINESE.search(text.en)
    words = re.sub(r"\{[^}]*\}", "", text.zh)
    assert CHINESE.search(words) or name in SAME or not re.search(r"[a-z]{2}", re.sub(r"\{[^}]*\}", "", text.en))
    assert placeholders(text.en) == placeholders(text.zh)
    if text.one:
        assert "n" in placeholders(text.en)
        assert set(placeholders(text.one)) <= set(placeholders(text.en))


@pytest.mark.parametrize(("name", "text"), texts().items(), ids=list(texts()))
def test_chinese_is_set_in_chinese_signs(name: str, text: Text) -> None:
    """A comma, colon or bracket of ASCII beside a Chinese character is a slip."""
    assert not re.search(r"[㐀-鿿][,;:?!()]|[,;:?!()][㐀-鿿]", re.sub(r"\{[^}]*\}", "", text.zh)), name


@pytest.mark.parametrize(
    ("choice", "environment", "language"),
    [
        ("auto", {}, "en"),
        ("auto", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"LANG": "zh_TW.Big5"}, "zh"),
        ("auto", {"LC_ALL": "zh-Hans", "LANG": "en_GB.UTF-8"}, "zh"),
        ("auto", {"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "de_DE"}, "zh"),
        ("auto", {"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ("auto", {"LANG": "zhuang"}, "en"),
        ("zh", {"LANG": "en_US.UTF-8"}, "zh"),
        ("en", {"LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"FOCUSCRAWL_LANG": "zh", "LANG": "en_US.UTF-8"}, "zh"),
        (None, {"FOCUSCRAWL_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"FOCUSCRAWL_LANG": "auto", "LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("auto", {"FOCUSCRAWL_LANG": "en", "LANG": "zh_CN.UTF-8"}, "zh"),
        ("en", {"FOCUSCRAWL_LANG": "zh"}, "en"),
    ],
)
def test_the_language_is_the_one_chosen_else_that_of_the_variable_else_of_the_locale(
    choice: Choice | None, environment: Mapping[str, str], language: str
) -> None:
    assert language_of(choice, environment) == language


def test_a_value_is_never_read_as_a_template() -> None:
    title = Text("page {title}", "网页 {title}")
    assert Say("zh")(title, title="{n} {0.__class__}") == "网页 {n} {0.__class__}"


def test_a_stored_name_without_a_text_stands_for_itself() -> None:
    assert Say("zh").known({"budget": Text("used up", "用完")}, "closespider_itemcount") == "closespider_itemcount"


@pytest.mark.parametrize(
    "name",
    ["recrawl.FRESHNESS", "recrawl.FRESH_NOW", "report.MORE_HOSTS", "report.MORE_DOMAINS", "report.FAILURES_NOTE"],
)
def test_a_count_of_one_is_told_in_the_singular(name: str) -> None:
    values = {"share": 1.0, "before": 1.0, "after": 1.0, "age": "3 h"}
    told = Say("en")(texts()[name], n=1, **values)
    assert re.search(r"\b1 (more )?[a-z]+[^s] ", told)
    assert " are " not in told
