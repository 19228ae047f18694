"""What a frontier keeps of a project's own request is data, whoever wrote it there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import IntEnum, StrEnum

import pytest
from scrapy import Spider
from scrapy.http import Request
from scrapy.selector import Selector
from scrapy.spiders import CrawlSpider

from focuscrawl.glue.kept_request import freeze, thaw

URL = "http://e.example/"


class Number(IntEnum):
    ONE = 1


class Word(StrEnum):
    ONE = "one"


class OwnRequest(Request):
    """A request class of the project."""


class OwnSpider(Spider):
    name = "own"
    _secret = print

    def parse_item(self, response: object) -> None: ...

    def failed(self, failure: object) -> None: ...

    def _detail(self, response: object) -> None: ...

    def __hidden(self, response: object) -> None: ...

    def öffnen(self, response: object) -> None: ...

    @property
    def hidden(self) -> object:
        return self.__hidden


def kept(request: Request) -> dict[str, object]:
    return freeze(request, OwnSpider(), own_meta=frozenset({"depth"}))


def test_a_request_comes_back_with_all_it_had() -> None:
    spider = OwnSpider()
    request = OwnRequest(
        URL,
        callback=spider.parse_item,
        errback=spider.failed,
        headers={"Accept": ["text/html"], "Referer": "http://x.example/"},
        cookies={"a": "b"},
        meta={"page": 3, "depth": 7},
        cb_kwargs={"n": [1, 2]},
        flags=["mine"],
    )
    again = thaw(URL, freeze(request, spider, own_meta=frozenset({"depth"})), spider)
    assert type(again) is OwnRequest
    assert (again.url, again.callback, again.errback) == (URL, spider.parse_item, spider.failed)
    assert (again.meta, again.cb_kwargs, again.flags, again.cookies) == (
        {"page": 3},
        {"n": [1, 2]},
        ["mine"],
        {"a": "b"},
    )
    assert again.headers.to_unicode_dict() == {"Accept": "text/html", "Referer": "http://x.example/"}


def test_methods_with_an_underscore_come_back() -> None:
    spider, rules = OwnSpider(), CrawlSpider(name="rules")
    for own, method in (
        (spider, spider._detail),
        (spider, spider.hidden),
        (rules, rules._callback),
        (rules, rules._errback),
    ):
        again = thaw(URL, freeze(Request(URL, callback=method), own, own_meta=frozenset()), own)
        assert again.callback == method


def test_what_could_not_be_read_back_is_not_kept() -> None:
    spider = OwnSpider()
    for method in (spider.öffnen, spider._set_crawler, spider.__init__, lambda _: None):
        with pytest.raises(ValueError, match=r"."):
            kept(Request(URL, callback=method))


@pytest.mark.parametrize(
    "value", [(1, 2), {7: "x"}, [{"deep": [(1,)]}], {"a": {None: 1}}, Number.ONE, Word.ONE, float("nan"), {1, 2}, b"x"]
)
def test_what_json_would_change_is_not_kept(value: object) -> None:
    for request in (Request(URL, cb_kwargs={"given": value}), Request(URL, meta={"given": value})):
        with pytest.raises((TypeError, ValueError)):
            kept(request)


def test_texts_of_a_parser_are_kept_as_texts() -> None:
    text = Selector(text="<p>a lamp</p>", type="html").root.xpath("string(//p)")
    assert type(text) is not str
    assert kept(Request(URL, meta={"link_text": text})) == {"meta": {"link_text": "a lamp"}}


def test_keys_of_meta_that_are_no_text_are_not_kept() -> None:
    with pytest.raises(TypeError, match="JSON would give other values back"):
        kept(Request(URL, meta={3: "y"}))


def test_a_plain_link_keeps_nothing() -> None:
    assert kept(Request(URL)) == {}


@pytest.mark.parametrize("meta", [{"proxy": "http://p.example:1"}, {"bindaddress": "10.0.0.1"}, {"x": object()}])
def test_what_chooses_its_way_or_is_no_json_is_not_kept(meta: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        kept(Request(URL, meta=meta))


def test_no_module_is_imported_for_a_class() -> None:
    assert "antigravity" not in sys.modules
    with pytest.raises(ValueError, match=r"no class antigravity\.fly of requests is loaded"):
        thaw(URL, {"_class": "antigravity.fly"}, OwnSpider())
    assert "antigravity" not in sys.modules


def test_a_class_that_makes_no_requests_is_not_taken() -> None:
    with pytest.raises(ValueError, match="of requests is loaded"):
        thaw(URL, {"_class": "subprocess.Popen"}, OwnSpider())


def test_the_page_a_link_was_found_on_takes_no_room_as_its_referrer() -> None:
    spider = OwnSpider()
    request = Request(URL, headers={"Referer": "http://x.example/"}, dont_filter=True)
    data = freeze(request, spider, own_meta=frozenset(), parent_url="http://x.example/")
    assert data == {"referer": True, "dont_filter": True}
    again = thaw(URL, data, spider, parent_url="http://x.example/")
    assert (again.headers["Referer"], again.dont_filter) == (b"http://x.example/", True)


def test_a_policy_of_referrers_from_the_queue_names_no_module() -> None:
    with pytest.raises(ValueError, match="policy of referrers"):
        kept(Request(URL, meta={"referrer_policy": "antigravity.Policy"}))
    assert thaw(URL, {"meta": {"referrer_policy": "antigravity.Policy"}}, OwnSpider()).meta == {}
    assert kept(Request(URL, meta={"referrer_policy": "same-origin"})) == {"meta": {"referrer_policy": "same-origin"}}


def test_a_proxy_from_the_queue_is_not_used() -> None:
    request = thaw(URL, {"meta": {"proxy": "http://127.0.0.1:6379", "page": 1}}, OwnSpider())
    assert request.meta == {"page": 1}


@pytest.mark.parametrize(
    "data",
    [
        {"callback": "__init__"},
        {"callback": "__str__"},
        {"callback": "_set_crawler"},
        {"callback": "_parse"},
        {"callback": "_secret"},
        {"callback": "no_such_method"},
        {"callback": ["parse"]},
        {"callback": "parse\n"},
        {"method": "POST"},
        {"headers": "x"},
        {"headers": {"A": 3}},
        {"meta": []},
        {"cookies": 5},
        {"flags": {"a": 1}},
        {"_class": 3},
    ],
)
def test_damaged_data_is_a_value_error(data: Mapping[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        thaw(URL, data, OwnSpider())
