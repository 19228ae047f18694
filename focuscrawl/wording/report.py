"""The report of a run."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Text

HEAD = Text("{name} – focused crawl", "{name} – 主题抓取")
A_CRAWL = Text("A focused crawl", "一次主题抓取")
STRATEGY = Text("strategy {strategy}", "策略 {strategy}")
STARTED = Text("started {at}", "开始于 {at}")
TOOK = Text("took {span}", "用时 {span}")
LAST_AFTER = Text("last page after {span}", "最后一页在 {span}之后")
TOPIC = Text("topic {topic}", "主题 {topic}")
WHY_STOPPED = Text("Why it stopped: ", "结束原因：")
NO_END = Text(
    "No end is recorded: the crawl was still running when this was written, or it was killed.",
    "没有结束记录：写这份报告时抓取还在进行，或者进程被杀掉了。",
)
LOOK_AT = Text("Look at these: ", "请注意：")
STOP = Text(".", "。")
FOOTER = Text(
    "Written by focuscrawl {version}{at} from {source}.", "focuscrawl {version}{at} 生成，数据来源：{source}。"
)
FOOTER_AT = Text(" on {at}", " 于 {at}")
FOOTER_DB = Text("the run's crawl.db", "本次抓取的 crawl.db")
SECONDS = Text("{seconds} s", "{seconds} 秒")
MINUTES = Text("{minutes} min {seconds} s", "{minutes} 分 {seconds} 秒")
HOURS = Text("{hours} h {minutes} min", "{hours} 小时 {minutes} 分")

GAVE_NO_PAGE = Text("links gave no page", "未得到网页的链接")
OF_FETCHES = Text("{share} of all fetched", "占全部已抓取链接的 {share}")
AND_JUDGED = Text("and judged", "并已判断")
NOT_STORED = Text("not stored: {reasons}", "未保存：{reasons}")
ALL_STORED = Text("all relevant ones", "相关的全部保存")
PAGES_FETCHED = Text("pages fetched", "已抓取网页")
RELEVANT_PAGES = Text("relevant pages", "相关网页")
BY_VERDICT = Text("by the judge's verdict", "按判断器的结论")
PAGES_STORED = Text("pages stored", "已保存网页")
HARVEST_RATE = Text("harvest rate", "收获率")
RELEVANT_PER_FETCHED = Text("relevant / fetched", "相关数 / 抓取数")
RECENT_HARVEST = Text("recent harvest", "近期收获率")
OF_LAST = Text("of the last {n:,} pages", "最近 {n:,} 个网页")
HOSTS = Text("hosts", "主机")
WITH_RELEVANT = Text("{n:,} with a relevant page", "{n:,} 个有相关网页")
LINKS_QUEUED = Text("links queued", "待抓取链接")
KEPT_ELSEWHERE = Text("not kept with the pages", "不与网页存在一起")
BEING_FETCHED = Text("{n:,} being fetched", "{n:,} 个正在抓取")
NOT_YET_FETCHED = Text("not yet fetched", "尚未抓取")
THRESHOLD = Text("threshold", "阈值")
LAST_IN_FORCE = Text("of relevance, last in force", "相关度界线的最后值")

THIS_CRAWL = Text("this crawl", "本次抓取")
HARVEST_CURVE = Text("Harvest curve", "收获曲线")
HARVEST_CHART = Text("Relevant pages against fetched pages", "抓取数与相关数")
EVERY_RELEVANT = Text("every page relevant", "每页都相关")
HARVEST_NOTE = Text(
    "{name}: {found:,} relevant of {pages:,}, {harvest}.", "{name}：{pages:,} 个网页中 {found:,} 个相关，{harvest}。"
)
COMPARED = Text(
    " After {pages:,} pages: {name} {found:,} relevant{others}.",
    "抓取 {pages:,} 个网页时：{name} {found:,} 个相关{others}。",
)
BESIDE = Text(", {name} {found:,}", "，{name} {found:,} 个")
RECENT_TITLE = Text("Harvest of the last {n}", "最近 {n} 个网页的收获率")
RECENT_CHART = Text("Harvest of the last {n} pages", "最近 {n} 个网页的收获率")
RECENT_AXIS = Text("relevant among the last {n}", "最近 {n} 个中相关的")
RECENT_NOTE = Text(
    "The first {n} points rest on fewer pages, as many as there were.", "前 {n} 个点依据的网页较少，有多少算多少。"
)
RELEVANCE_TITLE = Text("Relevance of the pages", "网页的相关度")
RELEVANCE_CHART = Text("Relevance of the fetched pages", "已抓取网页的相关度")
RELEVANCE_AXIS = Text("relevance of the page", "网页相关度")
PAGES = Text("pages", "网页数")
BIN = Text(
    "{low:.2f} to {high:.2f}: {yes:,} relevant, {no:,} not", "{low:.2f} 到 {high:.2f}：{yes:,} 个相关，{no:,} 个不相关"
)
THRESHOLD_AT = Text("threshold {threshold:.3f}", "阈值 {threshold:.3f}")
JUDGED_YES = Text("judged relevant", "判为相关")
JUDGED_NO = Text("judged not relevant", "判为不相关")
LAST_THRESHOLD = Text("last threshold", "最后的阈值")
THRESHOLD_TITLE = Text("Threshold over time", "阈值的变化")
THRESHOLD_CHART = Text("Threshold of relevance over the crawl", "抓取过程中的相关度阈值")
THRESHOLD_AXIS = Text("threshold of relevance", "相关度阈值")
STAYED = Text("It stayed at {threshold:.3f}.", "一直是 {threshold:.3f}。")
MOVED = Text("It moved between {low:.3f} and {high:.3f}.", "在 {low:.3f} 与 {high:.3f} 之间变化。")
DEPTH_TITLE = Text("Distance from the seeds", "与种子的距离")
DEPTH_CHART = Text("Pages by distance from a seed", "按与种子的距离统计网页")
DEPTH_AXIS = Text("links from a seed", "离种子的链接数")
DEPTH_AXIS_MORE = Text("links from a seed ({last}: {last} and more)", "离种子的链接数（{last} 表示 {last} 及以上）")
DEPTH_BIN = Text(
    "{depth} links from a seed: {yes:,} relevant, {no:,} not",
    "离种子 {depth} 个链接：{yes:,} 个相关，{no:,} 个不相关",
)

BEST_TITLE = Text("Best pages", "最相关的网页")
NONE_RELEVANT = Text("No page was judged relevant.", "没有网页被判为相关。")
BEST_NOTE = Text(
    "The {n:,} most relevant of {found:,}; duplicates are left out.",
    "{found:,} 个相关网页中相关度最高的 {n:,} 个，重复的不列。",
)
RELEVANCE_OF = Text(
    "Relevance {relevance:.3f} (threshold {threshold:.3f})", "相关度 {relevance:.3f}（阈值 {threshold:.3f}）"
)
PARTS = Text(": {parts}", "：{parts}")
BY_WORDS = Text(", most by the words {words}", "，主要依据：{words}")
WORD_END = Text(", ", "、")
ARCHIVED = Text(". Read from an archive file", "。读自存档文件")
A_SEED = Text(". A seed", "。种子")
FROM_SEED = Text(". {n} links from a seed", "。离种子 {n} 个链接", one=". {n} link from a seed")
THROUGH = Text(", through {n} off-topic pages", "，途经 {n} 个离题网页", one=", through {n} off-topic page")
FOUND_ON = Text(", found on ", "，发现于 ")
ANCHORED = Text(" as “", "，链接文字“")
ANCHOR_END = Text("”", "”")
EXPECTED = Text(", expected to be relevant with a probability of {p:.0%}", "，抓取前预测的相关概率为 {p:.0%}")

HOSTS_TITLE = Text("Hosts", "主机")
HOST = Text("host", "主机")
FETCHED = Text("fetched", "抓取")
RELEVANT = Text("relevant", "相关")
HARVEST = Text("harvest", "收获率")
NO_PAGE = Text("no page", "未得网页")
QUEUED = Text("queued", "待抓取")
MORE_HOSTS = Text("{n:,} more hosts are not shown.", "另有 {n:,} 个主机未列出。", one="{n} more host is not shown.")

HELD_BACK_TITLE = Text("Links held back", "暂缓抓取的链接")
HELD_BACK_NOTE = Text(
    "{n:,} links of {domains:,} domains wait behind all others; these domains have had {share} of the crawl's pages."
    " Their domain, or the one through which it was found, has taken its share of the crawl, their pages mostly repeat"
    " others, or no page on the way to them was relevant; `focuscrawl explain` gives the reason of a link.",
    "{domains:,} 个域名的 {n:,} 个链接排在所有其他链接之后；这些域名占本次抓取网页的 {share}。"
    "原因：该域名或引出它的域名已用完份额，网页大多重复，或一路上没有相关网页；单个链接的原因见 `focuscrawl explain`。",
)
DOMAIN = Text("domain", "域名")
LINKS_BEHIND = Text("links held back", "暂缓链接")
MORE_DOMAINS = Text(
    "{n:,} more domains are not shown.", "另有 {n:,} 个域名未列出。", one="{n} more domain is not shown."
)

CALIBRATION_TITLE = Text("Predicted and observed", "预测与实际")
CALIBRATION_CHART = Text("Observed harvest against predicted probability", "预测概率与实际收获率")
OBSERVED = Text("observed", "实际")
PERFECT = Text("perfectly calibrated", "完全吻合")
PREDICTED_AXIS = Text("predicted probability of being relevant", "预测的相关概率")
OBSERVED_AXIS = Text("share found relevant", "实际相关的比例")
PROBABILITY = Text("probability", "概率")
PREDICTED = Text("predicted", "预测")
ERROR = Text(
    "Expected calibration error {error:.3f}: predicted and observed differ by so much on average, over {n:,} pages"
    " other than seeds.",
    "期望校准误差 {error:.3f}：除种子外的 {n:,} 个网页上，预测与实际平均相差这么多。",
)
PAIRS = Text(
    " In {auc} of the pairs of a relevant and an irrelevant page the relevant one had the higher probability (50% is"
    " chance).",
    "任取一个相关网页和一个不相关网页，有 {auc} 的情况相关网页的预测概率更高（随机为 50%）。",
)
CAUTION = Text(
    " {base} of these pages were relevant. A prediction is made before the page is judged, from its priority and what"
    " pages of such a priority had turned out to be until then; relevant means relevant to the crawl's own judge, and"
    " only links good enough to be fetched are seen here.",
    "这些网页有 {base} 相关。预测在判断网页之前作出，依据是链接的优先级，以及此前同样优先级的网页结果如何；"
    "“相关”是指本次抓取的判断器认为相关，而且这里只看得到值得抓取的链接。",
)

FAILURES_TITLE = Text("What could not be fetched", "抓取失败")
FAILURES_NOTE = Text(
    "{n:,} links gave no page. They are settled and not counted as fetched pages.",
    "{n:,} 个链接没有得到网页。它们已处理完毕，不计入已抓取网页。",
    one="{n} link gave no page. It is settled and not counted as a fetched page.",
)
UNASKED = Text(
    "{n:,} links were dropped without a request.",
    "{n:,} 个链接未经请求即放弃。",
    one="{n} link was dropped without a request.",
)
REASON = Text("reason", "原因")
LINKS = Text("links", "链接数")
SHARE = Text("share", "比例")

QUEUE_TITLE = Text("Next links", "接下来的链接")
QUEUE_ELSEWHERE = Text(
    "The links that wait are not kept with these pages: they are in {frontier}.",
    "待抓取的链接不与这些网页存在一起，它们在 {frontier}。",
)
QUEUE_NOTE = Text(
    "The first {n:,} of {queued:,}. More pages would have been fetched in about this order.",
    "{queued:,} 个中的前 {n:,} 个，继续抓取时大致按这个顺序。",
)
TURNS: Mapping[str, Text] = {
    "visit": Text("a visit: before all links", "重访：先于所有链接"),
    "called": Text(
        "called up: before all others, to look at a host or to try another order", "提前：为了解主机或试验其他次序"
    ),
    "behind": Text("held back: after all others", "暂缓：排在其他链接之后"),
}
PRIORITY = Text("priority, 0 to 1", "优先级（0 到 1）")
LINK = Text("link", "链接")
DEPTH = Text("depth", "深度")

KINDS_TITLE = Text("Pages of other kinds", "其他类型的网页")
KINDS_NOTE = Text(
    "What is no plain HTML: by what the server called it, and pages that show their text only when their scripts run.",
    "非普通 HTML 的网页：按服务器所称的类型，以及要运行脚本才显示正文的网页。",
)
KIND = Text("kind", "类型")
RENDERED = Text("rendered by a browser", "由浏览器渲染")
NEED_JAVASCRIPT = Text("no text, for it needs JavaScript", "没有正文：需要 JavaScript")
HOW_TITLE = Text("How to read this", "怎样读这份报告")
HOW_COUNTED = Text(
    "A page counts as fetched when an answer came that could be judged, and as relevant when its relevance reached the"
    " threshold in force at that moment. Nobody checked these judgements by hand: the harvest is as good as the topic's"
    " judge.",
    "得到可以判断的应答才算抓取到一个网页，相关度达到当时的阈值才算相关。这些判断没有人工核对：收获率有多可信，"
    "取决于主题的判断器。",
)
HOW_RATES = Text(
    "Harvest rate: relevant pages / fetched pages. Priority of a link: its own score plus the offset of its group of"
    " links.",
    "收获率 = 相关网页数 / 抓取网页数。链接的优先级 = 它自己的得分 + 所在链接组的修正值。",
)
WEIGHTS = Text("Weights of the strategy: {weights}.", "策略的权重：{weights}。")
SETTING = Text("setting", "设置")
VALUE = Text("value", "值")
SETTINGS: Mapping[str, Text] = {
    "topic file": Text("topic file", "主题文件"),
    "topic version": Text("topic version", "主题版本"),
    "strategy": Text("strategy", "策略"),
    "random seed": Text("random seed", "随机种子"),
    "extractor": Text("extractor", "正文提取方法"),
}
WRITTEN = Text("Report written to {file}", "报告已写入 {file}")
CHARTS_WRITTEN = Text(
    "{n:,} charts written to {folder}", "{n:,} 张图已写入 {folder}", one="{n} chart written to {folder}"
)

LEAD = Text(
    "{found:,} of {pages:,} fetched pages were relevant ({harvest}), on {n:,} hosts",
    "已抓取 {pages:,} 个网页，其中 {found:,} 个相关（{harvest}），分布在 {n:,} 个主机上",
    one="{found:,} of {pages:,} fetched pages were relevant ({harvest}), on {n} host",
)
LEAD_ALL_HOSTS = Text(": {hosts}", "：{hosts}")
LEAD_HOSTS = Text("; most on {hosts}", "，最多的是 {hosts}")

OUTCOME_TITLE = Text("What became of the fetches", "抓取的去向")
OUTCOME_NOTE = Text("All {n:,} fetches, each counted once.", "共 {n:,} 次抓取，每次只计一处。")
OUTCOME = Text("outcome", "结果")
OUTCOME_STORED = Text("relevant and stored", "相关，已保存")
OUTCOME_NOT = Text("relevant, not stored: {reason}", "相关，未保存：{reason}")
OUTCOME_NEAR = Text("not relevant, at least half of the threshold", "不相关，相关度达到阈值的一半")
OUTCOME_FAR = Text("not relevant, below that", "不相关，相关度更低")
OUTCOME_FAILED = Text("no page, after all tries", "没有网页：多次尝试后失败")
OUTCOME_REFUSED = Text("no page, and not worth another try", "没有网页：不必再试")

BORDER_TITLE = Text("Both sides of the threshold", "阈值两边")
BORDER_NOTE = Text(
    "The pages that passed or failed by least, each by the threshold of its moment. Are many of those accepted off the"
    " topic, or many of those rejected on it? Answer a few questions: focuscrawl topic teach.",
    "刚好通过和刚好没通过的网页，各按判断当时的阈值。通过的里面有许多离题的，或者没通过的里面有许多切题的？"
    "回答几个问题就能纠正：focuscrawl topic teach。",
)
ACCEPTED = Text("Just accepted", "刚好通过")
REJECTED = Text("Just rejected", "刚好没通过")
RELEVANCE = Text("relevance", "相关度")
PAGE = Text("page", "网页")

ALL_TITLE = Text("All results", "全部结果")
ALL_NOTE = Text(
    "{n:,} stored pages, the most relevant first.",
    "已保存的 {n:,} 个网页，相关度高的在前。",
    one="{n} stored page.",
)
ALL_PART = Text(
    "The {n:,} most relevant of {stored:,} stored pages; all are in pages.jsonl and crawl.db.",
    "已保存的 {stored:,} 个网页中相关度最高的 {n:,} 个，全部在 pages.jsonl 和 crawl.db 里。",
)
SEARCH = Text("Search titles and addresses", "搜索标题和网址")
SHOWN = Text("{shown} of {n:,} shown", "显示 {shown} / {n:,}")
COURSE = Text("course", "过程")
COURSE_OF = Text(
    "{host}: {relevant:,} relevant of {fetched:,} fetched, in the order of fetching",
    "{host}：按抓取顺序，{fetched:,} 个网页中 {relevant:,} 个相关",
)

METADATA_TITLE = Text("Metadata of the links", "链接的元数据")
METADATA_NOTE = Text(
    "What the {links:,} links on {n:,} pages had to go by before their pages were fetched.",
    "{n:,} 个网页上的 {links:,} 个链接，抓取之前有哪些信息可供判断。",
    one="What the {links:,} links on {n} page had to go by before their pages were fetched.",
)
METADATA = Text("metadata", "元数据")
SHARE_OF_LINKS = Text("of links", "占链接")
SHARE_OF_PAGES = Text("of pages", "占网页")
SITE_WIDE = Text(
    "Site-wide, on many pages of their host, were {links} of the links and {words} of the words: menus, footers, lists"
    " of categories. They say nothing of the page they stand on and were hardly counted.",
    "在同一主机许多网页上重复出现的（菜单、页脚、分类列表）占链接的 {links}、词的 {words}。"
    "它们说明不了所在的网页，判断时几乎不计。",
)
FIELDS: Mapping[str, Text] = {
    "href": Text("href", "链接地址 href"),
    "anchor text": Text("anchor text", "链接文字"),
    "surrounding text": Text("surrounding text", "周围文字"),
    "name": Text("name", "name 属性"),
    "onmouseover": Text("onmouseover", "onmouseover 属性"),
    "src": Text("src", "src 属性"),
    "title": Text("title", "title 属性"),
    "image text": Text("image text", "图片文字"),
    "map and area text": Text("map and area text", "图像地图文字"),
    "frame text": Text("frame text", "框架文字"),
}
HOST_MAP = Text("How the hosts lead to each other", "主机之间的链接")
HOST_WITH = Text("with relevant pages", "有相关网页")
HOST_WITHOUT = Text("without", "没有相关网页")
HOST_MAP_NOTE = Text(
    "{n:,} hosts, those with most relevant pages first, then those with most pages; a larger dot has more pages, a"
    " thicker line stands for more links between pages of the two.",
    "{n:,} 个主机，相关网页多的优先，其次网页多的；点越大网页越多，线越粗两个主机的网页之间链接越多。",
)
HOST_MAP_MORE = Text(" {n:,} more hosts are left out.", "另有 {n:,} 个主机未画出。", one=" {n} more host is left out.")
