"""Threads, questions and answers: the blocks that repeat with a person or a moment beside each, and what they say.

A line judge looks at one line after the other; in a thread "Thanks, that helped" is main content only because it
stands where the other posts stand. So the blocks of one signature are taken together: how much of what the judge finds
probable they hold, how little else, whether each has an author or a date near it, what their names say. The lines of
a post are then judged by their place in it, over all posts: what is improbable in that place is a button, a
signature, a counter.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from focuscrawl.extraction.features import Floats
from focuscrawl.extraction.post_lists import LINES_BEFORE, PageLists, PostList
from focuscrawl.extraction.segments import Segments

# A place in the posts whose lines are so much less probable than the posts as a whole is chrome.
_PLACE = 0.3
# Replies within posts are taken with them when they are so densely probable.
_DENSITY = 0.2


@dataclass(frozen=True, slots=True)
class Post:
    """One body of a thread: numbers of its lines, and of the lines around them that may name author and date.

    Lines between records tell where those of its own record do not.
    """

    lines: tuple[int, ...]
    beside: tuple[int, ...]  # in its record
    between: tuple[int, ...]  # before it, in no record
    node: int  # the record's outermost block


@dataclass(frozen=True, slots=True)
class Thread:
    """Posts of a page in document order, the text before and between them, and a confidence."""

    posts: tuple[Post, ...]
    lead: tuple[int, ...]
    title: int  # the line, -1 when none is like the page's title
    score: float  # in [0, 1]
    fit: float  # harmonic mean of the list's share of the probable text and its density, in [0, 1]
    marked: float  # share of the posts with an author or a date, less those with a headline, in [0, 1]
    named: float  # share of the posts named so, in [0, 1]

    @property
    def chosen(self) -> list[int]:
        """Numbers of all lines that are main content, in document order."""
        lines = {at for post in self.posts for at in post.lines} | set(self.lead)
        return sorted(lines | {self.title} if self.title >= 0 else lines)


def find_thread(
    found: Segments, p: Floats, weights: Floats, *, threshold: float, title: str, expected: bool = False
) -> Thread | None:
    """Return the thread on a page, None when it has none.

    Parameters
    ----------
    found
        Lines of the page.
    p, weights
        Of each line the probability of being main content, in [0, 1], and its words.
    threshold
        From which `p` says main content, for the lines outside the posts.
    title
        Of the page.
    expected
        The page says itself that it is a thread: by its types, its address, or the software that made it.

    Time is linear in lines and blocks, for at most twelve kinds of blocks.
    """
    if not found.lines:
        return None
    page = PageLists(found, p, weights, threshold, title)
    lists = [one for members in page.candidates(expected=expected) if (one := page.measured(members)) is not None]
    if not lists:
        return None
    best = max(lists, key=_rank)
    if not best.accepted(expected=expected):
        return None
    best = max(
        (one for one in lists if one is not best and _is_above(page, one, best, expected)), key=_rank, default=best
    )
    posts = _posts(page, best)
    taken = set(best.body)
    inside = [one for one in lists if one is not best and one.accepted(expected=expected) and one.density >= _DENSITY]
    for one in sorted(inside, key=lambda one: -one.score):
        # Replies to a post, comments on an answer: a list within the records of the first.
        if (
            taken.isdisjoint(one.body)
            and not page.is_marks(one.body)
            and all(page.holder(best, at) >= 0 for at in one.members)
        ):
            posts += _posts(page, page.measured(one.members, apart=best.members) or one)
            taken.update(one.body)
    if len(posts) < (1 if expected else 2):
        return None
    held = {at for post in posts for at in post.lines}
    lead = tuple(at for at in best.lead if at not in held and at != best.title)
    posts.sort(key=lambda post: post.lines[0])
    return Thread(tuple(posts), lead, best.title, best.score, best.fit, best.marked, best.named)


def _rank(one: PostList) -> tuple[float, int]:
    return one.score, -len(one.body)


def _is_above(page: PageLists, one: PostList, comments: PostList, expected: bool) -> bool:
    """Tell whether a list is that of the answers whose comments are another list, which may do better as posts.

    What is said in the answers stands before the comments, and in the lead of their list.
    """
    return (
        one.lead_share < comments.lead_share
        and one.body[0] < comments.body[0]
        and one.accepted(expected=expected)
        and not page.is_marks(one.body)
        and all(page.holder(one, at) >= 0 for at in comments.members)
        and set(one.body).isdisjoint(comments.body)
    )


def _posts(page: PageLists, one: PostList) -> list[Post]:
    """Return the posts of a list, each without what is chrome in its place."""
    nodes = page.found.nodes
    places: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for at in one.body:
        node, member = int(page.node[at]), int(one.member[at])
        place = []
        while node != member:
            place.append(page.signature[node])
            node = nodes[node].parent
        places[tuple(place)].append(at)
    kept: set[int] = set()
    for lines in places.values():
        if float(page.mass[lines].sum()) >= _PLACE * one.density * float(page.weights[lines].sum()):
            kept.update(lines)
    by_member: dict[int, list[int]] = {at: [] for at in one.members}
    beside: dict[int, list[int]] = {at: [] for at in one.members}
    between: dict[int, list[int]] = {at: [] for at in one.members}
    pending: list[int] = []
    for at, (inside, record) in enumerate(zip(one.member.tolist(), one.owner.tolist(), strict=True)):
        if inside >= 0:
            if at in kept:
                by_member[inside].append(at)
            else:
                beside[inside].append(at)
            # A page may put the names between its posts, in no block of their own.
            between[inside] += pending[-LINES_BEFORE:]
            pending.clear()
        elif record >= 0:
            beside[record].append(at)
        else:
            pending.append(at)
    return [
        Post(tuple(by_member[at]), tuple(sorted(beside[at])), tuple(sorted(between[at])), one.roots[at])
        for at in one.members
        if by_member[at]
    ]
