from __future__ import annotations

from pathlib import Path

import pytest
from simulate_kit import write_files

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.files import Answer, WebFiles, canonical

FILES: list[str] = [
    "index.html",
    "dir/index.html",
    "page.html",
    "both.html",
    "both/index.html",
    "中 文/index.html",
    "plain",
    "noindex/a.html",
    "only/default.html",
    "x.xml",
    "upper.HTML",
]


@pytest.fixture
def files(tmp_path: Path) -> WebFiles:
    write_files(tmp_path, {f"h.test/{name}": "<html></html>" for name in FILES})
    return WebFiles(tmp_path / "www")


# What nginx with `try_files $uri $uri.html $uri/ =404` answered to these, asked one by one; '' is no file.
NGINX = [
    ("/", 200, "index.html"),
    ("/dir/", 200, "dir/index.html"),
    ("/page", 200, "page.html"),
    ("/page.html", 200, "page.html"),
    ("/both", 200, "both.html"),
    ("/both/", 200, "both/index.html"),
    ("/noindex/", 403, ""),
    ("/only/", 200, "only/default.html"),
    ("/index.html", 200, "index.html"),
    ("/dir/?x=1", 200, "dir/index.html"),
    ("/page.html?x=1", 200, "page.html"),
    ("//dir//index.html", 200, "dir/index.html"),
    ("/dir/../page", 200, "page.html"),
    ("/plain", 200, "plain"),
    ("/x.xml", 200, "x.xml"),
    ("/nope", 404, ""),
    ("/index.html/", 404, ""),
    ("/page.html/", 404, ""),
    ("/DIR/", 404, ""),
    ("/a%2Fb", 404, ""),
    ("/dir%2Findex.html", 200, "dir/index.html"),
    ("/upper.HTML", 200, "upper.HTML"),
    ("/dir/index", 200, "dir/index.html"),
    ("/dir/%69ndex.html", 200, "dir/index.html"),
    ("/page.html;x", 404, ""),
    ("/x%00y", 400, ""),
    ("/%ff", 404, ""),
    ("/%E4%B8%AD%20%E6%96%87/", 200, "中 文/index.html"),
]


@pytest.mark.parametrize(("path", "status", "file"), NGINX)
def test_answers_are_those_of_the_server(files: WebFiles, path: str, status: int, file: str) -> None:
    answer = files.answer("http://h.test" + path)
    assert (answer.status, answer.file.removeprefix("h.test/")) == (status, file)


@pytest.mark.parametrize(
    ("path", "there", "status"),
    [
        ("/dir", "/dir/", 200),
        ("/dir?x=1", "/dir/?x=1", 200),
        ("/only", "/only/", 200),
        ("/noindex", "/noindex/", 403),
        ("/%E4%B8%AD%20%E6%96%87", "/%E4%B8%AD%20%E6%96%87/", 200),
    ],
)
def test_a_folder_redirects_to_its_slash(files: WebFiles, path: str, there: str, status: int) -> None:
    answer = files.answer("http://h.test" + path)
    assert (answer.status, answer.url, answer.redirects) == (
        status,
        "http://h.test" + there,
        ("http://h.test" + path,),
    )


def test_hosts_are_found_in_any_case_and_other_hosts_are_not(files: WebFiles) -> None:
    assert files.answer("http://H.Test/page").status == 200
    assert files.answer("https://h.test/page").status == 200
    assert files.answer("http://other.test/page").status == 404
    assert files.answer("ftp://h.test/page").status == 400
    assert files.answer("http://[broken/").status == 400


def test_only_html_answers_are_pages(files: WebFiles) -> None:
    def is_html(path: str) -> bool:
        return files.answer("http://h.test" + path).is_html

    assert is_html("/page")
    assert is_html("/upper.HTML")
    assert not is_html("/x.xml")
    assert not is_html("/plain")
    assert not is_html("/nope")
    assert not Answer(404, "http://h.test/", content_type="text/html").is_html


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("http://h.test/", "index.html"),
        ("http://h.test/index.html#top", "index.html"),
        ("https://H.TEST:8080/index.htm?q=1", "index.html"),
        ("http://h.test/page/", "page.html"),  # scoring is more lenient than the server
        ("http://h.test/dir", "dir/index.html"),
        ("http://h.test/both/index.html", "both.html"),  # both spell /both/, and the file goes before the folder
        ("http://h.test/%E4%B8%AD%20文/", "中 文/index.html"),
        ("http://h.test//dir/./", "dir/index.html"),
    ],
)
def test_identity_folds_aliases(files: WebFiles, url: str, page: str) -> None:
    assert files.identity(url) == f"h.test/{page}"


@pytest.mark.parametrize("url", ["http://h.test/nope", "http://other.test/", "mailto:a@b.test", "http://[broken/"])
def test_what_is_not_in_the_web_has_no_identity(files: WebFiles, url: str) -> None:
    assert files.identity(url) is None


def test_canonical_spelling() -> None:
    assert canonical(" https://A.test:80/x%7Ey/中/index.html?q#f ") == "http://a.test/x~y/%E4%B8%AD/"


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "www").mkdir()
    with pytest.raises(ConfigError, match="holds no pages"):
        WebFiles(tmp_path / "www")
