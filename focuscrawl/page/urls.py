"""URLs: normal form, identity, host, registered domain, and the words in them (docs/formulas.md A.3, B)."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

import ada_url
import tldextract

from focuscrawl.text.base import Tokenizer
from focuscrawl.text.signed_names import written_out
from focuscrawl.types import HostKey, UrlKey, digest64

MAX_URL_CHARS = 2083  # the longest address that every browser ever took; what is longer is a trap or data
MAX_DEPTH = 20
MAX_SEGMENT_REPEATS = 3
# Query parameters that say where a reader came from, not what the page is; `utm_*` and long hex `sid` go too.
_TRACKING_PARAMETERS = frozenset({"gclid", "fbclid", "spm", "phpsessid"})

# Navigation links stand on every page of a host, so that what is asked again is asked soon: four times the places
# answered two hundredths more of the look-ups of two crawls. An entry costs about 400 bytes.
_CACHE_URLS = 1 << 13
# A raw href may be longer than its normal form (white space, escapes, dot segments), though not for ever.
_MAX_RAW_CHARS = 4 * MAX_URL_CHARS
# Broken escapes such as "%6%31" need a pass more for each level; real ones settle in two.
_MAX_PASSES = 8
# Directories of a document that are written down one by one; of more, links are joined by the parser.
_MOST_DIRECTORIES = 40

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = {f"%{code:02X}": chr(code) if chr(code) in _UNRESERVED else f"%{code:02X}" for code in range(256)}
# Of a file that servers send for its directory.
INDEX_NAME = r"(?:index|default)\.(?:html?|shtml|php|aspx?|jsp)"
INDEX_FILE = re.compile(rf"/{INDEX_NAME}$", re.IGNORECASE)
"""Name of a file that stands for its directory, at the end of an address without a query."""
_JSESSIONID = re.compile(r";jsessionid=[^/;?#]*", re.IGNORECASE)
_SESSION_ID = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)
_MAY_TRACK = re.compile(r"utm_|sid=|gclid|fbclid|spm|phpsessid", re.IGNORECASE)
# Orders of the columns of a listing of files, as Apache, lighttpd and nginx link them: the same names each time.
_SORTED_LISTING = re.compile("C=[NMSDT][;&]O=[AD]")
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")
_TAB_OR_NEWLINE = re.compile(r"[\t\r\n]")
# Some steps up, then names, with nothing in them that the URL rules would change.
_PLAIN_PATH = re.compile(r"((?:\.\./)*+)(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+/)*+(?:[A-Za-z0-9_~-][A-Za-z0-9_~.-]*+)?+")
_SPACES = "".join(map(chr, range(0x21)))  # C0 controls and space, what the URL rules strip
# Of the bytes of a query in another encoding, those below 0x80 stay unless they would change the meaning.
_QUERY_BYTES = [
    f"%{byte:02X}" if byte >= 0x7F or byte <= 0x20 or byte in b"\"#%&'+<=>" else chr(byte) for byte in range(256)
]


class UrlJoiner:
    """Turns the raw hrefs of one document into normal forms (docs/formulas.md A.3).

    Parameters
    ----------
    base
        URL of the document, or of its ``<base href>``; with an unusable base only absolute URLs resolve.
    page_encoding
        Encoding of the document; non-ASCII characters of queries are sent in it, as browsers do.
    ftp
        Take ftp, too.
    """

    __slots__ = ("_above", "_directory", "_document", "_encoding", "_ftp", "_origin", "_scheme")

    def __init__(self, base: str, page_encoding: str = "utf-8", *, ftp: bool = False) -> None:
        self._ftp = ftp
        self._document, self._directory, self._origin, self._scheme = _base_parts(base)
        self._above = _directories(self._directory)
        encoding = page_encoding.lower()
        self._encoding = "utf-8" if encoding.startswith(("utf", "ascii", "us-ascii")) else encoding

    def __call__(self, raw: str) -> str | None:
        """Return the normal form of `raw`, None when it is refused (A.3, steps 2 and 8) or cannot be parsed."""
        href = raw.strip(_SPACES)
        if len(href) > _MAX_RAW_CHARS:
            return None
        # The part of the base that matters decides the cache's key: navigation then hits from any page of the host.
        if href.startswith(("http://", "https://")):
            base = ""
        elif href.startswith("/"):
            base = self._scheme if href.startswith(("//", "/\\")) else self._origin
        elif not href or href[0] in "?#":
            base = self._document
        elif ":" in href and (scheme := _SCHEME.match(href)) is not None:
            if scheme[0].lower() not in ("http:", "https:") and not (self._ftp and scheme[0].lower() == "ftp:"):
                return None
            base = self._document
        else:
            # On sites that link this way, such as manuals, every directory has its own way to write each URL.
            path = href.partition("#")[0]
            if self._above and (plain := _PLAIN_PATH.fullmatch(path)) is not None:
                up = plain.end(1)
                return _known_form(self._above[min(up // 3, len(self._above) - 1)] + path[up:])
            base = self._directory
        return _normal_form(href, base, self._encoding if not href.isascii() else "utf-8", self._ftp)


def normalize_url(raw: str, base: str, page_encoding: str = "utf-8", *, ftp: bool = False) -> str | None:
    """Return the normal form of an URL as a page wrote it (docs/formulas.md A.3), None when it is no URL to crawl.

    Idempotent: the normal form of a normal form is itself. Refused are schemes other than http and https, what
    cannot be parsed, more than 2083 characters, more than 20 directories, and four equal path segments.

    Parameters
    ----------
    raw
        The href, with whatever white space and backslashes it has.
    base
        What it is relative to.
    page_encoding
        For non-ASCII characters in the query.
    ftp
        Take ftp, too.

    Examples
    --------
    >>> normalize_url("../c/./d.html#top", "http://Example.COM:80/a/b.html")
    'http://example.com/c/d.html'
    >>> normalize_url("/s?w=中", "http://e.com/", "gbk")
    'http://e.com/s?w=%D6%D0'
    """
    return UrlJoiner(base, page_encoding, ftp=ftp)(raw)


@lru_cache(_CACHE_URLS)
def url_key(url: str) -> UrlKey:
    """Return the identity of a URL in normal form: the first 8 bytes of its blake2b."""
    return digest64(url)


def is_front_page(url: str) -> bool:
    """Tell whether a normal form is the address of the front page of its host.

    >>> [is_front_page(url) for url in ("http://a.org/", "http://a.org/index.html", "http://a.org/b", "http://a.org/?b=/")]
    [True, True, False, False]
    """
    return url.count("/") == 3 and (url.endswith("/") or INDEX_FILE.search(url) is not None)


def host_of(url: str) -> HostKey:
    """Return the lower-case host of an absolute URL, with ``:port`` when it is not the default; '' without a host.

    >>> host_of("http://Example.com:8080/a"), host_of("https://e.org:443/")
    ('example.com:8080', 'e.org')
    """
    scheme, mark, rest = url.partition("://")
    return _host(scheme, re.split(r"[/?#\\]", rest, maxsplit=1)[0]) if mark else ""


@lru_cache(4096)
def registered_domain(host: HostKey) -> str:
    """Return the domain somebody registered: ``e.co.uk`` for ``www.e.co.uk:8080``, the host itself for addresses.

    Domains below which anyone gets a name of his own (github.io, blogspot.com) count as suffixes. The list of
    suffixes is the one that came with tldextract: nothing is fetched.
    """
    name = host if host.startswith("[") else host.partition(":")[0]
    return _suffixes()(name).top_domain_under_public_suffix or name


def url_tokens(url: str, tokenizer: Tokenizer | None = None) -> tuple[str, ...]:
    """Return the words of an URL, the scheme left out (docs/formulas.md B).

    Percent-decoded (UTF-8, else GB18030), split at what is neither letter nor digit, from lower to upper case, and
    between letters and digits; lower case. How a page is made or kept is no word of it: endings as ``.html`` and
    ``.php`` are left out, and ``index`` before them. With a tokenizer its stemming and its Chinese segmentation apply.

    >>> url_tokens("http://e.com/newsOf2024/%E4%B8%AD.html")
    ('e', 'com', 'news', 'of', '2024', '中')
    >>> url_tokens("http://e.com/tea/index.php?s=html")
    ('e', 'com', 'tea', 's', 'html')
    """
    words = url_words(url)
    return tuple(words.split()) if tokenizer is None else tuple(tokenizer.tokens(words))


def path_tokens(url: str, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the words of an URL after its host, as `url_tokens` gives them."""
    words = url_words(url).split()[host_words(host_of(url)) :]
    return tuple(tokenizer.tokens(" ".join(words))) if words else ()


@lru_cache(4096)
def host_words(host: HostKey) -> int:
    """Return how many of the words of a host's URLs are the host's."""
    return len(url_words(f"http://{host}/").split())


def host_tokens(host: HostKey, tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the words of the name somebody gave a host, without the suffix that it shares with others.

    >>> from focuscrawl.text.tokenize import make_words
    >>> host_tokens("tea-house.github.io", make_words())
    ('tea', 'house')
    """
    return tuple(tokenizer.tokens(url_words(_given_name(host))))


@lru_cache(4096)
def _given_name(host: HostKey) -> str:
    found = _suffixes()("" if host.startswith("[") else host.partition(":")[0])
    return f"{found.subdomain}.{found.domain}" if found.suffix else ""


@lru_cache(_CACHE_URLS)
def url_words(url: str) -> str:
    """Return the words of an URL with single spaces between, lower case and not yet segmented."""
    text = url[url.find("://") + 3 :] if "://" in url[:10] else url
    if 0 < text.find("/") < text.rfind("."):
        host, _, path = text.partition("/")
        text = host + _ENDING.sub("", "/" + path)
    if "%" in text:
        raw = unquote_to_bytes(text)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("gb18030", "replace")
    text = written_out(text)
    if text.isascii():
        return " ".join(_ASCII_WORDS.findall(text)).lower()
    return " ".join(_WORDS.findall(_WORD_BORDERS.sub(" ", text))).lower()


# What servers add to the names of pages, and the name of a folder's own page before it.
_ENDING = re.compile(
    r"(?:/(?:index|default))?(?:\.(?:[xsmd]?html?|php[3-8]?|phtml|aspx?|jspx?|jsf|cfm|do|action|pdf|txt)){1,3}(?![^/?#&;])",
    re.IGNORECASE,
)
# Upper case followed by lower case is one word (only the change from lower to upper splits).
_ASCII_WORDS = re.compile("[0-9]+|[A-Z]*[a-z]+|[A-Z]+")
_WORDS = re.compile(r"[^\W_]+")
_WORD_BORDERS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


@lru_cache(1024)
def _base_parts(base: str) -> tuple[str, str, str, str]:
    """Return the base itself, its directory, its origin, and an origin of the same scheme; '' for an unusable base."""
    base = base.strip(_SPACES)
    try:
        document = ada_url.join_url(base, base).partition("#")[0]
    except (ValueError, UnicodeError):
        return "", "", "", ""
    path = document.partition("?")[0]
    origin = "/".join(path.split("/", 3)[:3]) + "/"
    return document, path[: path.rfind("/") + 1], origin, document.partition(":")[0] + "://x/"


@lru_cache(_CACHE_URLS)
def _normal_form(href: str, base: str, encoding: str, ftp: bool) -> str | None:
    if encoding != "utf-8":
        href = _encode_query(href, encoding)
    try:
        url = ada_url.join_url(base or href, href)
    except (ValueError, UnicodeError):
        return None
    return _settled(url, ftp)


@lru_cache(1024)
def _directories(directory: str) -> tuple[str, ...]:
    """Return the directory, the one above it, and so on up to the origin; none for what is no web address."""
    if not directory.startswith(("http://", "https://")) or len(directory) > MAX_URL_CHARS:
        return ()
    names = directory.split("/")
    if len(names) > _MOST_DIRECTORIES:
        return ()
    return tuple(["/".join(names[:count]) + "/" for count in range(len(names) - 1, 2, -1)])


def _settled(url: str, ftp: bool = False) -> str | None:
    """Return the normal form of an absolute URL as the URL rules write it, None when it is refused."""
    try:
        for _ in range(_MAX_PASSES):
            if not url.startswith(("http://", "https://")) and not (ftp and url.startswith("ftp://")):
                return None
            done = _one_pass(url)
            if done == url:
                break
            url = ada_url.join_url(done, done)  # taking parts out may have made new dot segments or a worse host
        else:
            return None
    except (ValueError, UnicodeError):
        return None
    return None if len(url) > MAX_URL_CHARS or _is_trap(url) else url


_known_form = lru_cache(_CACHE_URLS)(_settled)


def _one_pass(url: str) -> str:
    head, query_mark, query = url.partition("#")[0].partition("?")
    scheme, _, rest = head.partition("://")
    netloc, _, path = rest.partition("/")
    if "@" in netloc or ".:" in netloc or netloc.endswith("."):
        netloc = netloc.rpartition("@")[2]
        name, colon, port = netloc.partition(":")
        netloc = name.rstrip(".") + colon + port
    if "%" in path:
        path = _ESCAPE.sub(_plain_escape, path)
    if ";" in path:
        path = _JSESSIONID.sub("", path)
    if query and _MAY_TRACK.search(query):
        query = "&".join(part for part in query.split("&") if not _is_tracking(part))
    if query and _SORTED_LISTING.fullmatch(query):
        query = ""
    result = f"{scheme}://{netloc}/{path}"
    if query_mark and query:
        result = f"{result}?{query}"
    return result


def _plain_escape(match: re.Match[str]) -> str:
    return _ESCAPES[match[0].upper()]


def _is_tracking(part: str) -> bool:
    name, _, value = part.partition("=")
    name = name.lower()
    if name.startswith("utm_") or name in _TRACKING_PARAMETERS:
        return True
    return name == "sid" and _SESSION_ID.fullmatch(value) is not None


def _is_trap(url: str) -> bool:
    # Four slashes beyond those of the scheme are needed for four equal segments: most URLs end here.
    if url.count("/") < 6:
        return False
    segments = url.partition("?")[0].partition("#")[0].split("/")[3:]
    if not segments[-1]:
        segments.pop()
    if len(segments) > MAX_DEPTH:
        return True
    if len(set(segments)) + MAX_SEGMENT_REPEATS > len(segments):
        return False
    return any(segments.count(segment) > MAX_SEGMENT_REPEATS for segment in set(segments))


def _encode_query(href: str, encoding: str) -> str:
    """Percent-encode the non-ASCII characters of the query in the page's encoding, as the WHATWG URL rules say."""
    head, mark, tail = href.partition("?")
    if not mark or "#" in head:
        return href
    query, hash_mark, fragment = tail.partition("#")
    query = _TAB_OR_NEWLINE.sub("", query)
    try:
        encoded = "".join(c if c.isascii() else _encode_char(c, encoding) for c in query)
    except LookupError:
        return href
    return f"{head}?{encoded}{hash_mark}{fragment}"


def _encode_char(char: str, encoding: str) -> str:
    try:
        return "".join([_QUERY_BYTES[byte] for byte in char.encode(encoding)])
    except UnicodeEncodeError:
        return f"%26%23{ord(char)}%3B"


@lru_cache(4096)
def _host(scheme: str, netloc: str) -> HostKey:
    host = netloc.rpartition("@")[2].lower()
    default = {"http": ":80", "https": ":443", "ftp": ":21"}.get(scheme.lower())
    return host.removesuffix(default) if default else host


@lru_cache(1)
def _suffixes() -> tldextract.TLDExtract:
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
