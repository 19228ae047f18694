"""Topics inside packages, on disk and in an egg."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from focuscrawl.errors import TopicError
from focuscrawl.topic.packaged import packaged_topic
from focuscrawl.topic.spec import load_topic

_TOPIC = """
name = "tea"
[terms]
tea = 1.0
[samples]
relevant = ["samples/*.txt"]
"""


@pytest.fixture(params=["folder", "egg"])
def package(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"shop_{request.param}"
    contents = {
        "__init__.py": "",
        "topics/tea.toml": _TOPIC,
        "topics/samples/leaf.txt": "Green tea is steamed, black tea is withered.",
        "topics/faulty.toml": "name = 3",
    }
    place = tmp_path / "shop.egg"
    if request.param == "egg":
        with zipfile.ZipFile(place, "w") as egg:
            for inside, text in contents.items():
                egg.writestr(f"{name}/{inside}", text)
    else:
        for inside, text in contents.items():
            path = place / name / inside
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(place))
    yield name
    sys.modules.pop(name, None)


def test_a_topic_of_a_package_is_read_with_its_samples(package: str) -> None:
    reference = f"pkg:{package}/topics/tea.toml"
    spec = load_topic(reference)
    assert spec.name == "tea"
    assert [sample.text for sample in spec.samples_loaded()] == ["Green tea is steamed, black tea is withered."]
    assert spec.reference == reference
    assert load_topic(spec.reference).digest == spec.digest


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ("/topics/coffee.toml", "has no file topics/coffee.toml"),
        ("", "expected pkg:PACKAGE/FOLDER/FILE.toml"),
        ("/../secret.toml", "expected pkg:PACKAGE/FOLDER/FILE.toml"),
        ("/topics/faulty.toml", "faulty.toml"),
    ],
)
def test_what_is_wrong_is_one_sentence(package: str, inside: str, told: str) -> None:
    with pytest.raises(TopicError, match=told):
        load_topic(f"pkg:{package}{inside}")


def test_a_package_that_is_not_there_is_named() -> None:
    with pytest.raises(TopicError, match="there is no package no_such_shop to import"):
        packaged_topic("pkg:no_such_shop/tea.toml")


def test_a_relative_topic_is_looked_for_from_the_project_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scrapy.cfg").touch()
    (tmp_path / "kinds").mkdir()
    (tmp_path / "kinds" / "tea.toml").write_text('name = "tea"\nterms = {tea = 1.0}\n', encoding="utf-8")
    below = tmp_path / "library" / "spiders"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert load_topic("kinds/tea.toml").path == tmp_path / "kinds" / "tea.toml"
    with pytest.raises(TopicError, match=r"kinds/coffee\.toml: there is no such file"):
        load_topic("kinds/coffee.toml")
