"""Lines of a page that are its controls or lead on to other pages: never main text, whatever stands beside them.

Old layouts put 【打印】【关闭】, the size of the type, counters of readers and the pages before and after into the cell
of the text, where lines that are judged one by one share its place.
"""

from __future__ import annotations

import re
from itertools import chain, islice

from focuscrawl.extraction.class_names import GROUPS
from focuscrawl.extraction.segments import HEADINGS, Segment, Segments

_LINE_CHARS = 120
# Words of one character are controls only beside others.
_WORDS = (
    "打印本页|打印此页|打印页面|打印文章|打印|列印|关闭窗口|关闭本页|关闭页面|关闭此页|关闭|關閉視窗|關閉|返回顶部|返回首页|返回列表|"
    "返回上一页|返回上页|返回目录|返回|回到顶部|回頂端|回首頁|加入收藏|收藏本页|收藏本文|收藏|推荐给好友|推荐给朋友|发送给好友|"
    "复制链接|我要纠错|纠错|分享到|分享至|分享|转发|字体大小|字体|字號|字号|特大|超大|大号|中号|小号|大|中|小|顶部|"
    "[Pp]rint this page|[Pp]rint|[Cc]lose window|[Cc]lose|[Bb]ack to top|[Ee]mail|[Ss]hare"
)
_CONTROLS = re.compile(rf"(?:[\W_]*+(?:{_WORDS}))++[\W_]*+")
# Names of one control that nothing else is called.
_SURE = re.compile(
    r"[\W_]*+(?:打印(?:本页|此页|页面|文章)|关闭(?:窗口|本页|页面|此页)|返回(?:顶部|首页|列表|上一?页)|回(?:到顶部|頂端|首頁)|"
    r"加入收藏|收藏本[页文]|推荐给[好朋]友|复制链接|分享[到至]|[Pp]rint this page|[Bb]ack to top)[\W_]*+"
)
_BRACKETS = frozenset("【】［］[]〖〗")
_SIZES = re.compile(r"[\W_]*+字(?:体(?:大小)?|號|号)\s*+[:：]")
_ADVERTISEMENT = re.compile(
    r"[\W_]*+(?:广告|廣告|(?:(?:article|story) continues (?:below|after)(?: (?:this|the))? )?advertisement)[\W_]*+",
    re.I,
)
_DATA = frozenset({"td", "th", "li", "dt", "dd", "pre"}) | HEADINGS
_CELLS = frozenset({"td", "th"})
_BESIDE = re.compile(
    r"\W*+(?:[上下]一(?:篇文章|篇|条|條|则|則|页|頁|章|节|節|主题|主題)"
    r"|(?:[Pp]revious|[Nn]ext) (?:[Mm]essage|[Pp]ost|[Aa]rticle|[Pp]age))(?P<sign>\s*+[:：])?"
)
_NONE = re.compile(r"\s*+(?:暂?没?有了|没有了?|無|无|none)?[\W_]*+", re.I)
_LABEL = re.compile(r"(?:作者|来源|來源|稿源|(?:责任)?编辑|(?:发布|发表|更新)?(?:时间|日期)|录入|发布人)\s*[:：]")
_COUNTER = re.compile(
    r"(?:点击数?|浏览(?:次数|量)|阅读(?:次数|量)?|访问(?:次数|量)|人气)\s*[:：]\s*\d{0,9}(?:\s*次)?(?=\W|$)"
)
# "发表于 2024-01-20 更新于 2024-04-30 分类于 历史 本文字数： 2.6k", and no heading of an addition: "更新 2024-04-30".
_DATED = re.compile(
    r"\W*+(?:最[后後]|首次)?(?:[发發][表布佈]|撰[写寫]|[创創]建|更新|修改|[编編][辑輯])(?:[时時][间間]|日期|[于於])\s*+[:：]?\s*+"
    r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[T\s]?\d{1,2}:\d\d(?::\d\d)?)?\s*+"
    r"(?:$|[|｜·•]|[发發更修编編撰]\w{1,3}[于於]|分[类類]|[标標][签籤]|(?:本文)?字[数數]|[阅閱][读讀]|[浏瀏]?[览覽]|[评評][论論]|作者)"
)
_UNITS = r"(?:k|[字个]|分[钟鐘]|[秒分]|min(?:ute)?s?)?"
_LENGTH = re.compile(
    rf"[\W_]*+(?:(?:本文|文章|总|總)?字[数數](?:[统統][计計])?|(?:[预預][计計])?[阅閱][读讀][时時][长長间間])[\W\d_]++{_UNITS}[\W_]*+"
    rf"(?:[阅閱][读讀][时時][长長间間][\W\d_]++{_UNITS}[\W_]*+)?"
)
_NETWORKS = (
    r"(?:facebook|twitter|x|linkedin|reddit|pinterest|whatsapp|telegram|tumblr|mastodon|bluesky|hacker news|e-?mail|"
    r"微博|微信|qq)(?:[\W_]++|$)"
)
_TAGGED = re.compile(
    r"[\W_]*+(?:tag(?:s|ged(?: (?:as|with|under))?)?|labels?|filed under|posted in|categories|[标標][签籤]|"
    r"[分归歸][类類]于?)\s*+(?P<sign>[:：])?",
    re.I,
)
_TWEET = re.compile(r"[\W_]*+(?:tweet|like|pin it|分享|转发)(?: this| it)?[\W_]*+", re.I)
# "文章数目 :" and "本站总访问量 次", whose figures a script fills in.
_FIGURES = re.compile(
    r"(?:[\W_]*+(?:[本全][站網]|[网網]站)?(?:文章(?:数目|總?数|总数)|已?[运運]行(?:时间|時間|天数)|[总總]?字[数數]|访客数|訪客數|"
    r"[总總]?[访訪][问問]量|[总總]?[浏瀏]?[览覽]量|最[后後]更新(?:时间|時間)|载入(?:天数|时分秒|网站运行时间))"
    r"(?:\s*+[:：][\W\d_]*+|[\W\d_]++)[万kw]?[天次人篇字]?)++[\W_]*+",
    re.I,
)
_SCRIPT_CHARS = 80
_LANGUAGE, _LANGUAGE_CHARS = "language-", 20
_SCRIPTED = re.compile(
    r"works best with javascript|(?:please|need to|have to|must) (?:enable|turn on|allow) javascript|"
    r"(?:允许|启用|开启|打开)\s?javascript\s?(?:运行|以|来|后)",
    re.I,
)
_POSTED, _POSTED_CHARS = "This entry was posted ", 600
# Of forms to write a comment in, by WordPress.
_FORM_CHARS = 400
_FORM_BEGINS = frozenset("YyNnMmEeXxSs您电邮")
_FORM = re.compile(
    r"your e-?mail(?: address)? (?:will not be|is never) (?:published|shared)(?: n?or shared)?\.?"
    r"(?: required fields are marked\W*+)?|"
    r"(?:name|e-?mail|mail)(?: \((?:will not be published|never published)\))? \(required\)|"
    r"save my name, e-?mail,? and (?:website|site url) in (?:this|my) browser for (?:the )?next time i comment\.?|"
    r"(?:xhtml\W++)?you (?:can|may) use these (?:html )?tags(?: and attributes)?\W.*+|"
    r"(?:您的|你的)?(?:电子)?(?:邮箱|邮件)(?:地址)?不会被公开。?(?:\s*+必填项已用\W*+标注)?",
    re.I,
)
# "[contact-form id=”12″ title=”Write”]", which the plug-in that made something of it is not there to do any more.
_SHORTCODES = re.compile(
    r"(?:\s*+\[(?:[a-z][\w-]*+\s++[\w-]++=[^\[\]]*+|/[a-z][\w-]*+|[a-z]++_[\w-]++)\])++\s*+", re.IGNORECASE
)
_SHARE = re.compile(rf"[\W_]*+share(?: this(?: post| article)?)?(?:\s?:| on| via)[\W_]++(?:{_NETWORKS})++", re.I)
_MORE = re.compile(
    r"\W*+(?:continue reading|read more|[阅閱][读讀]全文|[阅閱][读讀]更多|[继繼][续續][阅閱][读讀])(?:\W*+|\s[“\"].++)",
    re.I,
)
# Before links to other pages, in the same line or in those below.
_ALSO_WORDS = (
    r"read also|also read|auch (?:lesen|interessant)|lesen sie auch|lies auch|"
    r"das (?:thema )?könnte (?:sie|dich) auch interessieren|(?:le|te) puede interesar|lee también|(?:à )?lire aussi|"
    r"(?:czytaj|zobacz) (?:też|także|również)|leggi anche|leia também|(?:延伸|相[关關]|推[荐薦])[阅閱][读讀]"
)
_ALSO = re.compile(rf"[\W_]*+(?:{_ALSO_WORDS}|read (?:more|next))\s*+[:：]", re.I)
_RELATED = re.compile(
    rf"\W*+(?:{_ALSO_WORDS}|"
    r"相关(?:文章|阅读|新闻|报道|链接|推荐|内容|信息|资讯)|推荐(?:阅读|文章)|热门(?:文章|推荐)|猜你喜欢|相關(?:文章|新聞|報導)|"
    r"related (?:articles|posts|stories|links|content|pages|entries|reading|news)|"
    r"recommended (?:articles|posts|stories)|you (?:may|might) also like)\W*+",
    re.I,
)
# Above the links to the sections of a page.
_CONTENTS = re.compile(
    r"[\W_]*+(?:(?:table of )?contents|(?:in|on) this (?:page|article)|(?:文章|本文|内容)?目[录錄次]|"
    r"inhalt(?:sverzeichnis)?|sommaire)[\W_]*+",
    re.I,
)
_FIELDS, _CHOICES = frozenset({"input", "textarea"}), frozenset({"checkbox", "radio"})
_FIELD_PARTS = 12
_TOC_BLOCK, _TOC_LEVELS = 1 << GROUPS.index("toc"), 4
_RELATED_BLOCK = 1 << GROUPS.index("related")
# Where no line begins otherwise that any of these patterns matches.
_BEGINS = re.compile(
    r"[\W_]*+(?:[打列关關返回加收推发送复我纠分转字特大超中小顶广廣上下作来來稿责编更时日录相热猜最首發撰创創修編本文总總预預阅閱继繼"
    r"标標归歸全网網已运運访訪览覽浏瀏载文目内]|p(?:rint|rev|ost|in)|"
    r"c(?:los|atego|ont(?:in|ent))|back|email|s(?:hare|tory|omm)|a(?:rticle|dvert|lso|uch)|next|in(?:halt| this)|"
    r"on this|re(?:ad|lat|comm)|you|t(?:ag|weet|able)|l(?:abel|ike)|filed|"
    r"das |l(?:e |ee |esen|ies|ire|eggi|eia)|te |à lire|czytaj|zobacz|延)",
    re.I,
)


def control_lines(found: Segments) -> frozenset[int]:
    """Return the numbers of the lines that are controls, labels of code, counters, or lists of links to other pages.

    Below a heading of related pages that begins a block named so, these are all lines of the block: the beginnings of
    those pages. Time is linear in the lines and their text, and in the blocks around each of a few headings.
    """
    controls: set[int] = set()
    labelled, nodes = found.labelled, found.nodes
    scripted = "avascript" in "\n".join([line.text for line in found.lines]).lower()
    related = False
    for at, line in enumerate(found.lines):
        text = line.text
        if at in controls:
            continue
        if (
            (related and (related := _is_link(line)))
            or (scripted and len(text) <= _SCRIPT_CHARS and _SCRIPTED.search(text) is not None)
            or (line.links > 0 and len(text) <= _POSTED_CHARS and text.startswith(_POSTED))
            or (len(text) <= _LANGUAGE_CHARS and _LANGUAGE in nodes[line.node].names and _names_language(found, at))
            or (text[0] in _FORM_BEGINS and len(text) <= _FORM_CHARS and _FORM.fullmatch(text) is not None)
            or (text[0] == "[" and _SHORTCODES.fullmatch(text) is not None and nodes[line.node].tag not in _DATA)
            or (line.node in labelled and len(text) <= _LINE_CHARS and _is_of_field(found, line))
        ):
            controls.add(at)
        elif len(text) > _LINE_CHARS or _BEGINS.match(text) is None:
            continue
        elif _RELATED.fullmatch(text) is not None:
            controls.update(_related_lines(found, at))
            related = at not in controls and at + 1 < len(found.lines) and _is_link(found.lines[at + 1])
            if related:
                controls.add(at)
        elif (
            _is_control(text)
            or _leads_on(line)
            or _is_counter(text)
            or _DATED.match(text) is not None
            or _LENGTH.fullmatch(text) is not None
            or _SHARE.fullmatch(text) is not None
            or _is_tagged(line)
            or _leads_aside(line)
            or (_CONTENTS.fullmatch(text) is not None and _heads_contents(found, at))
            or (_is_link(line) and _TWEET.fullmatch(text) is not None)
            or (_FIGURES.fullmatch(text) is not None and found.nodes[line.node].tag not in _CELLS)
            or (_is_link(line) and _MORE.fullmatch(text) is not None)
            or (_ADVERTISEMENT.fullmatch(text) is not None and found.nodes[line.node].tag not in _DATA)
        ):
            controls.add(at)
    return frozenset(controls)


def _is_of_field(found: Segments, line: Segment) -> bool:
    """Tell whether a line of a block with a label is that of a field to write in, alone with it: "Email *".

    What can be ticked may be text, as the answers of a quiz.
    """
    # To ask for their number would count them for each line of a block of line breaks.
    parts = list(islice(found.nodes[line.node].element, _FIELD_PARTS + 1))
    labels = [part for part in parts if part.tag == "label"]
    if len(parts) > _FIELD_PARTS:
        return False
    fields = [part for part in chain(parts, *labels) if part.tag in _FIELDS]
    if not labels or not fields or any((part.get("type") or "").lower() in _CHOICES for part in fields):
        return False
    said = "".join(chain.from_iterable(islice(label.itertext(), _FIELD_PARTS) for label in labels))
    return "".join(said.split()) == "".join(line.text.split())


def _related_lines(found: Segments, at: int) -> range:
    """Return the numbers of the lines of the largest block named after related pages that the line `at` begins."""
    nodes, lines = found.nodes, found.lines
    before = lines[at - 1].node if at else -1
    block, named = lines[at].node, -1
    while block > before:
        if nodes[block].bits & _RELATED_BLOCK:
            named = block
        block = nodes[block].parent
    if named < 0:
        return range(0)
    inside = {named}  # blocks that were climbed before: lines deep down have the same ones around them
    for last in range(at + 1, len(lines)):
        climbed, block = list[int](), lines[last].node
        while block > named and block not in inside:
            climbed.append(block)
            block = nodes[block].parent
        if block not in inside:
            return range(at, last)
        inside.update(climbed)
    return range(at, len(lines))


def _heads_contents(found: Segments, at: int) -> bool:
    """Tell whether the line `at` stands in a block named after a table of contents, and above a link."""
    block = found.lines[at].node
    for _ in range(_TOC_LEVELS):
        if block < 0 or found.nodes[block].bits & _TOC_BLOCK:
            break
        block = found.nodes[block].parent
    else:
        return False
    return block >= 0 and at + 1 < len(found.lines) and _is_link(found.lines[at + 1])


def _names_language(found: Segments, at: int) -> bool:
    """Tell whether the line `at` is the language of the code below it, which the block of both is named after."""
    line = found.lines[at]
    if at + 1 >= len(found.lines):
        return False
    names = found.nodes[line.node].names
    below = found.nodes[found.lines[at + 1].node]
    return below.tag == "pre" and below.parent == line.node and _LANGUAGE + line.text.lower() in names.lower().split()


def _is_link(line: Segment) -> bool:
    """Tell whether a line is a link for the most part, a date beside it left out."""
    return line.links > 0 and 2 * line.link_chars >= sum(map(str.isalpha, line.text[:_LINE_CHARS]))


def _is_control(text: str) -> bool:
    if _SURE.fullmatch(text) is not None:
        return True
    marked = not _BRACKETS.isdisjoint(text) or _SIZES.match(text) is not None
    return marked and _CONTROLS.fullmatch(text) is not None


def _leads_on(line: Segment) -> bool:
    """Tell whether a line is a link to the page before or after."""
    match = _BESIDE.match(line.text)
    if match is None:
        return False
    if match["sign"] is None:
        return 2 * line.link_chars > line.chars
    return line.links > 0 or _NONE.fullmatch(line.text, match.end()) is not None


def _is_tagged(line: Segment) -> bool:
    """Tell whether a line is a label of tags or categories with their links, or with nothing."""
    match = _TAGGED.match(line.text)
    if match is None:
        return False
    rest = sum(map(str.isalnum, line.text[match.end() :]))
    if not rest:
        return match["sign"] is not None
    return line.links > 0 and 5 * line.link_chars >= 4 * rest


def _leads_aside(line: Segment) -> bool:
    """Tell whether a line is a label and the link to another page that it recommends."""
    match = _ALSO.match(line.text)
    if match is None or not line.links:
        return False
    return 5 * line.link_chars >= 4 * sum(map(str.isalnum, line.text[match.end() :])) > 0


def _is_counter(text: str) -> bool:
    """Tell whether a line says from whom and when a page is, and how often it was read."""
    return _LABEL.match(text) is not None and _COUNTER.search(text) is not None
