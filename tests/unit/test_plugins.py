"""Look-up of plug-ins."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from focuscrawl import plugins
from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.errors import PluginError, StoreError, TopicError
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import load_topic


def test_built_ins_are_registered() -> None:
    assert "blocks" in plugins.names("extractors")
    assert plugins.build("extractors", "blocks").name == "blocks"


def test_a_typo_names_the_nearest_known_name() -> None:
    with pytest.raises(PluginError, match=r'"block": unknown extractor; known: .*Did you mean "blocks"'):
        plugins.load("extractors", "block")


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(PluginError, match="unknown kind"):
        plugins.load("widgets", "x")


def test_a_wrong_option_names_the_plug_in() -> None:
    with pytest.raises(PluginError, match='extractor "blocks"'):
        plugins.build("extractors", "blocks", colour="red")


def test_an_unknown_option_names_those_there_are() -> None:
    with pytest.raises(
        PluginError, match=r'judge "focus": unknown option "treshold"; known: .*Did you mean "threshold"'
    ):
        plugins.build("judges", "focus", None, treshold=0.3)


def test_an_unknown_option_of_a_topics_judge_names_the_threshold_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "lamps.toml"
    path.write_text('name = "lamps"\n[terms]\n"lamp" = 1.0\n[judge]\nname = "vsm"\ntreshold = 0.2\n', encoding="utf-8")
    spec = load_topic(str(path))
    with pytest.raises(TopicError, match=r'unknown option "treshold"; known: .*threshold.* Did you mean "threshold"'):
        make_judge(fit_topic(spec), spec)


def test_a_missing_argument_names_the_plug_in() -> None:
    with pytest.raises(PluginError, match="judge \"focus\": missing a required argument: 'topic'"):
        plugins.build("judges", "focus")


def test_a_factory_that_raises_is_named_with_the_line_that_did(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*, depth: int = 3) -> None:
        raise TypeError("int() argument must be a string")

    monkeypatch.setattr(plugins, "load", lambda kind, name: broken)
    line = broken.__code__.co_firstlineno + 1
    expected = rf'^extractor "broken" cannot be built: TypeError: .* must be a string \({__file__}, line {line}\)$'
    with pytest.raises(PluginError, match=expected) as raised:
        plugins.build("extractors", "broken", depth=2)
    assert isinstance(raised.value.__cause__, TypeError)


def test_a_sentence_of_a_factory_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise StoreError("titles: the disk is full")

    monkeypatch.setattr(plugins, "load", lambda kind, name: refused)
    with pytest.raises(StoreError, match=r"^titles: the disk is full$"):
        plugins.build("stores", "titles")


def test_a_strategy_whose_factory_returns_nothing_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(topic: object, *, seed: int = 0, weights: object = None) -> None:
        """Forget the return."""

    spec = load_topic("web-crawling")
    model, load = fit_topic(spec), plugins.load
    monkeypatch.setattr(plugins, "load", lambda kind, name: made if name == "mine" else load(kind, name))
    with pytest.raises(PluginError, match=r'^strategy "mine" cannot be built: its factory returns nothing\.$'):
        build_step(spec, model, choices=StepChoices(strategy="mine"))


def test_a_module_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unreadable_plug_in.py").write_text("def made(:\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("mine", "unreadable_plug_in:made", "focuscrawl.stores")
    monkeypatch.setattr(plugins, "_registered", lambda kind: {"mine": (point,)})
    expected = r'^store "mine" \(unreadable_plug_in:made\) cannot be loaded: SyntaxError: .*line 1'
    with pytest.raises(PluginError, match=expected):
        plugins.load("stores", "mine")


def test_a_ranker_is_called_a_strategy() -> None:
    with pytest.raises(PluginError, match='"shrak": unknown strategy'):
        plugins.load("rankers", "shrak")


def test_a_name_offered_twice_names_both(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "focuscrawl.scorers"
    points = (EntryPoint("x", "one.module:A", group), EntryPoint("x", "two.module:B", group))
    monkeypatch.setattr(plugins, "_registered", lambda kind: {"x": points})
    with pytest.raises(PluginError, match=r"offered twice, by one\.module:A .* and two\.module:B"):
        plugins.load("scorers", "x")
