"""The extractor of threads: posts as records, with the author and the date that stand beside each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from focuscrawl.extraction.base import Extraction, Record
from focuscrawl.extraction.class_names import GROUPS, PHRASES, class_name_bits, phrase_bits
from focuscrawl.extraction.dates import is_of_member, iso_date
from focuscrawl.extraction.fields import page_fields
from focuscrawl.extraction.main_content import Judged, judge_lines
from focuscrawl.extraction.page_type import PAGE_TYPES
from focuscrawl.extraction.post_lists import LINES_BEFORE
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.stamps import stamped_date
from focuscrawl.extraction.threads import Post, Thread, find_thread
from focuscrawl.page.model import PageAnalysis, PageKind
from focuscrawl.page.tree import Element
from focuscrawl.text.normalize import fold
from focuscrawl.types import Explained, clip01

_SAYS_THREAD = 1 << PAGE_TYPES.index("thread")
_PERSON = 1 << GROUPS.index("user") | 1 << GROUPS.index("author")
_MOMENT = 1 << PHRASES.index("moment")
_NAME_CHARS = 40
_DATE_CHARS = 160
_MAX_STAMPS = 40  # elements of a record; its date stands near its start or its end
_NO_NAME = re.compile(r"[:：]\s*\S|\d{3}|^\W*$|https?:")
_SIGNATURE = re.compile(r"signature|\bsig\b|avatar", re.IGNORECASE)
_PROFILE = re.compile(
    r"/(?:u|users?|members?|people|profiles?|author|space)(?:[/.?@]|$)|[?&](?:uid|u|user|un|userid)=|memberlist"
    r"|\bspace-u(?:id|sername)-",
    re.IGNORECASE,
)
# "/user/login/?next=…" is below the pages of members, and nobody's.
_DOOR = re.compile(r"/(?:log|sign)[_-]?(?:in|on|out|up)\b|/regist(?:er|ration)\b", re.IGNORECASE)
_MAX_NAMES = 8
_REPLY = re.compile(r"^\W*(?:(?:re|aw|sv|回复|回覆)[:：]\s*)+")
_SIGNS = "#¶§\u200b \u00a0"
_LABELLED = re.compile(
    r"^(?:author|(?:posted|written|created) by|作者|发帖人|發帖人|发表者|發表者|发表人|发布者|楼主)\s?[:：]\s?(\S.*)$",
    re.IGNORECASE,
)
_BY = re.compile(r"^(?:posted |written |answered |asked )?(?:by|von|par|por|作者|楼主)[:：]?\s+", re.IGNORECASE)


class ThreadExtractor:
    """Main content of threads, questions with answers, and other pages of several bodies.

    Its lines are judged as those of ``main-content``; what it adds are the posts (`threads.py`).
    """

    name = "threads"

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the title and the posts, None for a page that is no thread."""
        judged = judge_lines(page)
        return self.extract_judged(page, judged) if judged is not None else None

    def extract_judged(self, page: PageAnalysis, judged: Judged) -> Extraction | None:
        """Return the title and the posts of a page whose lines are judged already, None when it is no thread."""
        expected = bool(judged.page_type.said & _SAYS_THREAD)
        if page.kind is PageKind.HUB and not expected:
            return None
        thread = find_thread(
            judged.found,
            judged.probabilities,
            judged.weights,
            threshold=judged.threshold,
            title=page.title,
            expected=expected,
        )
        if thread is None:
            return None
        fields = page_fields(page)
        records = thread_records(judged, thread)
        parts = {"fit": thread.fit, "marked": thread.marked, "named": thread.named}
        saying = "a page that says it is a thread" if expected else "a thread by its blocks alone"
        return Extraction(
            method=self.name,
            text=render(judged.found, thread.chosen),
            title=fields.title,
            published=fields.published or (records[0].published if records else None),
            author=fields.author or (records[0].author if records else None),
            category=fields.category,
            tags=fields.tags,
            confidence=Explained(clip01(thread.score), parts, f"{len(thread.posts)} posts on {saying}"),
            records=records,
        )


def thread_records(judged: Judged, thread: Thread) -> tuple[Record, ...]:
    """Return the posts of a thread as records, what stands before the first as the first.

    A post's author is the first short line beside its text that holds a link to a person or a label ("Author: Ann"),
    or stands in a block named after people. Its date is the first that is shown beside its text, or that an element of
    the record declares. Lines between records are looked at from the nearest on.
    """
    found = judged.found
    first = min(post.lines[0] for post in thread.posts)
    title = _bare(found.lines[thread.title].text) if thread.title >= 0 else ""
    opening = [at for at in thread.lead if at < first and _bare(found.lines[at].text) != title]
    records = [_opening_record(judged, opening, thread.title)] if opening else []
    records += [
        Record(
            render(found, post.lines),
            _author(judged, post.beside) or _author(judged, post.between[::-1]),
            _published(judged, post),
        )
        for post in thread.posts
    ]
    return tuple(record for record in records if record.text)


def _opening_record(judged: Judged, lines: Sequence[int], title: int) -> Record:
    """Return what stands before the posts of a list: the first post, with a byline between it and the title."""
    beside = range(max(title + 1, lines[0] - LINES_BEFORE), lines[0])
    first = judged.found.lines[lines[0]].node
    published = _published(judged, Post(tuple(lines), tuple(beside), (), first))
    return Record(render(judged.found, lines), _author(judged, beside), published)


def _bare(title: str) -> str:
    """Return a title without what posts put before it, and signs around it: "Re: Locks ¶" is "locks"."""
    return _REPLY.sub("", fold(title)).strip(_SIGNS)


def _author(judged: Judged, lines: Sequence[int]) -> str | None:
    found = judged.found
    names: list[tuple[int, str]] = []
    for at in lines:
        line = found.lines[at]
        text = _BY.sub("", line.text)
        node = found.nodes[line.node]
        if len(line.text) <= _NAME_CHARS and (labelled := _LABELLED.match(line.text)):
            names.append((0, labelled[1]))
            continue
        if len(text) > _NAME_CHARS or _NO_NAME.search(text) or phrase_bits(line.text) & _MOMENT:
            # "keeper_1 3 points 2 days ago": the name is what is marked as one.
            name = _person_in(node.element) if len(text) <= _DATE_CHARS and not _SIGNATURE.search(node.names) else None
            if name and name in line.text and not phrase_bits(name) & _MOMENT:
                names.append((1, name))
            continue
        above = found.nodes[node.parent].bits if node.parent >= 0 else 0
        if _SIGNATURE.search(node.names):
            continue
        person = _person_in(node.element)
        if person is not None:
            # "Ann Lee, a year ago": the name alone, where it is marked.
            names.append((0, person if len(person) > 1 and person in text else text))
        elif (node.bits | above) & _PERSON:
            names.append((1 if 2 * line.link_chars > line.chars else 2, text))
    return min(names, key=lambda name: name[0])[1] if names else None


def _person_in(block: Element) -> str | None:
    """Return the text of a link or a phrase in a block that is named after people or leads to one, None without such.

    '' where all that is so is pictures.
    """
    if block is None:
        return None
    found = None
    for element in islice(block.iter("a", "span", "b", "strong", "cite"), _MAX_NAMES):
        names = f"{element.get('class') or ''} {element.get('itemprop') or ''} {element.get('rel') or ''}"
        if (class_name_bits(names) & _PERSON and not _SIGNATURE.search(names)) or (
            element.tag == "a" and _is_of_member(element.get("href") or "")
        ):
            link = next((one for one in islice(element.iter("a"), 2) if _is_of_member(one.get("href") or "")), element)
            text = " ".join("".join(islice(link.itertext(), _MAX_NAMES)).split())
            if text and len(text) <= _NAME_CHARS:
                return text
            found = ""
    return found


def _is_of_member(address: str) -> bool:
    return _PROFILE.search(address) is not None and _DOOR.search(address) is None


def _published(judged: Judged, post: Post) -> str | None:
    found = judged.found
    for at in (*post.beside, *post.between[::-1]):
        text = found.lines[at].text
        if len(text) <= _DATE_CHARS and (date := iso_date(text)) and not is_of_member(text):
            return date
    root = found.nodes[post.node].element
    if root is None:
        return None
    return stamped_date(root, _MAX_STAMPS)
