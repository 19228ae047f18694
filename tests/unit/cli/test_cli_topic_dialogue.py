"""The dialogue of ``focuscrawl topic new`` between a plain reader and a plain writer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from focuscrawl.cli.main import run
from focuscrawl.cli.topic_dialogue import Choice, Dialogue
from focuscrawl.cli.topic_maker import Made, Target, make_topic
from focuscrawl.cli.topic_sources import Sources
from focuscrawl.errors import TopicError
from focuscrawl.topic.spec import load_topic
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import Language, Say

BONSAI = (
    "<html><head><title>Pruning a juniper bonsai</title></head><body><h1>Pruning a juniper bonsai</h1><p>"
    + "A juniper bonsai is pruned in spring. Copper wire bends the branches of the bonsai, and the copper wire stays"
    " for a season. Repotting follows: the roots are combed, and akadama drains well. </p></body></html>"
)


class Person:
    """Gives its lines one by one, and keeps what it was shown; `stop` is Ctrl-C."""

    def __init__(self, *lines: str | type[KeyboardInterrupt], language: Language = "en") -> None:
        self._lines = list(lines)
        self.shown = ""
        self.say = Say(language)
        self.dialogue = Dialogue(self._read, self._write, self.say)

    def _read(self) -> str:
        line = self._lines.pop(0) if self._lines else ""
        if not isinstance(line, str):
            raise line
        return line

    def _write(self, text: str) -> None:
        self.shown += text

    @property
    def left(self) -> int:
        """How many lines it was not asked for."""
        return len(self._lines)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bonsai.html").write_text(BONSAI, encoding="utf-8")
    return tmp_path


def made(person: Person, sources: Sources | None = None, target: Target | None = None) -> Made | None:
    return make_topic(
        sources or Sources(),
        target or Target(),
        dialogue=person.dialogue,
        take=0,
        say=person.say,
        tell=person.dialogue.tell,
    )


def test_a_topic_is_made_by_questions(here: Path) -> None:
    (here / "marks.txt").write_text("http://a.example/bonsai\nhttp://b.example/\n", encoding="utf-8")
    person = Person(
        "The care of bonsai trees\n",
        "bonsai|盆景, history=0.3, x=7\n",  # refused, and asked for again
        "bonsai|盆景, history=0.3\n",
        "gardening\n",  # searched among the classes
        "1\n",
        "bonsai.htm\n",  # a slip, told at once
        "bonsai.html\n",
        "marks.txt\n",
        "\n",  # no more examples
        "\n",  # no run
        "what?\n",  # neither yes nor no
        "\n",  # "trees", of the sentence; "care" is none of its words
        "y\n",
        "q\n",  # enough words
        "Bonsai\n",
        "\n",  # the name that is offered
        "\n",  # "history" hits too much: not kept
        "\n",  # write it
    )
    done = made(person)
    assert done is not None
    assert done.path == Path("topics/bonsai.toml")
    spec = load_topic("topics/bonsai.toml")
    assert (spec.title, spec.description) == ("Bonsai", "The care of bonsai trees")
    assert spec.classification.startswith("clc:")
    assert spec.terms["bonsai"] == 1.0
    assert spec.synonyms["bonsai"][:1] == ("盆景",)
    assert "history" not in spec.terms
    assert "trees" in spec.terms
    assert spec.seed_urls() == ["http://a.example/bonsai", "http://b.example/"]
    assert len(spec.samples.relevant_text) == 1
    assert "Strongest words:" in person.shown
    assert words.YES_OR_NO.en in person.shown
    assert "bonsai.htm: no such file, nor a page address." in person.shown
    assert '"history" hits too much' in person.shown
    assert f"Next: focuscrawl crawl {done.path}" in person.shown
    assert person.left == 0


def test_the_dialogue_and_the_file_are_in_chinese(here: Path) -> None:
    person = Person("\n", "榫卯，明式家具\n", "\n", "\n", "\n", "明式家具\n", "sunmao\n", "是\n", language="zh")
    assert made(person) is not None
    assert words.WELCOME.zh in person.shown
    assert "已写入 topics/sunmao.toml" in person.shown
    assert "抓取的起点" in (here / "topics" / "sunmao.toml").read_text(encoding="utf-8")
    assert load_topic("topics/sunmao.toml").language == "zh"


def test_what_cannot_be_taken_is_said_in_chinese(here: Path) -> None:
    answers = ("\n", "茶=9\n", "榫卯\n", "\n", "\n", "\n", "榫卯\n", "榫卯\n", "sunmao\n", "是\n")
    person = Person(*answers, language="zh")
    assert made(person) is not None
    assert '"茶=9"：应为一个词，如 茶、茶=0.5 或 茶|tea；权重在 (0, 1] 之内' in person.shown
    assert '"榫卯"：只能用小写字母 a-z、数字和连字符' in person.shown


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--about", "中医食疗"], 1, "没有可以作短名的字母 a-z：请给一个，例如 focuscrawl topic new xiangqi …"),
        (["tea", "--words", "茶", "--out", "bonsai.html"], 1, "bonsai.html：已经存在；--force 会覆盖它"),
        (["tea", "--words", "茶", "--out", "."], 1, ".：是文件夹；请用 --out 指定文件"),
        (["tea", "--words", "茶=2"], 2, '"茶=2"：应为一个词'),
        (["tea", "--words", "茶", "--class", "clc:ZZ"], 2, '"clc:ZZ"：没有这个类号；可用：Z, Z1'),
        (["tea", "--words", "茶", "--class", "clc:R25"], 2, "分类表只到第二级。您是不是想写 clc:R2, 中国医学"),
    ],
)
def test_refusals_are_in_chinese(
    here: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_LANG", "zh")
    with pytest.raises(SystemExit) as ended:
        run(["topic", "new", *arguments])
    assert ended.value.code == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("answered", range(8))
def test_ctrl_c_at_any_question_leaves_nothing(here: Path, answered: int) -> None:
    answers = ["\n", "bonsai\n", "\n", "bonsai.html\n", "\n", "\n", "y\n", "q\n"][:answered]
    person = Person(*answers, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        made(person)
    assert sorted(path.name for path in here.rglob("*")) == ["bonsai.html"]


def test_the_end_of_the_input_is_like_ctrl_c(here: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        made(Person("\n"))
    assert not (here / "topics").exists()


@pytest.mark.parametrize(("answer", "overwritten"), [("\n", False), ("y\n", True)])
def test_a_file_is_overwritten_only_when_told(here: Path, answer: str, overwritten: bool) -> None:
    (here / "mine.toml").write_text("old", encoding="utf-8")
    person = Person("\n", answer)
    target = Target(name="bonsai", out=Path("mine.toml"))
    assert (made(person, Sources(words="bonsai"), target) is not None) is overwritten
    assert ((here / "mine.toml").read_text(encoding="utf-8") != "old") is overwritten
    assert "mine.toml is there already" in person.shown


def test_a_sample_that_does_not_fit_is_left_out_when_told(here: Path) -> None:
    (here / "bonds.txt").write_text("Quarterly dividends rose while bond yields fell in Frankfurt. " * 6)
    (here / "bonsai2.html").write_text(BONSAI.replace("spring", "autumn"))
    sources = Sources(words="bonsai", examples=["bonsai.html", "bonds.txt", "bonsai2.html"])
    person = Person("q\n", "\n", "\n", "\n")
    done = made(person, sources, Target(name="bonsai"))
    assert done is not None
    assert "bonds.txt shares hardly any words with the rest" in person.shown
    assert len(done.spec.samples.relevant_text) == 2
    assert not any("dividends" in text for text in done.spec.samples.relevant_text)


def test_nothing_is_no_topic(here: Path) -> None:
    with pytest.raises(TopicError, match="nothing says"):
        made(Person(*["\n"] * 5))


def test_an_example_that_cannot_be_read_is_told_and_left_out(here: Path) -> None:
    person = Person("q\n", "\n", "\n")
    done = made(person, Sources(words="bonsai", examples=["gone.html", "bonsai.html"]), Target(name="bonsai"))
    assert done is not None
    assert "Left out: gone.html: there is no such file" in person.shown
    assert len(done.faults) == 1


def test_an_earlier_run_gives_texts_seeds_and_pages_to_count_on(here: Path, sample: Any) -> None:
    text = "The bonsai is pruned and repotted in akadama; copper wire bends the branches of the bonsai."
    for number in range(24):
        on_topic = number % 2 == 0
        sample.add_page(
            f"http://{'a' if on_topic else 'b'}.example/{number}",
            number,
            title="Bonsai" if on_topic else "Shop",
            text=f"{text} {number}" if on_topic else "Pots and akadama in the shop.",
            relevant=on_topic,
            relevance=0.9 if on_topic else 0.1,
        )
    run = str(sample.folder.path)
    person = Person("q\n", "\n", "y\n", "\n")
    done = made(person, Sources(words="bonsai, akadama", run=run), Target(name="bonsai"))
    assert done is not None
    assert [(one.word, one.run_share) for one in done.findings.common] == [("akadama", 1.0)]
    assert '"akadama" hits too much: 100% of 12 other pages of the run have it.' in person.shown
    assert len(done.spec.samples.relevant_text) == 8
    assert done.spec.seed_urls() == ["http://a.example/0"]
    person = Person("\n", "y\n", "n\n", "\n")
    done = made(person, Sources(words="akadama, bonsai", against=run), Target(name="other"))
    assert done is not None
    assert set(done.spec.terms) == {"akadama"}


def test_a_choice_is_a_number_in_any_script() -> None:
    person = Person("２\n", "9\n", "x\n", "\n")
    assert [person.dialogue.pick("Which?", ["a", "b"]) for _ in range(4)] == [1, None, None, None]
    assert Person("Ｎ\n").dialogue.choose("?") is Choice.NO


def test_the_kind_of_a_list_of_bookmarks_is_in_chinese(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "list.txt").write_text("http://a.example/茶叶\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        run(["topic", "new", "tea", "--words", "茶", "--bookmarks", "list.txt", "--lang", "zh"])
    assert ended.value.code == 0
    assert "list.txt：网址列表，1 个地址" in capsys.readouterr().out


def test_json_is_english_whatever_is_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["topic", "new", "tea", "--words", "茶", "--json", "--lang", "zh"])
    shown = capsys.readouterr()
    assert ended.value.code == 0
    assert json.loads(shown.out)["next"].startswith("Next: focuscrawl seeds find topics/tea.toml")
    assert "下一步" in shown.err
