"""Class-name vocabulary, and set phrases of lines.

Words of class names and ids are sorted into groups, one bit each; how much a group counts is not decided here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from focuscrawl.page.tree import Element

_GROUPS: dict[str, str] = {
    "body": "article articles body content contents entry main story text detail details copy rich richtext editor "
    "articlebody articlecontent maincontent postcontent postbody newstext newscontent entrycontent zhengwen neirong "
    "wenzhang artibody markdown prose documentation",
    "post": "post posts message messages msg answer question topic thread discussion node postmessage",
    "comment": "comment comments commentlist cmt reply replies respond response responses disqus pinglun",
    "nav": "nav navbar navigation navi menu submenu topmenu topbar toolbar tabs tab dropdown sitenav mainnav",
    "side": "sidebar sidenav aside side rightbar leftbar right left rail secondary widget widgets",
    "foot": "footer foot bottom colophon",
    "head": "header masthead banner top logo hero",
    "crumb": "breadcrumb breadcrumbs crumb crumbs location position",
    "pages": "pager pagination paginator paging pages prev next previous pagenav",
    "related": "related relate recommend recommended recommendation recommendations more hot popular trending latest "
    "recent also similar rank ranking links linklist teaser teasers readmore promo promos xiangguan tuijian",
    "share": "share sharing shares social sns follow addthis jiathis bdsharebuttonbox bdshare like likes vote votes",
    "ad": "ad ads adv advert adverts advertisement sponsor sponsored gg guanggao taboola outbrain adsbygoogle",
    "consent": "cookie cookies consent gdpr privacy popup modal overlay dialog notice alert",
    "signup": "subscribe subscription newsletter signup login signin register paywall cta",
    "meta": "meta byline date time info timestamp published metadata dateline pubtime source laiyuan subtitle",
    "author": "author authors editor bio contributor writer zuozhe bianji",
    "tags": "tag tags keywords keyword category categories label labels tagcloud",
    "caption": "caption credit figcaption photo image img gallery slideshow picture",
    "legal": "copyright license beian icp statement disclaimer terms shengming",
    "user": "user users avatar signature sig profile postprofile member userinfo username rank badge reputation stats",
    "toc": "toc outline contents anchor",
    "search": "search form filter filters sort query",
    "title": "title headline heading biaoti subject",
    "lead": "lead summary abstract intro excerpt standfirst dek description desc deck teaser synopsis",
    "product": "product products price cart sku specs specification specifications item items card cards",
    "review": "review reviews rating ratings testimonial testimonials",
    "quote": "quote quoted blockquote quotecontent",
    "code": "code highlight hljs sourcecode codehilite syntax",
    "button": "btn button buttons action actions controls control tools tool print download",
    "hidden": "hidden hide invisible sr screenreader only visuallyhidden noprint skip",
    "list": "list lists listing archive archives feed grid results result",
}
GROUPS: tuple[str, ...] = tuple(_GROUPS)
"""Names of the groups, in the order of their bits; two more bits follow: `DECLARED_BODY` and `LANDMARK`."""
DECLARED_BODY = 1 << len(GROUPS)  # itemprop="articleBody" and the like
LANDMARK = 1 << (len(GROUPS) + 1)  # role that is not content
BITS = len(GROUPS) + 2

_BITS = {word: 0 for group in _GROUPS.values() for word in group.split()}
for _number, _words in enumerate(_GROUPS.values()):
    for _word in _words.split():
        _BITS[_word] |= 1 << _number
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+")
_LANDMARKS = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar", "dialog"})
_BODY_PROPS = frozenset(
    {"articlebody", "content:encoded", "text", "reviewbody", "description", "schema:articlebody", "schema:text"}
)
_MAX_NAMES_KNOWN = 16_384  # names repeat on a site's pages, some on all sites; 2 MB at most
_MAX_NAMES = 8


@lru_cache(_MAX_NAMES_KNOWN)
def _name_bits(name: str) -> int:
    bits = 0
    if not name.startswith(("tag-", "category-")):
        bits = _BITS.get(name.lower(), 0)
        for word in _WORD.findall(name[:100]):
            bits |= _BITS.get(word.lower(), 0)
    return bits


def names_of(element: Element) -> str:
    """Return the class names and the id of an element, with a space between."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def class_name_bits(names: str, role: str | None = None, prop: str | None = None) -> int:
    """Return the groups, a bit each, that the words in `names` belong to."""
    bits = 0
    # Blog software lists a post's tags and categories among its classes, after those that say what it is.
    for name in names.split()[:_MAX_NAMES]:
        bits |= _name_bits(name)
    if role is not None:
        role = role.strip().lower()
        if role in _LANDMARKS:
            bits |= LANDMARK
        elif role in ("main", "article"):
            bits |= 1
    if prop is not None and prop.strip().lower() in _BODY_PROPS:
        bits |= DECLARED_BODY
    return bits


# Words that name a part of the page and nothing else: a column of the text may be "left" or "main-right".
_PART_WORDS: dict[str, str] = {
    "related": "related relate recommend recommended recommendation recommendations popular trending latest recent "
    "similar teaser teasers readmore promo promos xiangguan tuijian",
    "text": "article body content entry main post posts story text",
    "side": "sidebar sidebars sidenav rightbar leftbar",
    "foot": "footer foot colophon",
}
_PARTS = {name: frozenset(words.split()) for name, words in _PART_WORDS.items()}


@lru_cache(_MAX_NAMES_KNOWN)
def named_part(names: str) -> str:
    """Return which part of the page class and id name: "related", "side", "foot", "text", '' for none.

    >>> named_part("recent-posts"), named_part("sidebar_1"), named_part("post-footer"), named_part("main-left")
    ('related', 'side', 'text', 'text')
    """
    words = {word.lower() for word in _WORD.findall(" ".join(names.split()[:_MAX_NAMES])[:300])}
    return next((name for name, members in _PARTS.items() if not words.isdisjoint(members)), "")


_MESSAGE_WORDS = (
    "alert dialog error errors fail failed failure loading modal notice notification overlay popup toast tooltip "
    "warning"
)
_MESSAGES = frozenset(_MESSAGE_WORDS.split())
SHOWN_FOR = frozenset({"data-ng-show", "ng-show", "v-show", "x-show"})
"""Attributes that name what a script shows a block for (Angular, Vue, Alpine)."""
_CONCEALING = frozenset({"d-none", "hidden", "hide", "invisible", "is-hidden"})


@lru_cache(_MAX_NAMES_KNOWN)
def names_message(names: str) -> bool:
    """Tell whether class and id name a message that a script shows when something happens.

    >>> names_message("modal fade"), names_message("loadingError"), names_message("tab-panel")
    (True, True, False)
    """
    return not _MESSAGES.isdisjoint(word.lower() for word in _WORD.findall(names[:300]))


@lru_cache(_MAX_NAMES_KNOWN)
def conceals(names: str) -> bool:
    """Tell whether a class is one that hides its block."""
    return not _CONCEALING.isdisjoint(names.split())


# Words and phrases that short lines around a text are made of, by what they are a sign of.
_LINE_WORDS: dict[str, str] = {
    "related": "related recommended trending popular also previous next read more stories mehr lesen auch lire aussi "
    "leer czytaj zobacz baca juga leia articles posts topics",
    "share": "share tweet facebook twitter whatsapp pinterest linkedin reddit print email follow instagram youtube "
    "teilen drucken partager compartir udostępnij telegram",
    "byline": "by written posted updated published author editor von reporter correspondent photo photograph source "
    "image credit par por staff views reads",
    "comment": "comment comments reply replies kommentar kommentare commentaires comentarios log login sign register "
    "quote report likes joined member posts registered join",
    "legal": "copyright © rights reserved terms privacy policy cookie cookies datenschutz impressum powered "
    "(c) disclaimer trademarks agb",
    "call": "subscribe newsletter signup download advertisement sponsored anzeige publicité click skip cart buy learn "
    "contact started abonnieren publicidad menu search close toggle open",
    "tags": "tags tag categories category filed topics labels schlagworte schlagwörter keywords themen tagged",
}
_LINE_PHRASES: dict[str, str] = {
    "related": "相关阅读|相关新闻|相关文章|相关链接|相关推荐|相关报道|相关内容|相关专题|"
    "推荐阅读|延伸阅读|热门|猜你喜欢|更多|阅读原文|"
    "上一篇|下一篇|上一页|下一页|関連|ランキング",
    "share": "分享|转发|点赞|收藏|扫一扫|扫描|二维码|微信|微博|朋友圈|关注|打印|字号|字体|大中小|シェア|ツイート",
    "byline": "来源[:：]|作者|编辑|责编|记者|发布时间|发布于|发表于|阅读[:：(数量]|浏览|"
    "点击数|稿源|日期|时间[:：]|供稿|摄影",
    "comment": "评论|回复|跟帖|网友|楼主|登录|注册|发帖|沙发|举报|コメント|返信",
    "legal": "版权|免责|声明|转载|©|备案|ICP|公网安备|侵权|许可证",
    "call": "广告|点击|下载|订阅|客服|联系我们|首页|返回|搜索|APP|客户端|投稿",
    "tags": "标签|关键词|关键字|分类|タグ|カテゴリ",
}
PHRASES: tuple[str, ...] = (*_LINE_WORDS, "moment")
"""Kinds of set phrase, in the order of their bits."""
_LINE_BITS: dict[str, int] = {}
for _number, _words in enumerate(_LINE_WORDS.values()):
    for _word in _words.split():
        _LINE_BITS[_word] = _LINE_BITS.get(_word, 0) | 1 << _number
_PHRASE_BITS = {kind: 1 << number for number, kind in enumerate(_LINE_WORDS)}
_LINE_VOCABULARY = frozenset(_LINE_BITS)
_NO_LETTERS = str.maketrans(dict.fromkeys(":,.!?()[]|»>/", " "))
_MARK = re.compile(r"[:,.!?()\[\]|»>/]")
# One search for all kinds; which one it was is told by the words, or by the two before a choice of characters.
_ALL_PHRASES = re.compile("|".join(_LINE_PHRASES.values()))
_BIT_OF_PHRASE = {
    phrase.partition("[")[0]: _PHRASE_BITS[kind]
    for kind, phrases in _LINE_PHRASES.items()
    for phrase in phrases.split("|")
}
_MOMENT = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?[01]?\d\s?[-/.月]\s?[0-3]?\d|\b\d\d?:\d\d\b|\b\d\d?[./]\d\d?[./](?:19|20)?\d\d\b|"
    r"(?:[jJ]an|[fF]eb|[mM]ar|[aA]pr|[mM]ay|[jJ]un|[jJ]ul|[aA]ug|[sS]ep|[oO]ct|[nN]ov|[dD]ec)[a-z]{0,20}+\.? \d|"
    r"\d (?:minute|hour|day|week|month|year)s? ago|\d\s?(?:分[钟鐘]|小[时時]|天|[周週]|[个個]月|年)\s?[之以]?前"
)
_MOMENT_BIT = 1 << len(_LINE_WORDS)
_DIGIT = re.compile(r"\d")
_PHRASE_CHARS = 160  # a longer line is read for what it says, not for the set phrase in it


def phrase_bits(text: str) -> int:
    """Return which kinds of set phrase a short line has, a bit each in the order of `PHRASES`; 0 for a long one."""
    return _phrase_bits(text) if len(text) <= _PHRASE_CHARS else 0


@lru_cache(maxsize=8192)  # menus and buttons repeat on a site's pages, and several methods read the same lines
def _phrase_bits(text: str) -> int:
    bits = 0
    low = text.lower()
    words = low.split()
    if _MARK.search(low) is not None:
        words += low.translate(_NO_LETTERS).split()
    for word in _LINE_VOCABULARY.intersection(words):
        bits |= _LINE_BITS[word]
    if not text.isascii():
        for found in _ALL_PHRASES.findall(text):
            bits |= _BIT_OF_PHRASE.get(found) or _BIT_OF_PHRASE[found[:2]]
    if _DIGIT.search(text) is not None and _MOMENT.search(text) is not None:
        bits |= _MOMENT_BIT
    return bits
