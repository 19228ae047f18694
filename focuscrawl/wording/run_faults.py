"""What is wrong with a run, or with what is asked of one, in words.

As for topic files, the sentences are made in English where the fault is found; here is what they are shown as.
"""

from __future__ import annotations

from focuscrawl.wording.base import Text

_NAME = '没有叫这个名字的运行；应为运行目录、主题名或 "latest"'

RUN_FAULTS = (
    Text(
        '"{name}": no run of this name; a run folder, a topic or "latest" is expected; topics with runs in {base}:'
        " {topics}.",
        f'"{{name}}"：{_NAME}；{{base}} 里有运行的主题：{{topics}}。',
    ),
    Text(
        '"{name}": no run of this name; a run folder, a topic or "latest" is expected; no runs in {base}.',
        f'"{{name}}"：{_NAME}；{{base}} 里还没有运行。',
    ),
    Text(
        '"": no run is named; a run folder, a topic or "latest" is expected.',
        '""：没有指明运行；应为运行目录、主题名或 "latest"。',
    ),
    Text(
        '{base}: no run here yet; "focuscrawl crawl" makes one, or "focuscrawl demo".',
        '{base}：这里还没有运行；用 "focuscrawl crawl" 或 "focuscrawl demo" 抓取一次。',
    ),
    Text("{path}: there is no such run folder.", "{path}：没有这个运行目录。"),
    Text("{path}: a run folder is expected, this is a file.", "{path}：应为运行目录，这是一个文件。"),
    Text(
        '{path}: not a run folder: there is no crawl.db in it, but "{name}"; name a new or empty folder.',
        '{path}：不是运行目录：里面没有 crawl.db，却有 "{name}"；请给一个新的或空的目录。',
    ),
    Text(
        "{path}: not a run folder: there is no crawl.db in it.",
        "{path}：不是运行目录：里面没有 crawl.db。",
    ),
    Text(
        "{path}: it is empty; the crawl was stopped before it began.",
        "{path}：是空的；抓取在开始之前就停止了。",
    ),
    Text(
        "{path}: {who} is crawling in this run folder; wait for it, stop it, or name another folder.",
        "{path}：{who} 正在这个运行目录里抓取；请等它结束、停止它，或换一个目录。",
    ),
    Text(
        "{path}: pages = {pages} leaves nothing to fetch, the run has {fetched} pages already; name what it shall have"
        " in all, as in --pages {goal} (scrapy: -a pages={same}).",
        "{path}：pages = {pages} 没有留下可抓取的，这个运行已有 {fetched} 个网页；请给出总数，如 --pages {goal}"
        "（scrapy：-a pages={same}）。",
    ),
    Text(
        '{path}: this run is about "{topic}", not "{other}"; name another folder with --run (scrapy: -a run=).',
        '{path}：这个运行的主题是 "{topic}"，不是 "{other}"；请用 --run 另给一个目录（scrapy：-a run=）。',
    ),
    Text(
        "{path}: there is no run here to go on with; to begin one, name a topic: {command} (scrapy: -a topic=).",
        "{path}：这里没有可以继续的运行；要开始一个，请给出主题：{command}（scrapy：-a topic=）。",
    ),
    Text(
        "No seeds: topic {topic} names none; give URLs, separated by commas, or a file of them with --seeds (scrapy:"
        " -a seeds=), or find some: focuscrawl seeds find TOPIC.",
        "没有种子：主题 {topic} 里一个也没有；请用 --seeds 给出逗号分隔的网址或一个网址文件（scrapy：-a seeds=），"
        "或者去找：focuscrawl seeds find TOPIC。",
    ),
    Text(
        "No seeds: {where} names none; give URLs, separated by commas, or a file of them with --seeds (scrapy:"
        " -a seeds=), or find some: focuscrawl seeds find TOPIC.",
        "没有种子：{where} 里一个也没有；请用 --seeds 给出逗号分隔的网址或一个网址文件（scrapy：-a seeds=），"
        "或者去找：focuscrawl seeds find TOPIC。",
    ),
    Text(
        "{url}: this run has not seen this URL. The most similar one it knows: {near}",
        "{url}：这个运行没有见过这个网址。它所知道的最相近的是：{near}",
    ),
    Text("{url}: this run has not seen this URL.", "{url}：这个运行没有见过这个网址。"),
    Text(
        "{url}: not an http or https address, so no crawl can have seen it.",
        "{url}：不是 http 或 https 网址，抓取不可能见过它。",
    ),
    Text(
        "{url}: another address of a page that was fetched; ask for the one it led to.",
        "{url}：是某个已抓取网页的另一个网址；请问它所指向的那个。",
    ),
    Text(
        "No candidates: no query was answered with results. Is there a network? Other ways: --searxng ADDRESS, or"
        " focuscrawl seeds import FILE with bookmarks or a list.",
        "没有候选：没有一个查询得到结果。网络通吗？别的办法：--searxng ADDRESS，或用 focuscrawl seeds import FILE"
        " 导入书签或列表。",
    ),
)
