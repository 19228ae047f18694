"""Links that are no content whatever the topic: files, log-in, session ids, calendars, facets, share and print links.

The lists are short on purpose. They hold words that are part of how sites are built, in URLs of every language, and
no words of a subject; a page wrongly held back costs more than a junk page fetched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.scoring.base import LinkScorer
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained

GOOD = Explained(1.0)


QUALITY = "quality"
"""Name of the scorer."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never a page: the server will answer with something that has no links and no text we read. Scripts are not among
# them: pages hardly link to these, and to what is named like one, such as the article Node.js.
_FILES = _words(
    # pictures, sound and film
    "jpg jpeg png gif webp svg ico bmp tif tiff avif heic "
    "mp3 ogg wav flac m4a aac mp4 webm avi mov mkv wmv flv m3u8 "
    # archives and programs, parts of pages
    "zip gz tgz bz2 xz 7z rar tar iso dmg exe msi apk deb rpm jar bin img "
    "css map woff woff2 ttf eot otf swf "
    # documents the extractors do not read, and data
    "doc docx xls xlsx ppt pptx odt ods odp pdf ps epub mobi torrent rss atom xml json csv ics"
)
# Path steps and parameters of the machinery around content.
_ACCOUNT = _words(
    "login logout signin signup signout register registration account auth oauth sso passwd password cart checkout "
    "basket wishlist admin wp-admin wp-login.php wp-json xmlrpc.php cdn-cgi cgi-bin captcha unsubscribe "
    "login.php register.php logout.php member.php ucp.php"
)
_ACTION = _words("share sharer sharer.php print printer intent replytocom trackback embed cite amp")
_SOURCES, _SOURCE_ENDING = "_sources", "txt"  # Sphinx copies the source of each page there, and links it
# The same as tokens of a URL: a link without any of them needs no closer look.
_TOKENS = _words(
    "login logout signin signup signout register registration account auth oauth sso passwd password cart checkout "
    "basket wishlist admin xmlrpc cgi json captcha unsubscribe member ucp share sharer print printer intent "
    "replytocom trackback embed cite amp calendar event events sid phpsessid jsessionid sessionid sessid"
)
_SESSION = re.compile(r"[;?&](?:jsessionid|phpsessid|sessionid|session_id|sessid|sid|s)=[0-9a-z]{12,}", re.IGNORECASE)
_CALENDAR = re.compile(r"(?:calendar|events?)\b", re.IGNORECASE)
_DAY = re.compile(
    r"(?:(?:19|20|21)\d\d[-/](?:0?[1-9]|1[0-2])\b|[?&](?:date|month|year|day|y|m)=\d)",
    re.IGNORECASE,
)

# What may be missing at the end of a page's address when another one carries it.
_END = re.compile(r"(?:/index\.html?|/)$")

# Each parameter beyond this many makes another view of the same list likelier (sort by, filter, per page …).
_FREE_PARAMETERS = 2
_FACET_DECAY = 0.6


class QualityScorer(LinkScorer):
    """Quality of the URL of every link of a page, in [0, 1], with the reason where it is below 1; needs no topic.

    0 means that nothing to read can be there. Other values are factors by which a link is worth less than its like:
    0.1 for the machinery of a site, 0.2 for calendars and session ids, and ``0.6 ** n`` for n parameters too many.
    """

    name = QUALITY
    repeatable = True

    def __init__(self, *, pdf: bool = False) -> None:
        self._files = _FILES - {"pdf"} if pdf else _FILES
        self._endings = self._files | {_SOURCE_ENDING}

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return the quality of each link; 1 where nothing speaks against it."""
        del topic
        here = _END.sub("", page.url.partition(":")[2])
        out: list[Explained] = []
        for link in links:
            # Most links are plain: words of the machinery would be among their URL's tokens, and a file has its ending.
            url = link.url
            if (
                "?" not in url
                and url[url.rfind(".") + 1 :].lower() not in self._endings
                and _TOKENS.isdisjoint(link.url_tokens)
            ):
                out.append(GOOD)
            elif "?" in url and here in unquote(url.partition("?")[2]):
                out.append(_explained(0.1, "carries this page's address: a way to share it, report it or log in"))
            else:
                out.append(_explained(*_rate(url, self._files)))
        return out


def make_quality(*, seed: int = 0, pdf: bool = False) -> QualityScorer:
    """Return the scorer ``quality``; `seed` is not used.

    Parameters
    ----------
    pdf
        Whether PDFs are read as pages.
    """
    del seed
    return QualityScorer(pdf=pdf)


def _explained(value: float, reason: str) -> Explained:
    return Explained(value, {"quality": value}, reason) if reason else GOOD


def _rate(url: str, files: frozenset[str]) -> tuple[float, str]:
    rest = url.partition("://")[2]
    hostpath, _, query = rest.partition("?")
    _, _, path = hostpath.partition("/")
    steps = [step for step in unquote(path).lower().split("/") if step]
    last = steps[-1] if steps else ""
    # What ends with a slash is the address of a page, whatever its name: /docs/System.map/.
    extension = last.rpartition(".")[2] if "." in last and not path.endswith("/") else ""
    if extension in files:
        return 0.0, f"a .{extension} file, not a page"
    if extension == _SOURCE_ENDING and _SOURCES in steps:
        return 0.0, "the source of a page of documentation, which says the same"
    names = [pair.partition("=")[0].lower() for pair in query.split("&") if pair] if query else []
    # In the middle of a path such a word may name a section; at its ends and in a parameter it is the machinery.
    for word in (*steps[:1], *steps[-1:], *names):
        if word in _ACCOUNT:
            return 0.1, f'"{word}": log-in, cart or administration'
    for word in (*steps[-1:], *names):
        if word in _ACTION:
            return 0.1, f'"{word}": another form of a page, or a way to share it'
    if "action=edit" in query or "action=history" in query:
        return 0.1, "an action on a page, not a page"
    if _SESSION.search(rest):
        return 0.2, "carries a session id: the same page under endless names"
    if (calendar := _CALENDAR.search(rest)) is not None and _DAY.search(rest, calendar.end()):
        return 0.2, "a day or month of a calendar, which never ends"
    extra = len(names) - _FREE_PARAMETERS
    if extra > 0:
        return _FACET_DECAY**extra, f"{len(names)} parameters: one of many views of a list"
    return 1.0, ""
