"""Chains of redirects and refreshes without end: five hops, each checked like a new link, settled once."""

from __future__ import annotations

import socket
from collections import Counter
from pathlib import Path

import pytest
from book_kit import BookSpider
from crawl_kit import Crawled, crawl_command, crawl_here, topic_file

from hostile.bad_manners import Answer, Manners, bad_manners, html, raw

LENGTH = 40


def redirect(to: str, status: int = 302) -> Answer:
    return raw(b"HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, to.encode()))


def to_credentials(connection: socket.socket) -> None:
    redirect(f"http://ann:pa55word@127.0.0.1:{connection.getsockname()[1]}/logged-in")(connection)


def refresh(to: str) -> Answer:
    return html(f'<meta http-equiv="refresh" content="0; url={to}">')


def refresh_header(to: str) -> Answer:
    return raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nRefresh: 0; url=%s\r\nContent-Length: 0\r\n\r\n" % to.encode()
    )


UNREADABLE = '<meta http-equiv="refresh" content="0; url=http://[::1/page"><h1>lighthouse lamp lens</h1>'


def chain(name: str, *kinds: str) -> dict[str, Answer]:
    """Return a chain of redirects and refreshes by turns, which never ends within the crawl."""
    make = {"redirect": redirect, "refresh": refresh, "header": refresh_header}
    return {f"/{name}/{n}": make[kinds[n % len(kinds)]](f"/{name}/{n + 1}") for n in range(LENGTH)}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Manners]:
    folder = tmp_path_factory.mktemp("redirects")
    answers: dict[str, Answer] = {
        **chain("redirects", "redirect"),
        **chain("refreshes", "refresh"),
        **chain("both", "redirect", "refresh"),
        **chain("headers", "header"),
        **chain("all", "redirect", "header", "refresh"),
        "/loop/a": redirect("/loop/b"),
        "/loop/b": redirect("/loop/a"),
        "/self": refresh("/self"),
        "/itself": redirect("/itself"),
        "/itself-marked": redirect("/itself-marked#top", 301),
        "/inside": redirect("http://10.0.0.1/secret"),
        "/inside-refresh": refresh("http://[fd00::1]/secret"),
        "/inside-header": refresh_header("http://[fd00::2]/secret"),
        "/forbidden": redirect("/private/page"),
        "/forbidden-refresh": refresh("/private/page2"),
        "/scheme": redirect("file:///etc/passwd"),
        "/no-name": redirect("http://é..é/"),
        "/empty-label": redirect("http://a..example/"),
        "/unreadable": redirect("http://[::1/page"),
        "/unreadable-port": redirect("http://127.0.0.1:99999999/"),
        "/unreadable-refresh": html(UNREADABLE),
        "/login": to_credentials,
        "/logged-in": html("<h1>lighthouse keeper of the lamp</h1>"),
        "/five": redirect("/end/1"),
        **{f"/end/{n}": redirect(f"/end/{n + 1}") for n in range(1, 5)},
        "/end/5": html("<h1>lighthouse lamp lens</h1>"),
        "/robots.txt": raw(
            b"HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n" + b"User-agent: *\nDisallow: /private/\n\n\n"[:36]
        ),
    }
    starts = [
        "/redirects/0",
        "/refreshes/0",
        "/both/0",
        "/headers/0",
        "/all/0",
        "/loop/a",
        "/self",
        "/itself",
        "/itself-marked",
    ]
    starts += ["/inside", "/inside-refresh", "/inside-header"]
    starts += ["/forbidden", "/forbidden-refresh", "/scheme", "/no-name", "/empty-label", "/five", "/login"]
    starts += ["/unreadable", "/unreadable-port", "/unreadable-refresh"]
    links = "".join(f'<p><a href="{path}">lighthouse {path}</a></p>' for path in starts)
    with bad_manners({**answers, "/": html(f"<h1>lighthouse</h1>{links}")}) as manners:
        done = crawl_command(folder / "run", "-a", f"topic={topic_file(folder, manners.url('/'))}")
    return done, manners


@pytest.mark.parametrize("name", ["redirects", "refreshes", "both", "headers", "all"])
def test_a_chain_is_left_after_five_hops(crawled: tuple[Crawled, Manners], name: str) -> None:
    done, manners = crawled
    asked = sorted(int(path.rpartition("/")[2]) for path in manners.asked if path.startswith(f"/{name}/"))
    assert asked == list(range(6))
    assert all(manners.asked[f"/{name}/{n}"] == 1 for n in asked)
    ends = [record for record in done.pages() if f"/{name}/" in record.url]
    assert ends[-1].reason == "too many redirects"


def test_a_loop_is_left(crawled: tuple[Crawled, Manners]) -> None:
    done, manners = crawled
    assert manners.asked["/loop/a"] + manners.asked["/loop/b"] == 6
    assert done.page("/loop/a").reason == "too many redirects"
    assert manners.asked["/self"] == 1


@pytest.mark.parametrize("path", ["/itself", "/itself-marked"])
def test_what_redirects_to_itself_is_asked_for_once(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, manners = crawled
    assert manners.asked[path] == 1
    assert (done.page(path).outcome, done.page(path).reason) == ("refused", "redirects to itself")


def test_a_cookie_can_change_where_the_same_url_leads(tmp_path: Path) -> None:
    answers = {"/": raw(b"HTTP/1.1 302 Found\r\nLocation: /\r\nSet-Cookie: seen=1\r\nContent-Length: 0\r\n\r\n")}
    with bad_manners(answers) as manners:
        topic = f"topic={topic_file(tmp_path, manners.url('/'))}"
        done = crawl_command(tmp_path / "run", "-a", topic, settings={"COOKIES_ENABLED": True})
    assert manners.asked["/"] == 6
    assert done.page("/").reason == "too many redirects"


def test_each_hop_is_checked_like_a_new_link(crawled: tuple[Crawled, Manners]) -> None:
    done, manners = crawled
    assert done.page("/inside").reason == "10.0.0.1 is not a public address"
    secret = next(record for record in done.pages() if "fd00::1" in record.url)
    assert (secret.outcome, secret.reason) == ("refused", "fd00::1 is not a public address")
    secret = next(record for record in done.pages() if "fd00::2" in record.url)
    assert (secret.outcome, secret.reason) == ("refused", "fd00::2 is not a public address")
    assert done.page("/forbidden").reason == "forbidden by robots.txt"
    assert done.page("/private/page2").reason == "forbidden by robots.txt"
    assert done.page("/scheme").outcome == "refused"
    assert not [path for path in manners.asked if "private" in path or "secret" in path]


@pytest.mark.parametrize("path", ["/no-name", "/empty-label"])
def test_what_no_resolver_takes_is_no_such_host(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, _ = crawled
    assert (done.page(path).outcome, done.page(path).reason) == ("refused", "no such host")


def test_credentials_of_a_redirect_are_left_out(crawled: tuple[Crawled, Manners]) -> None:
    done, manners = crawled
    page = done.page("/login")
    assert (page.outcome, page.final_url) == ("done", manners.url("/logged-in"))
    assert not [request for request in manners.requests if b"authorization" in request.lower()]
    assert not [path for path in done.run.iterdir() if path.is_file() and b"pa55word" in path.read_bytes()]


def test_a_target_that_cannot_be_read_leads_nowhere(crawled: tuple[Crawled, Manners]) -> None:
    done, _ = crawled
    for path in ("/unreadable", "/unreadable-port"):
        assert (done.page(path).outcome, done.page(path).reason) == ("refused", "redirected to what is no URL to crawl")
    page = done.page("/unreadable-refresh")
    assert (page.outcome, page.relevant) == ("done", True), "a page like any"


def test_a_robots_txt_with_a_target_that_cannot_be_read_forbids_nothing(tmp_path: Path) -> None:
    page = html("<h1>lighthouse lamp lens</h1>")
    with bad_manners({"/robots.txt": redirect("http://[::1/robots.txt"), "/": page}) as manners:
        done = crawl_command(tmp_path / "run", "-a", f"topic={topic_file(tmp_path, manners.url('/'))}")
    assert [(record.outcome, record.reason) for record in done.pages()] == [("done", "")]


def test_a_spider_of_a_project_gets_the_page_of_a_refresh_that_cannot_be_read(tmp_path: Path) -> None:
    with bad_manners({"/": html(UNREADABLE)}) as manners:
        settings = {"FOCUSCRAWL_TOPIC": str(topic_file(tmp_path, manners.url("/"))), "METAREFRESH_ENABLED": True}
        done = crawl_here(tmp_path / "run", spider=BookSpider, settings=settings, seed=manners.url("/"))
    assert [item["url"] for item in done.items] == [manners.url("/")]
    assert [(record.outcome, record.reason) for record in done.pages()] == [("done", "")]


def test_five_redirects_are_followed(crawled: tuple[Crawled, Manners]) -> None:
    done, _ = crawled
    assert done.page("/five").outcome == "done"
    assert done.page("/five").final_url.endswith("/end/5")


def test_every_link_is_settled_once(crawled: tuple[Crawled, Manners]) -> None:
    done, _ = crawled
    assert set(Counter(record.url for record in done.pages()).values()) == {1}
    assert (done.counts()["queued"], done.counts()["leased"]) == (0, 0)
    assert done.exit_code == 0
