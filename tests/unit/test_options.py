"""Options of plug-ins: names, types and ranges, as the factories declare them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from link_kit import HandTopic

from focuscrawl import plugins
from focuscrawl.errors import FocusCrawlError, PluginError
from focuscrawl.options import Positive, Range, Share, options_of
from focuscrawl.ranking.strategies import make_ranker
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec

CHOSEN_BY_USERS = ("rankers", "scorers", "judges", "extractors")
GIVEN = {"seed", "weights", "threshold"}  # by the program, not by the user


@dataclass(frozen=True)
class Knobs:
    depth: Annotated[int, Range(1, 9)] = 3
    share: Share = 0.5


def bundled(topic: object, *, seed: int = 0, options: Knobs = Knobs()) -> Knobs:
    return options


def plain(
    *, scale: Positive = 1.0, mode: Literal["any", "all"] = "any", on: bool = True, name: str | None = None
) -> tuple[object, ...]:
    return scale, mode, on, name


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Any:
    def use(made: Any) -> None:
        monkeypatch.setattr(plugins, "load", lambda kind, name: made)

    return use


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"lok": 3}, 'strategy "apprentice": unknown option "lok"; known: .*Did you mean "look"'),
        ({"scale": 0}, r'strategy "apprentice": option scale = 0: expected a number above 0\.'),
        ({"hub": "much"}, r'strategy "apprentice": option hub = "much": expected a number from 0.0 to 1.0\.'),
        ({"learn": 1}, "option learn = 1: expected true or false"),
        ({"scale": True}, "option scale = true: expected a number above 0"),
        ({"seed": 3}, 'unknown option "seed"; known: '),
    ],
)
def test_the_apprentice_checks_its_options(options: dict[str, object], told: str) -> None:
    with pytest.raises(PluginError, match=told) as caught:
        make_ranker("apprentice", HandTopic(), options=options)
    assert "seed," not in str(caught.value)


def test_options_reach_the_apprentice() -> None:
    made = make_ranker("apprentice", HandTopic(), options={"look": False, "scale": 7})
    assert made.options.look is False  # type: ignore[attr-defined]
    assert made.options.scale == 7  # type: ignore[attr-defined]


def test_a_dataclass_of_options_is_filled(factory: Any) -> None:
    factory(bundled)
    assert plugins.build("scorers", "x", None, options={"depth": 5}, seed=1) == Knobs(depth=5)
    assert plugins.build("scorers", "x", None) == Knobs()
    with pytest.raises(PluginError, match=r'scorer "x": option depth = 10: expected a whole number from 1 to 9\.'):
        plugins.build("scorers", "x", None, options={"depth": 10})
    with pytest.raises(PluginError, match=r'unknown option "dept"; known: depth, share\. Did you mean "depth"'):
        plugins.build("scorers", "x", None, options={"dept": 1}, seed=1)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("scale", 0.0, "a number above 0.0"),
        ("scale", math.nan, "a number above 0.0"),
        ("scale", math.inf, "a number above 0.0"),
        ("scale", "1", "a number above 0.0"),
        ("mode", "some", '"any" or "all"'),
        ("on", 1, "true or false"),
        ("name", 3, "text"),
    ],
)
def test_a_wrong_value_is_one_sentence(factory: Any, option: str, value: object, expected: str) -> None:
    factory(plain)
    with pytest.raises(PluginError, match=f"expected {expected}"):
        plugins.build("scorers", "x", options={option: value})


def test_right_values_pass(factory: Any) -> None:
    factory(plain)
    assert plugins.build("scorers", "x", options={"scale": 2, "mode": "all", "on": False, "name": None}) == (
        2,
        "all",
        False,
        None,
    )
    factory(partial(plain, mode="all"))
    assert plugins.build("scorers", "x", options={"name": "n"}) == (1.0, "all", True, "n")


def test_the_address_of_a_store_is_not_shown(factory: Any) -> None:
    factory(lambda folder, *, url="": url)
    with pytest.raises(PluginError) as unknown:
        plugins.build("stores", "x", None, options={"ulr": "postgresql://me:secret@db/crawl"})
    factory(plain)
    with pytest.raises(PluginError) as wrong:
        plugins.build("stores", "x", options={"scale": "redis://me:secret@db"})
    assert "secret" not in f"{unknown.value}{wrong.value}"


@pytest.fixture(scope="module")
def topic() -> FittedTopic:
    return fit_topic(TopicSpec.model_validate({"name": "bees", "terms": {"bee": 1.0, "honey": 0.5}}))


EVERY = [(kind, name) for kind in CHOSEN_BY_USERS for name in plugins.names(kind)]


def _wrong(annotation: Any) -> object:
    base = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return "wrong" if base in (int, float, bool) else 12.5


@pytest.mark.parametrize(("kind", "name"), EVERY, ids=lambda value: str(value))
def test_every_plug_in_checks_its_options(kind: str, name: str, topic: FittedTopic) -> None:
    args = (topic,) if kind in ("rankers", "judges") else ()
    declared = options_of(plugins.load(kind, name), positional=len(args))
    assert not declared.open, "takes anything"
    assert all(annotation is not None for annotation in declared.annotations.values()), "an annotation says nothing"
    with pytest.raises(PluginError, match='unknown option "no_such_option"'):
        plugins.build(kind, name, *args, options={"no_such_option": 1})
    for option in declared.names - GIVEN:
        annotation = declared.annotations[option]
        if isinstance(annotation, type) or get_origin(annotation) is Annotated:
            with pytest.raises(FocusCrawlError, match=option):
                plugins.build(kind, name, *args, options={option: _wrong(annotation)})
        if annotation is float or (get_origin(annotation) is Annotated and get_args(annotation)[0] is float):
            with pytest.raises(FocusCrawlError, match=option):
                plugins.build(kind, name, *args, options={option: -1e9})
