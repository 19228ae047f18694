"""Logins by site, and the file they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from focuscrawl.crawler.logins import Logins, SiteAccess
from focuscrawl.errors import ConfigError

TEXT = """
["https://library.example"]
user = "reader"
password = "s3cret"
["http://archive.example:8080/"]
user = "me"
password_env = "ARCHIVE"
proxy = "http://proxy.example:3128"
"""


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "logins.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_login_is_for_its_scheme_host_and_port(tmp_path: Path) -> None:
    logins = Logins.load(written(tmp_path, TEXT), {"ARCHIVE": "pässword"})
    reader = SiteAccess("reader", "s3cret")
    assert logins.of("https://library.example/a/b?c") == reader
    assert logins.of("https://LIBRARY.example:443/") == reader
    assert logins.of("http://archive.example:8080/x") == SiteAccess("me", "pässword", "http://proxy.example:3128")
    for other in (
        "http://library.example/",
        "https://library.example:8443/",
        "https://www.library.example/",
        "https://library.example.evil.example/",
        "https://library.example@evil.example/",
        "http://archive.example/",
        "https://[broken/",
    ):
        assert logins.of(other) is None
    assert logins.with_password == {("library.example", 443), ("archive.example", 8080)}
    assert "s3cret" not in repr(reader)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(ConfigError, match="chmod 600"):
        Logins.load(written(tmp_path, TEXT, mode))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[library]\nuser = 's3cret'", "not named by a site"),
        ("['https://me:s3cret@a.example']\nuser = 's3cret'", "not named by a site"),
        ("['https://a.example']\nuser = 's3cret'", "belong together"),
        ("['https://a.example']\npassword_env = 'NOWHERE'\nuser = 'a'", "NOWHERE is not set"),
        ("['https://a.example']\nsecret = 's3cret'", "and nothing else"),
        ("['https://a.example']\npassword = 's3cret\nuser", "no TOML"),
        ("password = 's3cret'", "not named by a site"),
    ],
)
def test_what_is_wrong_is_said_without_a_password(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        Logins.load(written(tmp_path, text), {})
    assert "s3cret" not in str(caught.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: no such file"):
        Logins.load(tmp_path / "none.toml")
