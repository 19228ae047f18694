"""Names of authors: in lines that say who wrote a page, and in blocks that are named after authors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from itertools import chain, islice

from focuscrawl.extraction.dates import iso_date, may_have_date
from focuscrawl.extraction.text_start import text_start
from focuscrawl.page.tree import Element
from focuscrawl.text.scripts import HAN

_DOTS = "·・‧•"  # within foreign names
_CHINESE_NAME = rf"[{HAN}A-Za-z{_DOTS}.]{{2,20}}(?:\s[A-Z][a-z]+)?"
_CHINESE_AUTHOR = re.compile(
    r"(?:作者|[记記]者|撰文|撰稿人?|[发發]布[者人]|[楼樓]主|博主|[笔筆]者|署名|(?<![^\W图圖])文)\s*[:：/／|｜丨]\s*"
    rf"({_CHINESE_NAME})"
    # "本报记者 王一 摄", and no sentence on what a reporter learned
    rf"|[记記]者\s([{HAN}]{{2,4}})(?=\s|$|[)）])"
    rf"|[(（][{HAN}\s]{{0,12}}?[记記]者\s?([{HAN}]{{2,3}})(?=[)）、\s])"
    rf"|(?:^|[\s|·])由\s*({_CHINESE_NAME})\s*(?:于\s*[\d\-/.:年月日\s]{{0,20}})?(?:[发發]布|[发發]表|撰[写寫]|[创創]作|投稿)"
)
# Of a name after a space it has to be sure that it is one: these begin the names of 85 % of Chinese people.
_SURNAMES = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭肖程曹袁邓鄧许許傅沈曾彭吕呂苏蘇"
    "卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯"
)
_PERSON = re.compile(rf"[{_SURNAMES}][{HAN}]{{1,2}}")
_ON_DAY = (
    r"\s*(?:[发發][布佈表]|撰[写寫]|[创創]建|更新)[于於]\s*(?:19|20)\d\d[\d\-/.:：年月日时時分秒\s]{4,30}+"
    r"(?=$|[|｜·•,，;；])"
)
_POSTED_ON = re.compile(_ON_DAY)
_PERSON_POSTED = re.compile(rf"\s*({_PERSON.pattern}){_ON_DAY}")
# Without a colon, and no label of a column: "作者 简介".
_BARE_AUTHOR = re.compile(rf"\s*(?:本文|文章|原文)?作者\s+({_PERSON.pattern})(?=$|[\s|｜·•,，;；])")
_BARE_CHARS = 80
_CHINESE_SIGN = re.compile("[者文稿由主名]")  # each form of `_CHINESE_AUTHOR` has one
_NEXT_CHINESE = re.compile(rf"\s*、\s*({_CHINESE_NAME})|\s+({_PERSON.pattern})(?=[\s、)）]|$)(?!\s*[:：/／|｜丨])")
_PARTICLES = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|bin|ibn|al|el|ter|ten)\s){0,3}+"
_NAMES = r"((?:" + _PARTICLES + r"[A-Z][\w.'’-]++\s?+){%s,4}+)"
_BYLINE = re.compile(
    r"^(?:(?i:posted |published |written )by|by|von|par|por|(?i:authors?\s*:)"
    r"|(?i:posted|published|written|submitted)\s[^|]{0,60}?\sby)\s+" + _NAMES % 1
)
# Of one word, as a member of the site is called.
_MEMBER_BYLINE = re.compile(
    r"^(?:posted|published|written)\s[^|\d]{0,20}\d{1,2}\D{1,12}(?:19|20)\d\d\W{1,3}by\s+([\w.-]{2,30}+)$",
    re.IGNORECASE,
)
# Labels of lists and buttons begin so, too ("By Category"), but have one more word.
_CAPITAL_BYLINE = re.compile(r"^By\s+" + _NAMES % 2)
_CHINESE_BY = re.compile(rf"^by\s+([{HAN}]{{2,4}})(?=\s|$)")
# A comma alone may lead to a place or a post: "By Ann Lee, Staff Writer".
_AND = re.compile(r"((?:,\s*" + _NAMES % 1 + r"){0,4}),?\s*(?:and|&)\s+" + _NAMES % 1)
_POSTED = re.compile(r"\s*(?:于|[发發]布|[发發]表|撰[写寫]|[创創]作|投稿)")
_DATELINE_CHARS = 80
_DATELINE = re.compile(rf"[{HAN}]{{2,12}}(?:\d{{1,2}}月\d{{1,2}}日)?[{HAN}]{{0,4}}(?<=[电電讯訊])\s?[(（]")
_BETWEEN = frozenset({"、", ",", "，", "&", "and", ", and", "和", "与"})
_MAX_NAMES = 5
_BYLINE_STARTS = frozenset("aAbBsSwWvVpP")
# A line that ends before the name, which stands in an element of its own. What begins otherwise names the author of a
# theme, a picture, a licensed work.
_OPENER = re.compile(
    r"\W*(?:(?:(?:posted|published|written|submitted|contributed)\b.*\W)?by|authors?\s*:|(?:本文|文章)?由"
    r"|(?:(?:本文|文章|原文)?作者|[发發]布[者人]|[楼樓]主|博主|撰文|撰稿|署名)\s*[:：|｜丨]|(?:本文|文章|原文)?作者)\W*",
    re.IGNORECASE | re.DOTALL,
)
OPENER_ENDS = frozenset("yY:：|｜丨由者")
"""Last characters of text that may lead up to the name of an author, white space left out."""
BARE_SIGN = "者"
"""Ends a label without a colon; the names of columns follow it, too."""
POSTER_SIGN = "由"
"""Leads up to whom a page is by, and to whom else anything is by."""
_LABEL = re.compile(
    r"(?:(?:posted|published|written)\s+by\b|by\b|authors?(?:\sarchives?)?\b|作者(?=\s*[:：])|本[报報刊台社网網][记記]者(?=\s))\s*[:：]?\s*",
    re.IGNORECASE,
)
_MASKED_EMAIL = re.compile(r"[(<\[][\w.+-]{1,60}_at_[\w.-]{1,60}[)>\]]")  # by hypermail
_EMAIL = re.compile(r"[(<\[]?(?<![\w.+-])[\w.+-]++@[\w.-]++[)>\]]?")
_BETWEEN_NAMES = re.compile(r"(?<!\s)\s*+(?:(?<!\d)[,、;；]|[,、;；](?!\d))\s*+")
_ROUND_NAMES = " \n\t\r,;:|/\\·•–—-，、；："
_MAX_PERSON_CHARS = 120  # of all authors of a page
_LEAST_LETTERS = 2
_MAX_NAME_CHARS, _MAX_NAME_WORDS = 40, 5
# What software, themes and editors put where a name belongs.
_NOBODY = (
    "admin administrator anonymous author default guest n/a none null root superuser sysadmin undefined unknown user "
    "username webmaster 佚名 匿名 匿名用户 匿名網友 匿名网友 未知 无 無 管理员 管理員 网站管理员 系统管理员 超级管理员 "
    "本站 本站编辑 本站原创 网络 網路 互联网 转载 login register 登录 登錄 登入 注册 註冊 游客 访客"
)
_PLACEHOLDERS = frozenset(_NOBODY.split()) | {
    "author name", "jane doe", "john doe", "log in", "sign in", "site admin", "super user", "thread starter",
    "your name"
}  # fmt: skip
_AUTHOR_CLASSES = frozenset({"author", "byline", "p-author"})
# "post-author", "article__author-name"
_OF_AUTHOR = re.compile(
    r"(?:^|\s)(?:(?:article|blog|content|email|entry|item|mail|message|meta|news|post|story|thread|topic)[_-]{1,2})?"
    r"authors?(?:[_-]{1,2}name)?(?:\s|$)",
    re.IGNORECASE,
)
_AUTHOR_PAGE = re.compile(r"/authors?/[^/?#]++/?(?:index\.html?)?$")
_MEMBER_PAGE = re.compile(r"/(?:(?:users?|people|members?|profiles?|u)/(?:token/)?|@)[^/?#]++/?$")
_PERSON_ICON = re.compile(r"[_-](?:user|account|author|person)(?:-(?:o|alt|circle|fill|line))?(?![\w-])")
_LINE_LEVELS = 3  # around a name
_MAX_CLASSES_KNOWN = 4_096  # coloured code has a thousand elements of a dozen classes
_OTHERS_WORDS = re.compile(
    r"(?<![^\s_-])(?:comments?|commentlist|respond|repl(?:y|ies)|disqus|pingbacks?|testimonials?|quotes?)(?![^\s_-])",
    re.IGNORECASE,
)
_MAX_LEVELS = 50  # of blocks around a name
_TEXT_TAGS = frozenset({"article", "main"})
LINE_CHARS = 200
"""Characters beyond which a text is more than a line with a date or a byline."""
_AUTHOR_LABEL = re.compile(r"\s*作者\s*[:：]")
_MAX_BESIDE, _MIN_OTHERS = 300, 2
# "View all of Ann Lee's posts", what a link to them says below the article.
_POSTS = "(?:posts|articles|stories|entries)"
_ALL_POSTS = re.compile(
    r"(?:(?:(?:view|see|read|show|browse)\s)?(?:all|more)\s|(?:view|see|read|show|browse)\s)"
    rf"(?:(?:of\s)?(?P<whose>.{{2,60}})['’]s\s{_POSTS}|{_POSTS}\s(?:by|from)\s(?P<by>.{{2,60}}))"
    r"|(?:查看|浏览|瀏覽|阅读|更多)(?:所有由|全部由|由)?(?P<zh>.{2,30}?)(?:[发發][布表佈]|撰[写寫])?的?(?:所有|全部|更多)?文章",
    re.IGNORECASE,
)
_ALL_POSTS_CHARS = 100


def person(text: str) -> str:
    """Return the author or authors that `text` states, without label, addresses and punctuation around; '' for none.

    What stands in a name's place and names nobody ("admin", "John Doe", 佚名) is none.
    """
    text = " ".join((unescape(text) if "&" in text else text).split())  # some are escaped twice
    if not text or len(text) > _MAX_PERSON_CHARS or "://" in text:
        return ""
    if "@" in text:
        text = _EMAIL.sub("", text)
    if "_at_" in text:
        text = _MASKED_EMAIL.sub("", text)
    text = _BETWEEN_NAMES.sub(", ", text.strip(_ROUND_NAMES))
    text = text[3:] if text[:3].lower() == "by " else text
    return "" if text.lower() in _PLACEHOLDERS or _is_code(text) else text


def given_name_first(name: str) -> str:
    """Return a name of a catalogue as people write it: "Lee, Ann" is Ann Lee, "林, 清" 林清.

    A text with another comma, or with several words on both sides of it, stays: that may be two names.

    >>> given_name_first("van Dyke, Ann"), given_name_first("Ann Lee, Bo Ray")
    ('Ann van Dyke', 'Ann Lee, Bo Ray')
    """
    family, comma, given = (part.strip() for part in name.partition(","))
    if not comma or not family or not given or "," in given or (" " in family and " " in given):
        return name
    return f"{family}{given}" if _PERSON.fullmatch(family + given) is not None else f"{given} {family}"


def _is_code(name: str) -> bool:
    """Tell whether a name is the number of an editor ("105464", "L_104485"): it has digits, and one letter at most."""
    return sum(map(str.isalpha, name)) < _LEAST_LETTERS and any(map(str.isdigit, name))


def byline(text: str) -> str:
    """Return the author that a line names, several as "Ann Lee, Bo Ray", '' for none."""
    is_chinese = not text.isascii() and _CHINESE_SIGN.search(text) is not None
    if is_chinese and (match := _CHINESE_AUTHOR.search(text)) is not None:
        names = [match[match.lastindex or 0]]
        end = match.end(match.lastindex or 0)
        for _ in range(_MAX_NAMES - 1):
            if (following := _NEXT_CHINESE.match(text, end)) is None:
                break
            names.append(following[following.lastindex or 0])
            end = following.end()
        return joined(names)
    if not text.isascii() and len(text) <= _BARE_CHARS:
        match = _BARE_AUTHOR.match(text) if is_chinese else _PERSON_POSTED.match(text)
        if match is not None:
            return match[1]
    start = text.strip()
    if start[:1] not in _BYLINE_STARTS:
        return ""
    match = _BYLINE.match(start) or _CAPITAL_BYLINE.match(start) or _CHINESE_BY.match(start)
    if match is None:
        match = _MEMBER_BYLINE.match(start)
        return person(match[1]) if match is not None else ""
    others = _AND.match(start, match.end())
    return joined([match[1], *(others[1].split(",") if others is not None else ()), others[3] if others else ""])


def dateline_author(text: str) -> str:
    """Return the author in the line with which a paragraph of news begins, '' for none.

    >>> dateline_author("　　本报讯（记者叶婉）近日，心理服务项目在北京市启动。")
    '叶婉'
    """
    start = text[:_DATELINE_CHARS].strip()
    return byline(start) if _DATELINE.match(start) is not None else ""


def joined(names: Iterable[str]) -> str:
    """Return names as one text, each once, without punctuation around and what names nobody."""
    found = dict.fromkeys(name for raw in names if (name := raw.strip(_ROUND_NAMES)))
    return ", ".join(name for name in found if name.lower() not in _PLACEHOLDERS)


def parts_names(text: str) -> bool:
    """Tell whether a text between two names says that both are meant.

    >>> [parts_names(text) for text in ("、", " and ", ", ", "　", " in ")]
    [True, True, True, False, False]
    """
    return text.strip() in _BETWEEN


def may_be_person(name: str) -> bool:
    """Tell whether a text is a Chinese name that begins as a person's does."""
    return _PERSON.fullmatch(name) is not None


def poster(text: str, tail: str) -> str:
    """Return the text of an element when it is a Chinese name and the text behind it says on which day they posted.

    >>> poster("林清", " 发布于 2024-05-01"), poster("林清", "发表于2024年的文章")
    ('林清', '')
    """
    name = text.strip()
    return name if may_be_person(name) and _POSTED_ON.match(tail) is not None else ""


def is_opener(line: str) -> bool:
    """Tell whether a line of text leads up to the name of an author; its last character is in `OPENER_ENDS` then."""
    return _OPENER.fullmatch(line) is not None


def follows_poster(text: str) -> bool:
    """Tell whether a text after a name that 由 stands before says that the page is by the one named."""
    return _POSTED.match(text) is not None


def classed_author(names: str, element: Element) -> str:
    """Return the name in an element whose class `names` say that it holds an author, '' for none."""
    low = names.lower()
    if ("author" not in low and "byline" not in low) or _AUTHOR_CLASSES.isdisjoint(low.split()):
        return ""
    text = text_start(element)
    members = [
        name for link in islice(element.iter("a"), _MAX_NAMES) if (name := linked_member(link.get("href") or "", link))
    ]
    # "Added by Ann Lee almost 2 years ago": the name is the link to her.
    return members[0] if len(members) == 1 and len(text) <= LINE_CHARS else whole_name(text)


def named_author(names: str, element: Element) -> str:
    """Return the name in an element whose class `names` say that it holds the author of a post, '' for none.

    It may be that of another page's author, as `iconed_author` may; `stands_by_date` tells whose line it is.
    """
    return whole_name(text_start(element)) if _OF_AUTHOR.search(names) is not None else ""


def linked_author(address: str, element: Element) -> str:
    """Return the name in a link whose `address` is that of an author's page, '' for none.

    It may be that of another page's author, as `iconed_author` may; `stands_by_date` tells whose line it is.
    """
    return whole_name(text_start(element)) if _AUTHOR_PAGE.search(address) is not None else ""


def linked_member(address: str, element: Element) -> str:
    """Return the name in a link whose `address` is that of the page of a member of the site, '' for none."""
    return whole_name(text_start(element)) if _MEMBER_PAGE.search(address) is not None else ""


def iconed_author(names: str, element: Element, tail: str | None) -> str:
    """Return the name in an element or behind it whose class `names` say that it is the icon of a person, '' for none.

    Parameters
    ----------
    tail
        Text behind the element, None for none.
    """
    if not _names_person_icon(names):
        return ""
    found = whole_name(text_start(element)) or (whole_name(tail) if tail is not None else "")
    after = element.getnext() if not found and tail is None else None
    return whole_name(text_start(after)) if after is not None else found


@lru_cache(_MAX_CLASSES_KNOWN)
def _names_person_icon(names: str) -> bool:
    return _PERSON_ICON.search(names) is not None


def stands_by_date(element: Element) -> bool:
    """Tell whether an element stands in a line with a date, as that of a post does."""
    for above in islice(element.iterancestors(), _LINE_LEVELS):
        line = " ".join(text_start(above).split())
        if len(line) > LINE_CHARS:
            return False
        if may_have_date(line) and iso_date(line):
            return True
    return False


def related_author(relations: str, element: Element) -> str:
    """Return the name in an element, a link mostly, whose `relations` to the page are its author's, '' for none.

    Names in the elements beside it that have the same relation follow.
    """
    if "author" not in relations.lower().split():
        return ""
    first = _related_name(element)
    others = [
        _related_name(beside)
        for beside in islice(element.itersiblings("a", "span"), _MAX_NAMES - 1)
        if "author" in (beside.get("rel") or "").lower().split()
    ]
    return joined([first, *others]) if first else ""


def _related_name(element: Element) -> str:
    """Return the name in a link to an author's page or to all that the author wrote, '' for none."""
    text = " ".join(text_start(element).split()).rstrip(" .→»›。")
    of_all = _ALL_POSTS.fullmatch(text) if len(text) <= _ALL_POSTS_CHARS else None
    return whole_name(text if of_all is None else of_all["whose"] or of_all["by"] or of_all["zh"])


def is_of_page(element: Element) -> bool:
    """Tell whether an element stands in no block of comments, replies or quotations, nor in the page's footer."""
    footer = inside = False
    for above in islice(chain((element,), element.iterancestors()), _MAX_LEVELS):
        if above.tag == "body":
            break
        if any(_OTHERS_WORDS.search(name) for name in (above.get("class"), above.get("id")) if name):
            return False
        inside = inside or above.tag in _TEXT_TAGS
        footer = footer or above.tag == "footer"
    return inside or not footer


def is_of_several(element: Element, author: str) -> bool:
    """Tell whether blocks beside one that names the `author` name two others: works of a book, each with its own."""
    others: set[str] = set()
    for beside in islice(element.itersiblings(element.tag), _MAX_BESIDE):
        text = beside.text
        if text is not None and _AUTHOR_LABEL.match(text) is not None and (name := byline(text)):
            others.add(name)
            if len(others - {author}) >= _MIN_OTHERS:
                return True
    return False


def whole_name(text: str) -> str:
    """Return `text` when that is a name, its label left out; '' otherwise."""
    text = " ".join(text.split())
    text = person(_LABEL.sub("", text, count=1) if _LABEL.match(text) else text)
    is_name = 1 < len(text) <= _MAX_NAME_CHARS and text.count(" ") < _MAX_NAME_WORDS and not text.isdigit()
    return text if is_name else ""
