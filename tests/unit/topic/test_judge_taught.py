"""The judge that examples correct."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_judges import OFF, ON, page

from focuscrawl import plugins
from focuscrawl.errors import TopicError
from focuscrawl.records import Judgement, PageEvent
from focuscrawl.topic.correction import Correction
from focuscrawl.topic.examples import Example, examples_file, read_examples, write_examples
from focuscrawl.topic.judge_taught import EXAMPLES, UNTAUGHT, TaughtJudge, uncorrected
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.packed import pack_topic, unpack_topic
from focuscrawl.topic.spec import TopicSpec, dump_topic, load_topic

MEAD = """Mead is made of honey and water. Stir the honey into warm water, add yeast, and let the mead ferment for a
month before bottling. A dry mead needs less honey than a sweet one; taste the brew weekly and keep the cellar cool."""
BREWING = """Our brew club met in the cellar. Three kinds of mead were tasted, all of honey from the shop; the yeast
had given up early in one of them, so it was sweet. Bottling follows in a month, when the ferment has ended."""
FILE = """
name = "bees"
language = "en"
[terms]
bee = 0.8
honey = 0.6
beehive = 1.0
"""
NO = Example(url="http://example.org/mead", relevant=False, title="Making mead", text=MEAD)
YES = Example(url="http://example.org/apiary", relevant=True, title="The apiary in spring", text=ON)


def spec(*examples: Example, **data: object) -> TopicSpec:
    given = {"name": "bees", "language": "en", "terms": {"bee": 0.8, "honey": 0.6, "beehive": 1.0}, **data}
    return TopicSpec.model_validate(given).taught(examples)


@pytest.mark.parametrize("name", sorted(plugins.names("judges")))
@given(text=st.sampled_from([ON, OFF, MEAD, BREWING, "", "honey " * 40]), title=st.sampled_from(["", "Bees", "Mead"]))
@settings(max_examples=12, deadline=None)
def test_without_examples_it_is_the_judge(name: str, text: str, title: str) -> None:
    topic = fit_topic(spec())
    plain = plugins.build("judges", name, topic, threshold=0.5)
    taught = TaughtJudge(plugins.build("judges", name, topic, threshold=0.5), topic, Correction(), threshold=0.5)
    found = page(text, title=title)
    assert taught.judge(found) == plain.judge(found)
    assert taught.name == plain.name


def test_a_topic_without_examples_gets_its_judge_and_nothing_else() -> None:
    judge = make_judge(fit_topic(spec()), spec())
    assert type(judge) is plugins.load("judges", "focus")


def test_answers_turn_verdicts_on_pages_alike_and_leave_others() -> None:
    plain, given = spec(), spec(NO, YES)
    before, after = make_judge(fit_topic(plain), plain), make_judge(fit_topic(given), given)
    mead, bees, pool = page(BREWING, title="A tasting of honey mead"), page(ON, title="Hives"), page(OFF)
    assert before.judge(mead).relevant
    assert not after.judge(mead).relevant
    assert after.judge(bees).relevant
    assert not after.judge(pool).relevant
    score = after.judge(mead).score
    assert score.parts[UNTAUGHT] == before.judge(mead).score.value
    assert score.parts[EXAMPLES] < 0.5
    assert "examples speak against it (" in score.reason
    assert "mead" in score.reason


def test_every_part_is_a_share() -> None:
    judge = make_judge(fit_topic(spec(NO, YES)), spec(NO, YES))
    for text in (ON, OFF, MEAD, "", "honey " * 2000):
        verdict = judge.judge(page(text))
        assert 0.0 <= verdict.score.value <= 1.0
        assert all(0.0 <= value <= 1.0 for value in verdict.score.parts.values())
        assert verdict.topic == f"bees@{spec(NO, YES).digest}"


def test_what_examples_have_moved_can_be_moved_back() -> None:
    plain, taught = make_judge(fit_topic(spec()), spec()), make_judge(fit_topic(spec(NO, YES)), spec(NO, YES))
    for text in (ON, OFF, MEAD, BREWING):
        was, moved = plain.judge(page(text)).score, taught.judge(page(text)).score
        assert moved.parts[EXAMPLES] != 0.5
        back = uncorrected(moved)
        assert back.value == was.value
        bounds = {"topicality": (0.01, 0.99), "lead": (0.01, 0.99)}  # no judge is surer
        parts = {name: (value, *bounds.get(name, (0.0, 1.0))) for name, value in was.parts.items()}
        assert back.parts == pytest.approx({name: sorted(three)[1] for name, three in parts.items()})
        assert uncorrected(was) == was


def test_the_order_of_examples_changes_no_bit() -> None:
    here, there = spec(NO, YES), spec(YES, NO)
    one, other = (make_judge(fit_topic(topic), topic).judge(page(BREWING)).score for topic in (here, there))
    assert one == other


def test_a_number_as_threshold_stays_in_force() -> None:
    strict = spec(YES, judge={"threshold": 0.9})
    assert make_judge(fit_topic(strict), strict).judge(page(ON)).threshold == 0.9


def test_what_the_judge_below_learns_from_pages_is_saved_with_the_run() -> None:
    given = spec(YES, judge={"name": "vsm", "feedback": True})
    first, second = (make_judge(fit_topic(given), given) for _ in range(2))
    before = first.judge_again(page(MEAD)).score.value
    for _ in range(30):
        first.judge(page(ON))
        first.judge(page(OFF))
    assert first.judge_again(page(MEAD)).score.value != before
    second.restore(json.loads(json.dumps(first.snapshot())))
    assert second.judge_again(page(MEAD)) == first.judge_again(page(MEAD))


def test_the_judge_below_learns_from_what_other_workers_judged() -> None:
    given = spec(YES)
    here, there = (make_judge(fit_topic(given), given) for _ in range(2))
    verdict = here.judge(page(ON))
    judgement = Judgement(topic=verdict.topic, relevance=verdict.score.value, threshold=verdict.threshold)
    there.learn(PageEvent(url="http://e.org/", host="e.org", key=1, judgement=judgement))
    assert isinstance(learned := there.snapshot()["threshold"], dict)
    assert sum(learned["counts"]) == 1


def test_a_score_of_another_version_of_the_topic_is_not_believed() -> None:
    known = NO.model_copy(update={"score": 0.01, "version": spec().digest})
    stale = NO.model_copy(update={"score": 0.01, "version": "0" * 16})
    found = page(BREWING)

    def value(example: Example) -> float:
        return make_judge(fit_topic(spec(example)), spec(example)).judge(found).score.value

    assert value(known) > value(stale) == pytest.approx(value(NO))


def test_examples_change_the_version_and_none_leave_it() -> None:
    assert spec(NO).digest != spec().digest
    assert spec(NO).untaught_digest == spec().digest == spec().untaught_digest
    assert spec(NO).digest.startswith(spec().digest + "+")
    assert (
        len({spec(*given).digest for given in ((NO,), (YES,), (NO, YES), (NO.model_copy(update={"relevant": True}),))})
        == 4
    )


def test_they_are_read_from_the_file_beside_the_topic(tmp_path: Path) -> None:
    topic = tmp_path / "bees.toml"
    topic.write_text(FILE, encoding="utf-8")
    write_examples(examples_file(topic), "bees", [NO, YES])
    assert read_examples(examples_file(topic)) == (NO, YES)
    loaded = load_topic(str(topic))
    assert loaded.examples == (NO, YES)
    assert unpack_topic(pack_topic(loaded)).examples == (NO, YES)
    assert "examples" in dump_topic(loaded)


def test_an_answer_beside_the_topic_file_counts_before_one_in_it(tmp_path: Path) -> None:
    topic = tmp_path / "bees.toml"
    topic.write_text(FILE + f'[[examples]]\nurl = "{NO.url}"\nrelevant = true\n', encoding="utf-8")
    assert load_topic(str(topic)).examples[0].relevant
    write_examples(examples_file(topic), "bees", [NO])
    assert load_topic(str(topic)).examples == (NO,)


@given(st.text(max_size=200))
def test_any_text_survives_the_file(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("examples") / "bees.examples.toml"
    example = Example(url="http://example.org/", relevant=True, text=text.encode("utf-8", "replace").decode())
    write_examples(path, "bees", [example])
    assert read_examples(path) == (example,)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('url = "http://e.org/"', "examples[0]: relevant is missing: true or false is required"),
        ('url = "e.org/a"\nrelevant = true', "expected an http or https URL"),
        ('url = "http://e.org/"\nrelevant = "yes"', "must be true or false"),
        ('url = "http://e.org/"\nrelevant = true\nscore = 7.0', "must be in [0, 1]"),
        ('url = "http://e.org/"\nrelevant = true\nlabel = 1', "unknown key"),
        (
            'url = "http://e.org/"\nrelevant = true\n[[examples]]\nurl = "http://e.org/"\nrelevant = false',
            "is called relevant once and not relevant once; keep one of the two",
        ),
        ("url = ", "not valid TOML"),
    ],
)
def test_faults_of_the_file_are_told(tmp_path: Path, lines: str, sentence: str) -> None:
    topic = tmp_path / "bees.toml"
    topic.write_text(FILE, encoding="utf-8")
    examples_file(topic).write_text(f"[[examples]]\n{lines}\n", encoding="utf-8")
    with pytest.raises(TopicError) as caught:
        load_topic(str(topic))
    assert sentence in str(caught.value)
    assert "bees.examples.toml" in str(caught.value)


def test_the_file_is_no_topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from focuscrawl.topic.files import topic_files

    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics").mkdir()
    topic = tmp_path / "topics" / "bees.toml"
    topic.write_text(FILE, encoding="utf-8")
    write_examples(examples_file(topic), "bees", [NO])
    assert [path.stem for path in topic_files() if "bees" in path.stem] == ["bees"]
