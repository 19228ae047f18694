from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.cases import Laboratory
from focuscrawl.lab.simulate.generator import generate_web, generate_webs
from focuscrawl.lab.simulate.generator_knobs import FAMILIES, WebKnobs, parse_knobs
from focuscrawl.lab.simulate.links import LinkGraph
from focuscrawl.lab.simulate.recorded import RecordedWeb

SMALL = WebKnobs(hosts=10, articles=30, topics=2, topical_share=0.2, trap_pages=20, words=40, boilerplate=4)


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def distance(web: RecordedWeb, topic: str) -> int:
    """Clicks from the portal to the nearest page on the topic that is not a stray one."""
    laboratory = Laboratory()
    measure = laboratory.yardstick(str(web.root), topic, "portal")
    graph = laboratory.graph(str(web.root))
    level, known = {graph.index["portal.test/index.html"]}, set()
    for clicks in range(20):
        if any(graph.pages[n] in measure.relevant for n in level):
            return clicks
        known |= level
        level = {t for n in level for t in graph.targets[n]} - known
    raise AssertionError("not reached")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_labelled_page_exists_and_can_be_reached_from_all_starts(tmp_path: Path, language: str) -> None:
    web = RecordedWeb(generate_web(tmp_path / "web", replace(SMALL, language=language)))
    laboratory = Laboratory()
    assert len(web.topic_names()) == 2
    for name in web.topic_names():
        topic = web.topic(name)
        assert topic.unknown_labels == 0
        on_topic = sum(grade == 2 for grade in topic.grades.values())
        for start in ("far", "portal"):
            assert len(laboratory.yardstick(str(web.root), name, start).relevant) == on_topic
        assert laboratory.yardstick(str(web.root), name, "near").relevant
        assert web.spec(name, "near").language == language


def test_the_same_knobs_give_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    first = contents(generate_web(tmp_path / "x" / "web", SMALL))
    assert contents(generate_web(tmp_path / "y" / "web", SMALL)) == first
    assert contents(generate_web(tmp_path / "other", replace(SMALL, seed=1))) != first


@pytest.mark.parametrize("tunnel", [0, 1, 4])
def test_a_tunnel_is_as_long_as_it_was_ordered(tmp_path: Path, tunnel: int) -> None:
    knobs = replace(SMALL, tunnel=tunnel, stray=0.0, related=0.0)
    web = RecordedWeb(generate_web(tmp_path / "web", knobs))
    # portal -> home -> tunnel … -> listing -> article
    assert {distance(web, topic) for topic in web.topic_names()} == {3 + tunnel}


def test_purity_and_anchor_quality(tmp_path: Path) -> None:
    def labelled(purity: float) -> int:
        knobs = replace(SMALL, purity=purity, articles=60, stray=0.0)
        web = RecordedWeb(generate_web(tmp_path / f"purity{purity}", knobs))
        return sum(g == 2 for name in web.topic_names() for g in web.topic(name).grades.values())

    # two topics with two hosts of 60 articles each
    assert labelled(0.2) == pytest.approx(0.2 * 240, rel=0.4)
    assert labelled(0.8) == pytest.approx(0.8 * 240, rel=0.15)
    dull = contents(generate_web(tmp_path / "dull", replace(SMALL, anchor_quality=0.0)))
    telling = contents(generate_web(tmp_path / "telling", replace(SMALL, anchor_quality=1.0)))
    assert sum(b">read more<" in body for body in dull.values()) > 50
    assert sum(b">read more<" in body for body in telling.values()) < 20


def load_graph(web: RecordedWeb) -> LinkGraph:
    return Laboratory().graph(str(web.root))


def graded(web: RecordedWeb, grade: int) -> list[str]:
    return [page for name in web.topic_names() for page, g in web.topic(name).grades.items() if g == grade]


def make(folder: Path, **knobs: object) -> RecordedWeb:
    name = "-".join(f"{k}{v}" for k, v in knobs.items())
    return RecordedWeb(generate_web(folder / name, replace(SMALL, **knobs)))  # type: ignore[arg-type]


def test_topical_share_is_the_share_of_hosts_that_have_a_topic(tmp_path: Path) -> None:
    for share, hosts in ((0.1, 1), (0.3, 3)):
        web = make(tmp_path, topical_share=share, stray=0.0)
        for name in web.topic_names():
            assert len({page.partition("/")[0] for page in web.topic(name).grades}) == hosts


def test_related_and_stray_pages_are_as_many_as_ordered(tmp_path: Path) -> None:
    # two topics with two hosts of 30 articles each; six other hosts
    assert len(graded(make(tmp_path, related=0.0), 1)) == 0
    assert len(graded(make(tmp_path, related=0.4), 1)) == pytest.approx(0.4 * 120, rel=0.35)
    few, many = make(tmp_path, stray=0.0, purity=0.3), make(tmp_path, stray=0.3, purity=0.3)
    assert len({page.partition("/")[0] for page in graded(few, 2)}) == 4
    assert len({page.partition("/")[0] for page in graded(many, 2)}) == 10
    assert len(graded(many, 2)) - len(graded(few, 2)) == pytest.approx(0.3 * 180, rel=0.4)


def test_urls_name_their_subject_as_often_as_ordered(tmp_path: Path) -> None:
    for quality in (0.0, 0.5, 1.0):
        web = make(tmp_path, url_quality=quality, anchor_quality=0.0, articles=60)
        pages = [(name, page) for name in web.topic_names() for page, g in web.topic(name).grades.items() if g == 2]
        telling = sum(f"/{name}-" in page for name, page in pages)
        assert telling / len(pages) == pytest.approx(quality, abs=0.15)


def test_length_of_texts_and_size_of_traps(tmp_path: Path) -> None:
    def words(web: RecordedWeb) -> int:
        return len(web.files.read(graded(web, 2)[0]).decode().partition("<p>")[2].partition("</p>")[0].split())

    short, long = make(tmp_path, words=40), make(tmp_path, words=200)
    assert (words(short), words(long)) == (40, 200)
    for pages in (20, 50):
        web = make(tmp_path, trap_pages=pages, traps=1)
        assert sum("/calendar/" in file for file in web.files.files) == pages


def test_traps_and_boilerplate(tmp_path: Path) -> None:
    web = RecordedWeb(generate_web(tmp_path / "web", replace(SMALL, traps=3, boilerplate=7)))
    assert sum("/calendar/" in f for f in web.files.files) == 3 * 20
    home = web.files.read("site0.test/index.html").decode()
    assert home.count('.html">') >= 7


def test_a_named_listing_carries_the_topic_in_its_link(tmp_path: Path) -> None:
    def named(chance: float) -> int:
        web = make(tmp_path, named=chance, tunnel=0)
        return sum(f"/{name}/index.html" in file for name in web.topic_names() for file in web.files.files)

    assert named(0.0) == 0
    assert named(1.0) == 4  # two topics with two hosts each


def test_posts_of_a_chain_hang_from_the_post_before_them(tmp_path: Path) -> None:
    web = make(tmp_path, chain=1, related=0.0, stray=0.0, purity=0.9, anchor_quality=0.0)
    assert not any("/page/2/" in file for file in web.files.files)
    depth = max(distance(web, name) for name in web.topic_names())
    links = load_graph(web)
    assert depth == 3 + SMALL.tunnel
    for name in web.topic_names():
        on_topic = [page for page, grade in web.topic(name).grades.items() if grade == 2]
        sources = [len(links.sources[links.index[page]]) for page in on_topic]
        assert sum(count <= 3 for count in sources) > 0.7 * len(sources)  # post before, post after, a fellow


def test_a_tag_cloud_stands_on_every_page_and_has_the_topic_once(tmp_path: Path) -> None:
    web = make(tmp_path, tags=12)
    assert sum("/tag/" in file for file in web.files.files) == 12 * SMALL.hosts
    home = web.files.read("site3.test/index.html").decode()
    assert home.count("/tag/") == 12
    clouds = [web.files.read(f"site{n}.test/index.html").decode() for n in range(SMALL.hosts)]
    for name in web.topic_names():
        assert sum(f">{web.topic(name).title}</a>" in cloud for cloud in clouds) == 2


def test_dense_webs_link_across_hosts(tmp_path: Path) -> None:
    def across(strangers: int) -> float:
        links = load_graph(make(tmp_path, strangers=strangers))
        pairs = [(a, links.pages[t]) for a, targets in zip(links.pages, links.targets, strict=True) for t in targets]
        return sum(a.partition("/")[0] != b.partition("/")[0] for a, b in pairs) / len(links.pages)

    assert across(4) > across(0) + 2


def test_foreign_hosts_are_written_in_the_other_language(tmp_path: Path) -> None:
    web = make(tmp_path, foreign=0.5)
    homes = [web.files.read(f"site{n}.test/index.html").decode() for n in range(SMALL.hosts)]
    assert sum('lang="zh"' in home for home in homes) == 3  # half of the six hosts without a topic
    for name in web.topic_names():
        assert all('lang="en"' in web.files.read(p).decode() for p, g in web.topic(name).grades.items() if g == 2)


def test_spam_repeats_words_of_a_topic_and_has_no_label(tmp_path: Path) -> None:
    web = make(tmp_path, spam=2)
    pages = [file for file in web.files.files if file.startswith("spam")]
    assert len(pages) == 120
    labelled = {page for name in web.topic_names() for page in web.topic(name).grades}
    assert labelled.isdisjoint(pages)
    words = web.topic(web.topic_names()[0]).keywords
    text = web.files.read("spam0.test/index.html").decode()
    assert sum(text.count(word) for word in words) > 20


def test_there_are_twelve_families_or_more_each_of_its_own(tmp_path: Path) -> None:
    assert len(FAMILIES) >= 12
    assert len({parse_knobs(knobs) for knobs in FAMILIES.values()}) == len(FAMILIES)
    size = "articles=18,hosts=8,topical_share=0.25,trap_pages=5,boilerplate=2,words=12"
    for path in generate_webs([f"{knobs},{size}" for knobs in FAMILIES.values()], tmp_path):
        web = RecordedWeb(Path(path))
        assert len(web.topic_names()) == 2
        assert all(2 in web.topic(name).grades.values() for name in web.topic_names())


def test_knobs_from_text() -> None:
    assert parse_knobs("") == WebKnobs()
    assert parse_knobs("language=zh, tunnel=3,purity=0.25") == WebKnobs(language="zh", tunnel=3, purity=0.25)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tunel=3", "expected name=value"),
        ("tunnel", "expected name=value"),
        ("tunnel=deep", "expected int"),
        ("tunnel=5", "tunnel = 5: must be 0 to 4"),
        ("purity=2", r"purity = 2.0: must be in \[0, 1\]"),
        ("language=fr", "language 'fr' is unknown; known: en, zh"),
        ("topics=9", "topics = 9: must be 1 to 5"),
        ("hosts=1", "hosts = 1: must be 3 or more"),
        ("chain=2", "chain = 2: must be 0 or 1"),
        ("spam=-1", "spam = -1: must be 0 or more"),
    ],
)
def test_wrong_knobs_are_explained(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        parse_knobs(text)
