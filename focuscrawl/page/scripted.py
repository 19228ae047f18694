"""Pages that show their text only when their scripts run, which nobody does here."""

from __future__ import annotations

from focuscrawl.page.tree import PageTree

NEEDS_JAVASCRIPT = "its text needs JavaScript, which is not run"
"""Why a page has nothing."""

# Words of a page that has a shell only: a title, "Loading …", a line for browsers without scripts.
_MOST_WORDS = 60
# Characters in the element that a script is to fill.
_MOST_CHARS = 40
# What the frameworks' own starters call that element.
_ROOTS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "q-app", "svelte", "main-app", "react-root"})
_ROOT_TAGS = frozenset({"app-root", "my-app", "ion-app"})


def needs_javascript(tree: PageTree, words: int) -> bool:
    """Tell whether a page with so few words is the shell of an application that a script fills.

    It has a script, and either an empty element by a name that frameworks give theirs, or a ``noscript`` that asks for
    JavaScript. A page with few words and no such sign is what it is.
    """
    if words > _MOST_WORDS:
        return False
    scripted = shell = False
    for element in tree.root.iter("script", "noscript", "div", "main", *_ROOT_TAGS):
        tag = element.tag
        if tag == "script":
            scripted = True
        elif tag == "noscript":
            shell = shell or "javascript" in "".join(element.itertext()).lower()
        elif tag in _ROOT_TAGS or (element.get("id") or "").lower() in _ROOTS:
            shell = shell or tree.text_chars(element) <= _MOST_CHARS
    return scripted and shell
