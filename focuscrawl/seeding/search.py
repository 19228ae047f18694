"""Public search engines, asked through the package ddgs or a SearXNG server."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from focuscrawl import __version__
from focuscrawl.errors import ConfigError, FocusCrawlError
from focuscrawl.page.urls import normalize_url
from focuscrawl.seeding.candidates import Candidate, candidate, fused, limited_by_site
from focuscrawl.topic.faults import did_you_mean
from focuscrawl.wording.base import Say
from focuscrawl.wording.seeds import BY_SEARCH

TIMEOUT_S = 20.0
"""Seconds an engine has for an answer."""
_MAX_ANSWER_BYTES = 4 * 1024 * 1024
_REASON_CHARS = 80
EXTRA = "search"
"""The extra of this project that installs ddgs."""


class SearchError(FocusCrawlError):
    """An engine gave no results; the sentence says why and what to do."""


class SearchEngine(ABC):
    """Base class of what is asked for pages."""

    @abstractmethod
    def search(self, query: str, *, language: str, most: int) -> list[Candidate]:
        """Return the results of a query, best first.

        Parameters
        ----------
        query
            Words.
        language
            BCP-47 tag of the topic, or "auto".
        most
            Results at most.

        Raises
        ------
        SearchError
            If there is no answer: unreachable, too many requests, a captcha, no JSON.
        """


class SearxngEngine(SearchEngine):
    """A SearXNG server, by its JSON interface (docs.searxng.org, Search API).

    Parameters
    ----------
    address
        http or https, as in http://127.0.0.1:8080.

    Raises
    ------
    ConfigError
        If `address` is no http or https URL.
    """

    def __init__(self, address: str) -> None:
        normal = normalize_url(address, address)  # a host, or a path, that is not in ASCII
        if normal is None:
            raise ConfigError(f"{address}: expected the http or https address of a SearXNG server.")
        self._address = normal.partition("?")[0].rstrip("/").removesuffix("/search")

    def search(self, query: str, *, language: str, most: int) -> list[Candidate]:
        """Return the results of a query, best first."""
        options = {"q": query, "format": "json", "safesearch": "0"}
        if language != "auto":
            options["language"] = language
        answer = self._answer(f"{self._address}/search?{urlencode(options)}")
        results = answer.get("results")
        found = [
            made for row in results or () if isinstance(row, dict) and (made := _candidate(row, query)) is not None
        ]
        silent = answer.get("unresponsive_engines")
        if not found and silent:
            engines = "; ".join(" ".join(map(str, entry)) for entry in silent if isinstance(entry, list))
            raise SearchError(f"{self._address}: no engine answered ({engines}); try again later or other engines.")
        return found[:most]

    def _answer(self, url: str) -> dict[str, Any]:
        request = Request(url, headers={"Accept": "application/json", "User-Agent": f"focuscrawl/{__version__}"})  # noqa: S310 - checked above
        try:
            with urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
                content = response.read(_MAX_ANSWER_BYTES + 1)
        except HTTPError as error:
            error.close()
            raise SearchError(f"{self._address}: {_by_status(error.code)}.") from error
        except (URLError, HTTPException, TimeoutError, OSError, UnicodeError) as error:  # a name too long
            reason = error.reason if isinstance(error, URLError) else error
            raise SearchError(f"{self._address}: no answer ({reason or type(error).__name__}).") from error
        if len(content) > _MAX_ANSWER_BYTES:
            raise SearchError(f"{self._address}: an answer of more than {_MAX_ANSWER_BYTES >> 20} MB.")
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise SearchError(
                f"{self._address}: the answer is no JSON, perhaps a captcha or a login page; enable"
                ' the format "json" in the server\'s settings.yml.'
            ) from error
        if not isinstance(answer, dict):
            raise SearchError(f"{self._address}: the answer is JSON of another kind; a SearXNG server was expected.")
        return answer


def _by_status(status: int) -> str:
    if status == 403:
        return 'HTTP 403: it does not give JSON; enable the format "json" in its settings.yml'
    if status == 429:
        return "HTTP 429: too many requests; wait some minutes, or use a server of your own"
    return f"HTTP {status}"


class PublicEngines(SearchEngine):
    """Public engines through the package ddgs.

    Parameters
    ----------
    engines
        Names of engines by commas, as ddgs has them; "auto" or "all" for all.

    Raises
    ------
    SearchError
        If ddgs is not installed.
    ConfigError
        If it has no engine of such a name: it would ask all others, which may be what a list of names is to prevent.
    """

    def __init__(self, engines: str = "auto") -> None:
        try:
            from ddgs import DDGS
            from ddgs.engines import ENGINES
        except ImportError as error:
            raise SearchError(
                f"Searching public engines needs the package ddgs: pip install 'focuscrawl[{EXTRA}]';"
                " or name a SearXNG server with --searxng ADDRESS."
            ) from error
        known = sorted(ENGINES["text"])
        for name in (part.strip() for part in engines.split(",")):
            if name not in {*known, "auto", "all"}:
                hint = did_you_mean(name, known)
                raise ConfigError(f'--engines: there is no engine "{name}"; known: auto, {", ".join(known)}.{hint}')
        self._ddgs: Any = DDGS(timeout=int(TIMEOUT_S))
        self._engines = engines

    def search(self, query: str, *, language: str, most: int) -> list[Candidate]:
        """Return the results of a query, best first."""
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        region = "cn-zh" if language.startswith("zh") else "wt-wt"
        try:
            rows = self._ddgs.text(query, region=region, safesearch="off", max_results=most, backend=self._engines)
        except RatelimitException as error:
            raise SearchError(f'public engines, "{query}": too many requests; wait some minutes.') from error
        except TimeoutException as error:
            raise SearchError(f'public engines, "{query}": no answer within {TIMEOUT_S:g} s.') from error
        except DDGSException as error:
            # Its text is that of an HTTP client, with the whole address: the kind of fault is what helps.
            why = str(error).partition("(")[0].partition(":")[0].strip(" .") or type(error).__name__
            raise SearchError(f"public engines: no answer ({why[:_REASON_CHARS]}).") from error
        return [made for row in rows if (made := _candidate(row, query)) is not None]


def _candidate(row: dict[str, Any], query: str) -> Candidate | None:
    """Return a result as a candidate; SearXNG calls the fields url and content, ddgs href and body."""
    url, title = row.get("url") or row.get("href"), row.get("title")
    snippet = row.get("content") or row.get("body")
    if not isinstance(url, str):
        return None
    return candidate(url, title=str(title or ""), snippet=str(snippet or ""), source=Say("en")(BY_SEARCH, query=query))


@dataclass(frozen=True, slots=True)
class Found:
    """What the engines gave for all queries."""

    candidates: list[Candidate]
    faults: list[str] = field(default_factory=list)  # queries without an answer, a sentence each


def metasearch(
    engine: SearchEngine, queries: Sequence[str], *, language: str = "auto", most: int = 50, per_site: int = 3
) -> Found:
    """Return the results of all queries, merged by rank, best first.

    Parameters
    ----------
    engine
        What is asked, query by query.
    most
        Candidates at most, and results of each query.
    per_site
        Candidates of one registered domain at most.
    """
    lists: list[list[Candidate]] = []
    faults: list[str] = []
    for query in queries:
        try:
            lists.append(engine.search(query, language=language, most=most))
        except SearchError as error:
            faults.append(str(error))
    return Found(limited_by_site(fused(lists), per_site)[:most], faults)
