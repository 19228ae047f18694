"""Extractors of other projects: our interface, their answers, a clear word when they are not there."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from focuscrawl import plugins
from focuscrawl.errors import PluginError
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

MODULES = {"trafilatura": "trafilatura", "resiliparse": "resiliparse.extract.html2text"}
SENTENCE = "The keeper trims the lamp at dusk, winds the clockwork, and writes the weather into the book. "
PAGE = f"""<html><head><title>The lamp</title></head><body>
<nav><a href=/>Home</a> <a href=/about>About the station</a></nav>
<article><h1>The lamp</h1><p>{SENTENCE * 4}</p><p>{SENTENCE * 3}</p></article>
<footer><a href=/legal>All rights reserved</a></footer></body></html>"""


def page(html: str) -> Any:
    return analyse(html.encode(), "http://light.example/lamp", tokenizer=make_tokenizer("words"))


@pytest.mark.parametrize("name", MODULES)
def test_an_article_is_found_and_its_menu_left_out(name: str) -> None:
    pytest.importorskip(MODULES[name])
    read = page(PAGE)
    before = read.tree.root.xpath("string()")
    found = plugins.build("extractors", name).extract(read)
    assert found.method == name
    assert found.text.count("The keeper trims the lamp") == 7
    assert "About the station" not in found.text
    assert found.title == "The lamp"
    assert 0.0 < found.confidence.value < 1.0
    assert read.tree.root.xpath("string()") == before  # the page's tree is everyone's


@pytest.mark.parametrize("name", MODULES)
def test_a_page_of_nothing_gives_no_text_and_a_reason(name: str) -> None:
    pytest.importorskip(MODULES[name])
    extractor = plugins.build("extractors", name)
    found = extractor.extract(page("<html><body></body></html>"))
    assert found is None or (found.text == "" and found.confidence.reason)
    assert extractor.extract(page("")) is None


@pytest.mark.parametrize("name", MODULES)
def test_what_the_other_raises_becomes_the_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(MODULES[name])
    extractor = plugins.build("extractors", name)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr(extractor, "_extract", broken)
    found = extractor.extract(page(PAGE))
    assert found.text == ""
    assert "RuntimeError: no luck" in found.confidence.reason


@pytest.mark.parametrize("name", MODULES)
def test_a_package_that_is_not_installed_is_named_with_how_to_install_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, MODULES[name], None)  # what the import system takes for "not there"
    with pytest.raises(PluginError, match=rf"needs the package {name}.*pip install 'focuscrawl\[compare\]'"):
        plugins.build("extractors", name)
