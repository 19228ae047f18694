"""Sites with a password: it goes to its own site only, and is written nowhere."""

from __future__ import annotations

from base64 import b64encode
from contextlib import ExitStack
from pathlib import Path

from hostile.bad_manners import bad_manners, html, raw
from hostile.certificates import authority_file, server_context
from hostile.names import crawl_names

PASSWORD = "correct-horse-battery"
HEADER = b"Basic " + b64encode(f"reader:{PASSWORD}".encode())


def sent(requests: list[bytes]) -> set[str]:
    """Return the paths that were asked for with the password."""
    return {request.split(b" ", 2)[1].decode() for request in requests if HEADER in request}


def test_a_password_goes_to_its_own_site_only(tmp_path: Path) -> None:
    with ExitStack() as servers:
        own = servers.enter_context(bad_manners({"/in": html("<h1>lighthouse lamp</h1>")}))
        other = servers.enter_context(bad_manners({"/there": html("<h1>lighthouse lens</h1>")}))
        bad = servers.enter_context(
            bad_manners({"/": html("<h1>secret</h1>")}, tls=server_context(tmp_path, "bad.example", self_signed=True))
        )
        there = f"http://other.example:{other.port}/there"
        own.answers["/out"] = raw(f"HTTP/1.1 302 Found\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode())
        # The same machine by another name is another site.
        alias = f"http://alias.example:{own.port}/in"
        urls = ["/in", "/out", alias, f"https://bad.example:{bad.port}/"]
        links = "".join(f'<p><a href="{url}">lighthouse</a></p>' for url in urls)
        own.answers["/"] = html(f"<h1>lighthouse</h1>{links}")
        file = tmp_path / "logins.toml"
        file.write_text(
            f'["http://own.example:{own.port}"]\nuser = "reader"\npassword_env = "OWN"\n'
            f'["https://bad.example:{bad.port}"]\nuser = "reader"\npassword = "{PASSWORD}"\n',
            encoding="utf-8",
        )
        file.chmod(0o600)
        done = crawl_names(
            tmp_path,
            f"http://own.example:{own.port}/",
            env={"OWN": PASSWORD, "SSL_CERT_FILE": str(authority_file(tmp_path))},
            FOCUSCRAWL_LOGINS=file,
            FOCUSCRAWL_STORES="jsonl,warc",
            LOG_LEVEL="DEBUG",
        )
    assert sent(own.requests) == {"/robots.txt", "/", "/in", "/out"}
    aliased = [request for request in own.requests if b"alias.example" in request]
    assert aliased
    assert not sent(aliased)
    assert other.asked["/there"] == 1
    assert not sent(other.requests)
    # Nobody knows who reads along where the certificate is not good.
    assert bad.requests == []
    refused = next(record for record in done.pages() if "bad.example" in record.url)
    assert refused.reason == "certificate refused: self-signed"
    written = b"".join(path.read_bytes() for path in done.run.rglob("*") if path.is_file())
    for secret in (PASSWORD.encode(), HEADER):
        assert secret not in written
        assert secret not in (done.out + done.err).encode()


def test_a_site_can_have_a_proxy_of_its_own(tmp_path: Path) -> None:
    with bad_manners({}) as proxy, bad_manners({}) as site:
        inside = "http://inside.example/page"
        proxy.answers[f"inside.example{inside}"] = html("<h1>lighthouse lamp</h1>")
        site.answers["/"] = html(f'<h1>lighthouse</h1><p><a href="{inside}">lighthouse</a></p>')
        file = tmp_path / "logins.toml"
        file.write_text(
            f'["http://inside.example"]\nproxy = "http://me:{PASSWORD}@proxy.example:{proxy.port}"\n', encoding="utf-8"
        )
        file.chmod(0o600)
        done = crawl_names(tmp_path, f"http://site.example:{site.port}/", FOCUSCRAWL_LOGINS=file)
    assert done.page("/page").outcome == "done"
    assert all(b"inside.example" in request for request in proxy.requests)
    credentials = b"Proxy-Authorization: Basic " + b64encode(f"me:{PASSWORD}".encode())
    assert all(credentials in request for request in proxy.requests)
    assert not [request for request in site.requests if b"inside.example" in request or credentials in request]
