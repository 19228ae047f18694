"""What a clause on a subject asks for, beside the subject: "collect articles about reefs", 我需要关于茶文化的语料.

Those who build a corpus say so. Pages on the subject do not: their texts have neither *corpus* nor 语料.
"""

from __future__ import annotations

import re2

_LANGUAGES = """
arabic|chinese|czech|danish|dutch|english|finnish|french|german|greek|hebrew|hindi|hungarian|indonesian|italian|japanese
|korean|latin|norwegian|persian|polish|portuguese|romanian|russian|spanish|swedish|thai|turkish|ukrainian|vietnamese
""".replace("\n", "")
# Between the words of a pattern is space, which each alternative has at its end.
_WISH = (
    r"(?:please |could you |can you |(?:i|we) (?:would )?(?:like|want|need) (?:to )?|(?:i'd|we'd) like (?:to )?"
    r"|(?:i am|i'm|we are|we're) |(?:i|we|to) |looking for |look for |search(?:ing)? for |interested in "
    r"|(?:give|show) me "
    r"|(?:build|building|make|making|create|creating|collect|collecting|gather|gathering|crawl|crawling|scrape|scraping"
    r"|download|downloading|find|finding|get|getting|fetch|fetching) )*"
)
_SORT = (
    r"(?:(?:a|an|the|all|any|some|many|more|most|my|our|good|best|useful|recent|latest|new|public|online|academic"
    rf"|scientific|scholarly|long|short|text|(?:{_LANGUAGES})(?:[- ]language)?) )*"
)
_KIND = (
    r"(?:articles?|blogs?|blog posts?|content|corpus|corpora|data|data ?sets?|documents?|essays?|everything|anything"
    r"|facts|information|literature|material|materials|news|pages?|papers?|posts?|publications|reports|research"
    r"|resources|sites|sources|studies|texts?|web ?pages?|web ?sites?|writing|writings) "
)
_STORE = r"(?:archive|collection|corpus|corpora|data ?set|data ?sets|library|list|set) "
_WHERE = rf"(?:(?:written )?in (?:simple |plain )?(?:{_LANGUAGES}) |(?:on|from) the (?:web|internet) )?"
_ABOUT = (
    r"(?:about|concerning|regarding|related to|relating to|relevant to|dealing with|on"
    r"|(?:that|which) (?:are about|deal with|explain|describe|discuss|cover|show|tell|teach)"
    r"|(?:explaining|describing|discussing|covering)) (?:the (?:subject|theme|topic) of )?"
)
_STORED = r"(?:corpus|corpora|data ?sets?) "
_ASKED = re2.compile(
    rf"(?i)^(?:{_WISH}{_SORT}(?:{_STORE}(?:of|with) {_SORT})?{_KIND}(?:(?:and|or) {_SORT}{_KIND})?{_WHERE}{_ABOUT}"
    rf"|{_WISH}{_SORT}{_STORED}{_WHERE}of )"
)
_CHINESE_WISH = "(?:请|麻烦|帮忙|帮我|给我|我们|我|想要|想|需要|希望|打算|准备|正在|要)"
_CHINESE_GETTING = "(?:收集|搜集|采集|抓取|爬取|爬|下载|整理|汇总|寻找|查找|找|搜索|获取|构建|建立|制作)"
_CHINESE_MANY = "(?:一个|一些|一批|一份|些|所有|全部|大量|更多|各种)"
_CHINESE_TELLING = "(?:介绍|讨论|涉及|讲述|讲解|讲)"
_CHINESE_KIND = (
    "(?:有关|相关)?的(?:中文|英文)?"
    "(?:语料库|语料|文本库|文本|数据集|数据|文章|博客|博文|网页|页面|网站|资料|材料|内容|信息|文档|帖子|新闻报道|报道)"
)
# Of 下载软件的网站 and 找工作的网站 the verb is the subject's, and of 抓取唐诗的网页 it is not.
_CHINESE_BEFORE = (
    f"(?:{_CHINESE_WISH}+{_CHINESE_GETTING}{_CHINESE_MANY}?|{_CHINESE_GETTING}{_CHINESE_MANY}"
    f"|{_CHINESE_WISH}+{_CHINESE_MANY}?|收集|搜集|采集|抓取|爬取)"
)
_CHINESE_ASKED = re2.compile(
    f"^{_CHINESE_BEFORE}?关于(.{{2,}}?)(?:{_CHINESE_KIND})?$"
    f"|^{_CHINESE_BEFORE}?有关(.{{2,}}?){_CHINESE_KIND}$"
    f"|^{_CHINESE_BEFORE}?[与和跟同](.{{2,}}?)(?:有关|相关)(?:{_CHINESE_KIND})?$"
    f"|^{_CHINESE_BEFORE}?{_CHINESE_TELLING}([^座义课师话稿坛].+?){_CHINESE_KIND}$"
    f"|^{_CHINESE_BEFORE}(.{{2,}}?){_CHINESE_KIND}$"
)


def subject_of(clause: str) -> str:
    """Return a clause without the words that ask for pages; the clause itself where it has none, or nothing else.

    >>> subject_of("I'm building a corpus of English texts on maritime law")
    'maritime law'
    >>> subject_of("抓取与人工智能有关的文章")
    '人工智能'
    >>> subject_of("Corpus linguistics")
    'Corpus linguistics'
    """
    spaced = " ".join(clause.replace("’", "'").split())
    if (found := _CHINESE_ASKED.match(spaced)) is not None:
        subject: str = next(group for group in found.groups() if group)
        return subject
    found = _ASKED.match(spaced)
    return spaced[found.end() :] if found is not None and found.end() < len(spaced) else clause
