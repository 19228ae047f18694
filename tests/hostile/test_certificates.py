"""Certificates that are not good: the page is marked, or refused where that is asked for."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from crawl_kit import Crawled

from hostile.bad_manners import bad_manners, html, raw
from hostile.certificates import authority_file, server_context
from hostile.names import crawl_names

FAULTS = {
    "good.example": "",
    "expired.example": "expired",
    "self-signed.example": "self-signed",
    "other.example": "made out to another name",
}


@pytest.fixture(scope="module", params=[False, True], ids=["marked", "refused"])
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, bool]:
    """Crawl pages of hosts with each kind of certificate."""
    folder = tmp_path_factory.mktemp("tls")
    contexts = {
        "good.example": server_context(folder, "good.example"),
        "expired.example": server_context(folder, "expired.example", expired=True),
        "self-signed.example": server_context(folder, "self-signed.example", self_signed=True),
        "other.example": server_context(folder, "somebody-else.example"),
    }
    with ExitStack() as servers:
        pages = {"/": html("<h1>lighthouse</h1>"), "/page": html("<h1>lighthouse lamp lens</h1>")}
        ports = {
            host: servers.enter_context(bad_manners(dict(pages), tls=context)).port
            for host, context in contexts.items()
        }
        urls = [f"https://{host}:{port}/" for host, port in ports.items()]
        # Who can change what is read on the way can choose where a redirect leads.
        moved = f"https://good.example:{ports['good.example']}/page"
        through = servers.enter_context(
            bad_manners(
                {
                    "/moved": raw(f"HTTP/1.1 302 Found\r\nLocation: {moved}\r\nContent-Length: 0\r\n\r\n".encode()),
                    "/cut": raw(b"HTTP/1.1 200 OK\r\nContent-Ty"),
                },
                tls=server_context(folder, "through.example", self_signed=True),
            )
        )
        plain = servers.enter_context(bad_manners({}))
        urls += [f"https://through.example:{through.port}{path}" for path in ("/moved", "/cut")]
        urls += [f"https://plain.example:{plain.port}/"]
        plain.answers["/"] = html("<h1>lighthouse</h1>" + "".join(f'<p><a href="{url}">lamp</a></p>' for url in urls))
        done = crawl_names(
            folder,
            f"http://plain.example:{plain.port}/",
            env={"SSL_CERT_FILE": str(authority_file(folder)), "SSL_CERT_DIR": str(folder / "none")},
            DOWNLOAD_VERIFY_CERTIFICATES=request.param,
        )
    return done, request.param


@pytest.mark.parametrize("host", FAULTS)
def test_a_page_says_what_is_wrong_with_its_certificate(crawled: tuple[Crawled, bool], host: str) -> None:
    done, refuse = crawled
    fault = FAULTS[host]
    record = next(record for record in done.pages() if record.url.startswith(f"https://{host}:"))
    if not fault:
        assert (record.outcome, record.tls) == ("done", "")
    elif refuse:
        assert (record.outcome, record.reason, record.tls) == ("refused", f"certificate refused: {fault}", "")
    else:
        assert (record.outcome, record.tls) == ("done", f"unverified: {fault}")


def test_the_mark_goes_with_a_redirect(crawled: tuple[Crawled, bool]) -> None:
    done, refuse = crawled
    record = done.page("/moved")
    if refuse:
        assert record.reason == "certificate refused: self-signed"
    else:
        assert record.final_url.endswith("/page")
        assert record.tls == "unverified: self-signed"


def test_an_answer_that_breaks_off_is_the_certificates_fault_only_where_that_is_refused(
    crawled: tuple[Crawled, bool],
) -> None:
    done, refuse = crawled
    record = done.page("/cut")
    reason = "certificate refused: self-signed" if refuse else "connection closed before the answer was complete"
    assert (record.outcome, record.reason) == ("refused" if refuse else "failed", reason)


def test_what_is_no_tls_is_named(crawled: tuple[Crawled, bool]) -> None:
    done, _ = crawled
    record = next(record for record in done.pages() if record.url.startswith("https://plain.example"))
    assert (record.outcome, record.reason) == (
        "refused",
        "robots.txt cannot be read: TLS failed: wrong version number",
    )
    assert done.exit_code == 0
