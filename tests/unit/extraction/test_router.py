"""Which method's answer the router takes, and what it completes that with."""

from __future__ import annotations

from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.types import Explained

PAGE = analyse(b"<title>The lock</title><p>The lock is open.</p>", "http://canal.example/", tokenizer=make_tokenizer())


class Plugin:
    """An extractor that knows one page; its confidence is told with the answer."""

    def __init__(self, confidence: float, text: str, **fields: object) -> None:
        self.name = f"plug-in {confidence}"
        found = Extraction(self.name, text, confidence=Explained(confidence, reason="as ever"), **fields)  # type: ignore[arg-type]
        self.answer: Extraction | None = found
        self.asked = 0

    def extract(self, page: PageAnalysis) -> Extraction | None:
        assert page is PAGE
        self.asked += 1
        return self.answer


def extract(*methods: Plugin, special: tuple[Plugin, ...] = ()) -> Extraction:
    found = RouterExtractor(methods, special=special).extract(PAGE)
    assert found is not None
    return found


FIELDS = {"published": "2024-05-01", "author": "Keeper", "category": "Locks", "tags": ("gate",)}


def fields_of(found: Extraction) -> dict[str, object]:
    return {name: getattr(found, name) for name in FIELDS}


def test_a_first_method_that_is_sure_is_the_only_one_asked() -> None:
    other = Plugin(0.9, "other")
    assert extract(Plugin(0.3, "first"), other).text == "first"
    assert not other.asked


def test_the_surest_is_taken_where_the_first_is_unsure_and_has_the_fields_that_only_the_first_found() -> None:
    first, second, third = (
        Plugin(0.29, "first", title="The lock", **FIELDS),
        Plugin(0.5, "second"),
        Plugin(0.4, "third"),
    )
    found = extract(first, second, third)
    assert (found.method, found.text, found.title) == (second.name, "second", "The lock")
    assert fields_of(found) == FIELDS
    assert found.confidence.value == 0.5
    assert found.confidence.parts == {first.name: 0.29, second.name: 0.5, third.name: 0.4}
    assert f"{second.name} is the surest of 3: as ever" in found.confidence.reason


def test_fields_that_the_chosen_method_found_stay_but_for_the_title() -> None:
    own = {"published": "2023-01-01", "author": "Lockmaster", "category": "Canals", "tags": ("weir",)}
    found = extract(Plugin(0.1, "first", title="The lock", **FIELDS), Plugin(0.5, "second", title="Lock", **own))
    assert fields_of(found) == own
    assert found.title == "The lock"
    assert fields_of(extract(Plugin(0.1, "first"), Plugin(0.5, "second", **own))) == own
    assert extract(Plugin(0.1, "first"), Plugin(0.5, "second", title="Lock")).title == "Lock"


def test_a_text_goes_before_none_however_sure_a_method_is_that_there_is_none() -> None:
    assert extract(Plugin(0.9, ""), Plugin(0.05, "second")).text == "second"


def test_a_method_that_handles_no_such_page_is_passed_over() -> None:
    none = Plugin(0.9, "")
    none.answer = None
    assert extract(none, Plugin(0.05, "second", category="Locks")).category == "Locks"
    assert RouterExtractor([none]).extract(PAGE) is None


def test_a_method_that_knows_the_kind_of_the_page_goes_before_all() -> None:
    first = Plugin(0.9, "first", **FIELDS)
    found = extract(first, special=(Plugin(0.2, "posts"),))
    assert (found.text, found.confidence.value) == ("posts", 0.2)
    assert found.confidence.parts == {"plug-in 0.9": 0.9, "plug-in 0.2": 0.2}
    assert "plug-in 0.2 knows its kind: as ever" in found.confidence.reason
    assert fields_of(found) == FIELDS
    assert extract(first, special=(Plugin(0.2, ""),)).text == "first", "it has found no text of its kind"
