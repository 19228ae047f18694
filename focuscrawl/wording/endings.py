"""Why a crawl stopped, and why relevant pages are no results, in words; the mappings' names are what is stored."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Say, Text, values_of

REASONS: Mapping[str, Text] = {
    "budget": Text("the budget is used up", "预算用完"),
    "exhausted": Text("no links are left to fetch", "没有可抓取的链接了"),
    "archives read": Text("the archives were read to their end", "存档文件已全部读完"),
    "harvest too low": Text("too few of the last pages were relevant", "最近抓取的网页相关的太少"),
    "stopped": Text("stopped by hand", "人工停止"),
    "error": Text("an error ended it", "出错终止"),
}
RECORDS_OF_FILE = Text("{n} records of 1 file", "1 个文件，{n} 条记录", one="{n} record of 1 file")
RECORDS_OF_FILES = Text("{n} records of {files} files", "{files} 个文件，{n} 条记录")
FILES_LEFT_OUT = Text("{n} files left out", "略过 {n} 个文件", one="{n} file left out")
DAMAGED = Text("{n} damaged", "损坏 {n} 条")
SEEN = Text("{n} left out: already in this run", "略过 {n} 条：本次抓取已有")
OUT_OF_SCOPE = Text("{n} left out: out of the topic's scope", "略过 {n} 条：超出主题的范围")
NO_URL = Text("{n} left out: no http or https URL", "略过 {n} 条：不是 http 或 https 网址")
_ARCHIVES = (RECORDS_OF_FILE, RECORDS_OF_FILES, FILES_LEFT_OUT, DAMAGED, SEEN, OUT_OF_SCOPE, NO_URL)
OF_PAGES = Text("{n} pages", "{n} 个网页", one="{n} page")
OF_STORED = Text("{n} relevant pages stored", "已保存 {n} 个相关网页", one="{n} relevant page stored")
OF_VISITS = Text("{n} visits", "{n} 次重访", one="{n} visit")
NO_VISITS = Text("no page of this run can be visited again", "本次抓取没有可以重访的网页")
OF_MINUTES = Text("{n} minutes", "{n} 分钟", one="{n} minute")
OF_HARVEST = Text("{harvest} of the last 100 pages, below {least}", "最近 100 个网页 {harvest}，低于 {least}")
LINKS_LEFT = Text(
    "{n} links wait for hosts that do not answer or want to be left alone",
    "{n} 个链接在等主机：没有应答，或要求暂时不要打扰",
    one="{n} link waits for a host that does not answer or wants to be left alone",
)
NO_SEED = Text("no seed could be fetched", "没有一个种子能抓取")
NO_SEED_FOR = Text("no seed could be fetched: {reasons}", "没有一个种子能抓取：{reasons}")
NO_PUBLIC_SEED = Text(
    "no seed could be fetched: {reasons}; FOCUSCRAWL_ALLOW_PRIVATE=1 lets a crawl reach addresses that are not public",
    "没有一个种子能抓取：{reasons}；设置 FOCUSCRAWL_ALLOW_PRIVATE=1 后可以访问非公网地址",
)
NOT_PUBLIC = Text("{address} is not a public address", "{address} 不是公网地址")
THIS_MACHINE = Text("{name} is this machine", "{name} 指向本机")
HOST_SPENT = Text("budget of the host is spent {times} times", "该主机的抓取额度已用完 {times} 遍")
PATTERN_SPENT = Text("budget of the URL pattern is spent {times} times", "此类网址的抓取额度已用完 {times} 遍")
PRIVATE = (NOT_PUBLIC, THIS_MACHINE)
_WITH_VALUES = (*PRIVATE, HOST_SPENT, PATTERN_SPENT)
_DETAILS = (OF_STORED, OF_HARVEST, LINKS_LEFT, NO_SEED, OF_PAGES, OF_VISITS, NO_VISITS, OF_MINUTES)
NO_REASON = Text("no reason recorded", "没有记录原因")
_FAILURES: Mapping[str, Text] = {
    "timed out": Text("timed out", "超时"),
    "no such host": Text("no such host", "没有这个主机"),
    "no name resolves at present": Text("no name resolves at present", "目前无法解析任何域名"),
    "connection refused": Text("connection refused", "连接被拒绝"),
    "connection broken": Text("connection broken", "连接中断"),
    "connection failed": Text("connection failed", "连接失败"),
    "connection closed before the answer was complete": Text(
        "connection closed before the answer was complete", "应答未完连接即关闭"
    ),
    "no connection": Text("no connection", "无法连接"),
    "the proxy made no connection": Text("the proxy made no connection", "代理未能建立连接"),
    "the proxy is none for HTTP: http_proxy and https_proxy take http://host:port": Text(
        "the proxy is none for HTTP: http_proxy and https_proxy take http://host:port",
        "代理不是 HTTP 代理：http_proxy 和 https_proxy 应为 http://host:port",
    ),
    "too long": Text("too long", "内容过大"),
    "too long when decompressed": Text("too long when decompressed", "解压后过大"),
    "forbidden by robots.txt": Text("forbidden by robots.txt", "robots.txt 不允许"),
    "HTTP 401": Text("HTTP 401 (login needed)", "HTTP 401 需要登录"),
    "HTTP 403": Text("HTTP 403 (forbidden by the server)", "HTTP 403 禁止访问"),
    "HTTP 404": Text("HTTP 404 (page not found)", "HTTP 404 网页不存在"),
    "HTTP 410": Text("HTTP 410 (page removed)", "HTTP 410 网页已删除"),
    "HTTP 429": Text("HTTP 429 (too many requests)", "HTTP 429 请求过多"),
    "HTTP 500": Text("HTTP 500 (server error)", "HTTP 500 服务器错误"),
    "HTTP 503": Text("HTTP 503 (not available now)", "HTTP 503 暂不可用"),
}
FAILURES: Mapping[str, Text] = {
    **_FAILURES,
    "host is banned": Text("host is banned", "主机已被禁止抓取"),
    "too many redirects": Text("too many redirects", "重定向次数过多"),
    "redirected to what is no URL to crawl": Text(
        "redirected to what is no URL to crawl", "重定向目标不是可抓取的网址"
    ),
    "redirects to itself": Text("redirects to itself", "重定向到自身"),
    "redirects to a page that was fetched before": Text(
        "redirects to a page that was fetched before", "重定向到已抓取的网页"
    ),
    "redirects to a host that is asked later; its target is queued by itself": Text(
        "redirects to a host that is asked later; its target is queued by itself",
        "重定向到稍后才访问的主机，目标网址已另行排队",
    ),
    "sends its visitors on; the page it sends them to is queued by itself": Text(
        "sends its visitors on; the page it sends them to is queued by itself",
        "网页只负责跳转，目标网址已另行排队",
    ),
    "sends its visitors on to a page that was fetched before": Text(
        "sends its visitors on to a page that was fetched before", "网页只负责跳转，目标网页已抓取"
    ),
    **{
        f"robots.txt cannot be read: {reason}": Text(
            f"robots.txt cannot be read: {text.en}", f"无法读取 robots.txt：{text.zh}"
        )
        for reason, text in _FAILURES.items()
    },
}
FAILURE = Text("{n} × {reason}", "{reason} × {n}")
NOT_STORED: Mapping[str, Text] = {
    "duplicate": Text("duplicate", "与已有网页重复"),
    "asks not to be indexed": Text("asks not to be indexed", "声明不愿被收录"),
    "says what many addresses of its host say": Text(
        "says what many addresses of its host say", "与同一主机许多网址内容相同"
    ),
}
COUNTED_NOT_STORED: Mapping[str, Text] = {
    "duplicate": Text("{n:,} duplicates", "与已有网页重复 {n:,}", one="{n} duplicate"),
    "asks not to be indexed": Text(
        "{n:,} ask not to be indexed", "声明不愿被收录 {n:,}", one="{n} asks not to be indexed"
    ),
    "says what many addresses of its host say": Text(
        "{n:,} say what many addresses of their host say",
        "与同一主机许多网址内容相同 {n:,}",
        one="{n} says what many addresses of its host say",
    ),
}
COUNTED = Text("{n:,} {what}", "{what} {n:,}")
WORDLESS = Text(
    "{n:,} of {stored:,} results ({share:.0%}) have no topic word in title, text or tags: {hosts}{more}",
    "{stored:,} 个结果中有 {n:,} 个（{share:.0%}）标题、正文和标签里没有主题词：{hosts}{more}",
)
LONE_WORDS = Text(
    "{n:,} of {stored:,} results ({share:.0%}) have only one of the topic's words in title, text and tags ({words});"
    " where one word is not enough, give that word less weight in the topic file"
    " (focuscrawl topic teach RUN --questions 0 judges the run by it)",
    "{stored:,} 个结果中有 {n:,} 个（{share:.0%}）标题、正文和标签里只有一个主题词（{words}）；"
    "若一个词不足为凭，请在主题文件中降低该词的权重"
    "（focuscrawl topic teach 目录 --questions 0 按修改后的主题重新判断）",
)
OF_LONE_WORD = Text("{word} in {n:,}", "{word} {n:,} 个")
COMMON_WORDS = Text(
    "{n:,} of {stored:,} results ({share:.0%}) have in title, text and tags only topic words that many other pages"
    " have, too ({words} of those that are not relevant): give these words less weight in the topic file, say a"
    " quarter of it (focuscrawl topic teach RUN --questions 0 judges the run by it)",
    "{stored:,} 个结果中有 {n:,} 个（{share:.0%}）标题、正文和标签里只有许多其他网页也有的主题词"
    "（不相关网页中 {words}）：请在主题文件中降低这些词的权重，例如降到四分之一"
    "（focuscrawl topic teach 目录 --questions 0 按修改后的主题重新判断）",
)
OF_COMMON_WORD = Text("{word} on {share:.0%}", "{word} 占 {share:.0%}")
FEW_FOUND = Text(
    "hardly any page is on the topic: start nearer to it (focuscrawl seeds find {topic}), take words from a page"
    " you want (focuscrawl topic new NAME --example URL), or answer questions about near misses"
    " (focuscrawl topic teach {run})",
    "几乎没有网页属于该主题：请从更近的网页开始（focuscrawl seeds find {topic}），"
    "从想要的网页取词（focuscrawl topic new 名称 --example 网址），"
    "或对最接近的网页作答（focuscrawl topic teach {run}）",
)
OF_HOST = Text("{n:,} of {host}", "{host} {n:,} 个")
MORE_HOSTS = Text(" and {n:,} more hosts", "，另有 {n:,} 个主机")
COMMA = Text(", ", "，")
SEMICOLON = Text("; ", "；")


def detail_of(stored: str, say: Say) -> str:
    """Return what is stored beside the reason of an end; what is not one of these sentences stands for itself.

    >>> detail_of("no seed could be fetched: 11 × no such host, 2 × HTTP 404", Say("zh"))
    '没有一个种子能抓取：没有这个主机 × 11，HTTP 404 网页不存在 × 2'
    >>> detail_of("1,500 pages", Say("zh")), detail_of("Redis is gone", Say("zh"))
    ('1,500 个网页', 'Redis is gone')
    >>> detail_of("60 visits", Say("zh")), detail_of("1 pages", Say("en"))
    ('60 次重访', '1 page')
    >>> detail_of("67 records of 1 file; 22 left out: already in this run", Say("zh"))
    '1 个文件，67 条记录；略过 22 条：本次抓取已有'
    >>> detail_of("no seed could be fetched: 1 × localhost is this machine", Say("zh"))
    '没有一个种子能抓取：localhost 指向本机 × 1'
    """
    for text in (NO_PUBLIC_SEED, NO_SEED_FOR):
        found = values_of(text, stored)
        if found is not None:
            return say(text, reasons=say(COMMA).join(_failure(one, say) for one in found["reasons"].split(", ")))
    if values_of(RECORDS_OF_FILE, (parts := stored.split("; "))[0]) or values_of(RECORDS_OF_FILES, parts[0]):
        return say(SEMICOLON).join(say.stored(_ARCHIVES, part) for part in parts)
    return say.stored(_DETAILS, stored)


def failure_reason(stored: str, say: Say) -> str:
    """Return the stored reason of a fetch that gave no page; one that is not known stands for itself.

    >>> failure_reason("localhost is this machine", Say("zh")), failure_reason("timed out", Say("zh"))
    ('localhost 指向本机', '超时')
    """
    return say.known(FAILURES, say.stored(_WITH_VALUES, stored)) or say(NO_REASON)


def _failure(stored: str, say: Say) -> str:
    found = values_of(FAILURE, stored)
    if found is None:
        return stored
    return say(FAILURE, n=found["n"], reason=failure_reason(found["reason"], say))


def counted_reasons(reasons: Mapping[str, int], say: Say) -> str:
    """Return how many pages are no results for which reason, most first.

    >>> counted_reasons({"duplicate": 14, "asks not to be indexed": 1033}, Say())
    '1,033 ask not to be indexed, 14 duplicates'
    """
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return say(COMMA).join(
        say(COUNTED_NOT_STORED[reason], n=count)
        if reason in COUNTED_NOT_STORED
        else say(COUNTED, n=count, what=say.known(NOT_STORED, reason))
        for reason, count in ordered
    )
