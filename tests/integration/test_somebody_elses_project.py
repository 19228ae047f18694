"""What a spider finds in plain Scrapy it finds with the add-on, too: the same project is crawled both ways."""

from __future__ import annotations

import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from project_kit import Done, Project, start_project
from site_kit import Site

# Follows all links two steps deep, and does what spiders do besides; the callback tells what it finds.
_SPIDER = """
import scrapy
from scrapy.http import Request


class BookSpider(scrapy.Spider):
    name = "book"
    allowed_domains = ["127.0.0.1"]
    seed = ""

    async def start(self):
        yield Request(self.seed + "/cookie/a")
        yield Request(self.seed + "/shell")
        yield Request(self.seed + "/status/404", errback=self.sorry)

    def sorry(self, failure):
        yield {"sorry": failure.request.url}

    def parse(self, response):
        yield {"url": response.url, "depth": response.meta.get("depth"), "again": response.meta.get("again", 0)}
        if response.meta.get("again"):
            return  # followed the first time: a link found once more may be queued anew, with a greater depth
        yield from response.follow_all(css="a")
        if "/cookie/" in response.url:
            yield Request("data:text/html,<title>inside</title>", callback=self.inside, dont_filter=True)
            yield Request("http://elsewhere.test/page/1")
            for again in (1, 2):
                yield response.request.replace(dont_filter=True, meta={**response.meta, "again": again})

    def inside(self, response):
        yield {"inside": response.css("title::text").get(), "depth": response.meta["depth"]}
"""


@dataclass
class BothWays:
    """A crawl of plain Scrapy and one with the add-on, of the same project; each with what the site was asked."""

    plain: Done
    ours: Done
    asked_by_plain: list[dict[str, object]]
    asked_by_ours: list[dict[str, object]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, _site: Site) -> Project:
    made = start_project(tmp_path_factory.mktemp("theirs") / "project", _site.url("/"))
    made.spider(_SPIDER)
    return made


@pytest.fixture(scope="module")
def both(project: Project, _site: Site) -> BothWays:
    seed = f"seed={_site.url('')}"
    theirs = {"DEPTH_LIMIT": 2, "AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0}
    asked, done = [], []
    for more in ({"ADDONS": "{}"}, {}):
        _site.clear()
        _site.robots(200, "User-agent: *\nDisallow: /page/7\n")
        one = project.crawl("-a", seed, **theirs, **more)
        done.append(one)
        asked.append(_site.log())
    _site.clear()
    return BothWays(*done, *asked)


def _found(done: Done) -> Counter[tuple[str, object, int]]:
    return Counter((item["url"], item["depth"], item["again"]) for item in done.items if "url" in item)


def test_the_same_pages_are_found_at_the_same_depth(both: BothWays) -> None:
    assert both.ours.exit_code == both.plain.exit_code == 0, both.ours.err
    assert {url for url, _, _ in _found(both.ours)} == {url for url, _, _ in _found(both.plain)}
    assert {depth for _, depth, _ in _found(both.ours)} == {0, 1, 2}
    seeds = [item["depth"] for item in both.ours.items if item.get("again") == 0 and "/cookie/" in item["url"]]
    assert seeds == [0]
    assert both.ours.stats["request_depth_max"] == 2
    assert both.ours.stats["depth/request_ignored_count"] > 0


def test_a_request_that_asks_again_is_fetched_again_and_counted(both: BothWays) -> None:
    asked = [line["path"] for line in both.asked_by_ours]
    assert asked.count("/cookie/a") == [line["path"] for line in both.asked_by_plain].count("/cookie/a") == 3
    assert {again for url, _, again in _found(both.ours) if url.endswith("/cookie/a")} == {0, 1, 2}
    assert both.ours.stats["focuscrawl/fetched_again"] == 2
    assert both.ours.err.count("is fetched again, for its request has dont_filter") == 1
    others = [path for path in asked if path != "/cookie/a"]
    assert len(others) == len(set(others))


def test_data_urls_run_their_callback(both: BothWays) -> None:
    inside = [item for item in both.plain.items if "inside" in item]
    assert inside
    assert [item for item in both.ours.items if "inside" in item] == inside


def test_errbacks_are_heard(both: BothWays) -> None:
    sorry = [item["sorry"] for item in both.plain.items if "sorry" in item]
    assert [item["sorry"] for item in both.ours.items if "sorry" in item] == sorry
    assert len(sorry) == 1


def test_referrers_are_sent_as_the_policy_of_the_project_says(both: BothWays) -> None:
    def referrers(asked: list[dict[str, object]]) -> dict[object, set[object]]:
        found: dict[object, set[object]] = {}
        for line in asked:
            found.setdefault(line["path"], set()).add(line["referer"])
        return found

    plain, ours = referrers(both.asked_by_plain), referrers(both.asked_by_ours)
    # Which of several pages a link is followed from differs with the order; the page that is asked first is one.
    assert ours["/page/3"] == plain["/page/3"]
    assert {path for path, by in ours.items() if by != {None}} == {path for path, by in plain.items() if by != {None}}


def test_cookies_are_kept_as_the_project_says(both: BothWays) -> None:
    def with_cookie(asked: list[dict[str, object]]) -> set[object]:
        early = ("/status/404", "/shell")  # before or after the cookie was given
        return {line["path"] for line in asked if line["cookie"] == "shelf=a" and line["path"] not in early}

    assert with_cookie(both.asked_by_ours) >= {"/cookie/a", "/page/3", "/page/6"}
    assert with_cookie(both.asked_by_ours) == with_cookie(both.asked_by_plain)


def test_allowed_domains_hold(both: BothWays) -> None:
    assert both.ours.stats["offsite/filtered"] == both.plain.stats["offsite/filtered"]
    assert not [record for record in both.ours.pages() if "elsewhere" in record.url]


def test_what_the_frontier_replaces_is_one_line_at_the_start(both: BothWays) -> None:
    assert both.ours.err.count("which have no effect: AUTOTHROTTLE_ENABLED (") == 1
    assert "scrapy.extensions.throttle.AutoThrottle" not in both.ours.err
    assert "which have no effect" not in both.plain.err


def test_stats_have_scrapys_names_and_those_of_the_crawl(both: BothWays) -> None:
    plain, ours = both.plain.stats, both.ours.stats
    for name in ("robotstxt/request_count", "robotstxt/response_count", "robotstxt/response_status_count/200"):
        assert ours[name] == plain[name] == 1
    assert ours["robotstxt/forbidden"] == plain["robotstxt/forbidden"] == 1
    assert ours["scheduler/enqueued"] == ours["scheduler/dequeued"] == plain["scheduler/dequeued"]
    assert ours["dupefilter/filtered"] > 0
    pages = {url for url, _, _ in _found(both.ours)}
    assert ours["focuscrawl/fetched"] == len(pages)
    assert ours["focuscrawl/relevant"] == round(ours["focuscrawl/harvest"] * len(pages))
    assert 0 < ours["focuscrawl/relevant_hosts"] <= ours["focuscrawl/hosts"] == 1
    assert 0 < ours["focuscrawl/threshold"] < 1
    assert 0 < ours["focuscrawl/harvest_recent"] <= 1
    assert ours["focuscrawl/needs_javascript"] == 1
    assert both.ours.page("/shell").reason == "its text needs JavaScript, which is not run"
    assert ours["focuscrawl/queued"] == ours["focuscrawl/in_flight"] == 0
    assert ours["focuscrawl/no_page"] == 2
    assert ours["focuscrawl/no_page/HTTP 404"] == ours["focuscrawl/no_page/forbidden by robots.txt"] == 1
    assert not [name for name in plain if name.startswith("focuscrawl/")]


_TITLE = "response.css('title::text').get()"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("Lighthouse 3", ("fetch", "--nolog", "{seed}/page/3")),
        ("/page/3'", ("parse", "--spider", "book", "-c", "parse", "{seed}/page/3")),
        ("Lighthouse 3", ("shell", "--nolog", "-c", _TITLE, "{seed}/page/3")),
        ("Lighthouse 3", ("shell", "--nolog", "--spider", "book", "-c", _TITLE, "{seed}/page/3")),
    ],
)
def test_commands_that_look_at_a_page_begin_no_crawl(
    project: Project, site: Site, told: str, words: tuple[str, ...]
) -> None:
    done = project.scrapy(*(word.format(seed=site.url("")) for word in words), FOCUSCRAWL_RUN="looked-at")
    assert done.exit_code == 0, done.err
    assert told in done.out, done.err
    assert not (project.folder / "looked-at").exists()


def test_the_bundled_spiders_come_with_a_line_and_one_spider_goes_without_the_add_on(
    site: Site, tmp_path: Path
) -> None:
    project = start_project(tmp_path / "project", site.url("/page/3"))
    project.settings("""
        SPIDER_MODULES = ["library.spiders", "focuscrawl.spiders"]
        """)
    project.spider(
        f"""
        import scrapy


        class PlainSpider(scrapy.Spider):
            name = "plain"
            custom_settings = {{"ADDONS": {{}}}}
            start_urls = ["{site.url("/page/3")}"]

            def parse(self, response):
                yield {{"url": response.url}}
        """,
        name="plain",
    )
    plain = project.scrapy("crawl", "plain", "-O", "items.jsonl")
    assert (plain.exit_code, len(plain.items)) == (0, 1), plain.err
    assert not any(name.startswith("focuscrawl/") for name in plain.stats)
    assert not (project.folder / "run").exists()
    focused = project.scrapy("crawl", "focused", "-a", "topic=lighthouses.toml", "-a", "pages=3", "-a", "run=led")
    assert focused.stats["focuscrawl/fetched"] == 3, focused.err
    visited = project.scrapy("crawl", "recrawl", "-a", "run=led", "-a", "pages=1")
    assert "Visited    1 page: " in visited.err


_MONITORS = """
from spidermon import Monitor, MonitorSuite


class HarvestMonitor(Monitor):
    def test_harvest(self):
        self.assertGreater(self.data.stats["focuscrawl/harvest"], 2.0)


class ClosedSuite(MonitorSuite):
    monitors = [HarvestMonitor]
"""
_WRITES = """

class WrittenAtTheEnd(PrometheusExporter):
    def update(self):
        from prometheus_client import write_to_textfile

        super().update()
        write_to_textfile("metrics.txt", self.registry)
"""


def test_rules_of_spidermon_read_the_figures(project: Project, site: Site) -> None:
    pytest.importorskip("spidermon", reason="NOT TESTED with Spidermon: pip install spidermon")
    project.write("library/monitors.py", _MONITORS)
    done = project.crawl(
        *("-a", f"seed={site.url('')}"),
        FOCUSCRAWL_RUN="watched",
        DEPTH_LIMIT=1,
        SPIDERMON_ENABLED=True,
        EXTENSIONS='{"spidermon.contrib.scrapy.extensions.Spidermon": 500}',
        SPIDERMON_SPIDER_CLOSE_MONITORS="library.monitors.ClosedSuite",
    )
    assert done.exit_code == 0, done.err
    assert "1 monitor in" in done.err
    assert "not greater than 2.0" in done.err  # the rule was asked, and read a number


def test_the_exporter_of_the_docs_has_the_figures(project: Project, site: Site) -> None:
    pytest.importorskip("prometheus_client", reason="NOT TESTED with Prometheus: pip install prometheus-client")
    docs = (Path(__file__).parents[2] / "docs" / "scrapy.md").read_text(encoding="utf-8")
    code = next(part for part in docs.split("```") if "class PrometheusExporter" in part)
    project.write("library/exporter.py", code.removeprefix("python\n") + _WRITES)
    done = project.crawl(
        *("-a", f"seed={site.url('')}"),
        FOCUSCRAWL_RUN="exported",
        DEPTH_LIMIT=1,
        EXTENSIONS='{"library.exporter.WrittenAtTheEnd": 500}',
    )
    assert done.exit_code == 0, done.err
    metrics = (project.folder / "metrics.txt").read_text(encoding="utf-8").splitlines()
    assert "focuscrawl_fetched 4.0" in metrics
    assert "focuscrawl_no_page_HTTP_404 1.0" in metrics


def test_an_egg_is_crawled_as_scrapyd_does_with_its_own_topic(project: Project, site: Site, tmp_path: Path) -> None:
    project.write("library/topics/towers.toml", (project.folder / "lighthouses.toml").read_text(encoding="utf-8"))
    egg = tmp_path / "library.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for path in sorted((project.folder / "library").rglob("*")):
            if path.suffix in (".py", ".toml"):
                packed.write(path, path.relative_to(project.folder))
    elsewhere = tmp_path / "scrapyd"
    elsewhere.mkdir()
    env = {"SCRAPY_SETTINGS_MODULE": "library.settings", "PYTHONPATH": str(egg)}
    words = ("crawl", "book", "-a", f"seed={site.url('')}", "-s", "LOG_FILE=job.log")
    topic = {"FOCUSCRAWL_TOPIC": "pkg:library/topics/towers.toml", "DEPTH_LIMIT": 1}
    done = project.scrapy(*words, cwd=elsewhere, env=env, **topic)
    log = (elsewhere / "job.log").read_text(encoding="utf-8")
    assert done.exit_code == 0, done.err + log
    assert "'focuscrawl/fetched': 4" in log
    for fault, told in (
        ({"FOCUSCRAWL_TOPIC": "pkg:library/topics/tower.toml"}, "the package library has no file topics/tower.toml"),
        ({"FOCUSCRAWL_MODUS": "full"}, "FOCUSCRAWL_MODUS: there is no such setting"),
    ):
        (elsewhere / "job.log").unlink()
        failed = project.scrapy(*words, cwd=elsewhere, env=env, **{**topic, **fault})
        assert failed.exit_code == 1
        assert told in (elsewhere / "job.log").read_text(encoding="utf-8")
