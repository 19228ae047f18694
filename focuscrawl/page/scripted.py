"""Pages that show their text only when their scripts run."""

from __future__ import annotations

import re2

from focuscrawl.page.tree import PageTree

_NEEDED = "its text needs JavaScript"
NEEDS_JAVASCRIPT = f"{_NEEDED}, which is not run"
"""Why a page has nothing."""

# Words of a page that has a shell only: a title, "Loading …", a line for browsers without scripts.
_MOST_WORDS = 60
# Characters in the element that a script is to fill.
_MOST_CHARS = 40
# What the frameworks' own starters call that element.
_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "q-app", "svelte", "main-app", "react-root"})
_ROOT_TAGS = frozenset({"app-root", "my-app", "ion-app"})
# Bytes of text outside tags, scripts and styles: those of so many words, and more.
_MOST_BYTES = 2000
_SIGN = re2.compile(rb"""(?i)<noscript|<(?:app-root|my-app|ion-app)|id\s*=\s*["']?[\w-]""")
_NO_TEXT = re2.compile(rb"(?is)<script\b.*?</script|<style\b.*?</style|<!--.*?-->|<[^>]*>|\s+")


def may_need_javascript(body: bytes) -> bool:
    """Tell by its bytes whether a page may be a shell, so that most pages need no closer look."""
    if b"<script" not in body.lower() or not _SIGN.search(body):
        return False
    return len(_NO_TEXT.sub(b"", body)) <= _MOST_BYTES


def not_rendered(why: str) -> str:
    """Return the reason of a page whose scripts were to be run and were not, or to no avail."""
    return f"{_NEEDED}: {why}"


def has_needed_javascript(reason: str) -> bool:
    """Tell whether the reason of a page is that its text needs JavaScript."""
    return reason.startswith(_NEEDED)


def needs_javascript(tree: PageTree, words: int) -> bool:
    """Tell whether a page with so few words is the shell of an application that a script fills.

    It has a script, and either an empty element by a name that frameworks give theirs, or a ``noscript`` that asks for
    JavaScript. A page with few words and no such sign is what it is.
    """
    if words > _MOST_WORDS:
        return False
    scripted = shell = False
    read = set()  # what is within another was read with it, which for a thousand within each other would take seconds
    for element in tree.root.iter("script", "noscript", "div", "main", *_ROOT_TAGS):
        tag = element.tag
        if tag == "script":
            scripted = True
        elif tag == "noscript":
            if element in read:
                continue
            read.update(element.iter("noscript"))
            shell = shell or "javascript" in "".join(element.itertext()).lower()
        elif tag in _ROOT_TAGS or (element.get("id") or "").lower() in _ROOTS:
            shell = shell or tree.text_chars(element) <= _MOST_CHARS
    return scripted and shell
