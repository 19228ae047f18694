"""What ``focuscrawl topic teach`` asks and tells."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.wording.base import Text

COPIED = Text(
    "The topic came with the package; it is taught in a copy, {file}.", "这个主题是软件自带的，将在副本 {file} 中学习。"
)
QUESTION = Text(
    "Question {number} of {questions}, relevance {relevance:.2f}", "第 {number}/{questions} 题，相关度 {relevance:.2f}"
)
PROMPT = Text(
    "On the topic? [y]es  [n]o  [s]kip  [u]ndo  [q]uit: ",
    "与主题相关吗？[y] 是  [n] 否  [s] 跳过  [u] 撤销  [q] 结束： ",
)
NO_TITLE = Text("(no title)", "（无标题）")
NOTHING_TO_UNDO = Text("Nothing to undo.", "没有可撤销的回答。")
ANSWERS = Text("{n:,} answers", "{n:,} 个回答", one="{n} answer")
INTERRUPTED = Text(
    "Interrupted: {answers} kept in {file}; the run is as it was. To judge it by them:"
    " focuscrawl topic teach {run} --questions 0",
    "已中断：{answers}保存在 {file}，抓取结果未改动。要按这些回答重新判断：focuscrawl topic teach {run} --questions 0",
)
INTERRUPTED_MODEL = Text(
    "Interrupted: {answers} kept in {file}; the run is as it was.", "已中断：{answers}保存在 {file}，抓取结果未改动。"
)
NO_MORE_PAGES = Text(
    "There are no more pages to ask about: only results and near misses keep their text.",
    "没有更多网页可问了：只有结果和接近阈值的网页保留了正文。",
)
NO_PAGES = Text(
    "There are no pages to ask about: only results and near misses keep their text.",
    "没有网页可问：只有结果和接近阈值的网页保留了正文。",
)

CONTRADICTED = Text("{urls}: labelled yes and no; left out.", "{urls}：同时标了 yes 和 no，未采用。")
UNKNOWN = Text(
    "{urls}: not among the pages of the run whose text was kept (results and near misses; all with"
    " FOCUSCRAWL_KEEP_IRRELEVANT); left out.",
    "{urls}：不在保留了正文的网页之中（结果和接近阈值的网页；设置 FOCUSCRAWL_KEEP_IRRELEVANT 则全部保留），未采用。",
)
MORE = Text("{urls} and {n} more", "{urls} 等另外 {n} 个")
NO_ANSWERS = Text("No answers: the run is as it was.", "没有回答：抓取结果未改动。")
FILE_ALONE = Text(
    "No answers: the topic file alone says what is on the topic.",
    "没有回答：只按主题文件判断。",
)
EXAMPLES = Text(
    "{n:,} examples: {yes} on the topic, {no} not.",
    "{n:,} 个例子：{yes} 个相关，{no} 个不相关。",
    one="{n} example: {yes} on the topic, {no} not.",
)
ONLY_YES = Text(
    'Only "yes" so far: the judge learns what to let in; a few "no" show it where the border is.',
    "目前只有“是”：判断器只学会放行哪些网页，再答几个“否”它才知道界线在哪里。",
)
ONLY_NO = Text(
    'Only "no" so far: the judge learns what to keep out; a few "yes" show it where the border is.',
    "目前只有“否”：判断器只学会排除哪些网页，再答几个“是”它才知道界线在哪里。",
)

AT_WORK = Text(
    "A crawl is at work in the run folder: it judges by the answers within a second or two. When it has ended,"
    " focuscrawl topic teach {run} --questions 0 judges the earlier pages by them, too.",
    "这个目录里的抓取正在进行，一两秒内就会按这些回答判断。抓取结束后，"
    "用 focuscrawl topic teach {run} --questions 0 重新判断先前的网页。",
)
AT_WORK_WITHOUT = Text(
    "A crawl is at work in the run folder: it forgets the answers within a second or two. When it has ended,"
    " focuscrawl topic teach {run} --questions 0 judges the earlier pages without them, too.",
    "这个目录里的抓取正在进行，一两秒内就会忘掉这些回答。抓取结束后，"
    "用 focuscrawl topic teach {run} --questions 0 重新判断先前的网页。",
)
PAGES = Text("{n:,} pages", "{n:,} 个网页", one="{n} page")
WAITING_LINKS = Text("{n:,} waiting links", "{n:,} 个待抓取链接", one="{n} waiting link")
REJUDGED = Text(
    "{pages} judged anew: {now} relevant now, {gone} no more; {relevant} in all. {links} scored anew.",
    "重新判断了 {pages}：{now} 个变为相关，{gone} 个不再相关，现共有 {relevant} 个相关。重新打分：{links}。",
)
WITHOUT_TEXT = Text(
    "{pages} far from the topic kept no text, so their verdicts stand.",
    "另有 {pages}离主题太远，没有保留正文，判断不变。",
)
ANSWERS_IN = Text(
    "The answers are in {file}; the next crawl of this topic begins with them.",
    "回答保存在 {file}，下次抓取这个主题时会直接采用。",
)

MODEL_QUESTIONS = Text(
    "At most {questions} questions to {model}, about {each:,} tokens each and {tokens:,} in all, and at most"
    " {answers:,} tokens of answers.",
    "最多向 {model} 提 {questions} 个问题，每个约 {each:,} 个 token，共 {tokens:,} 个，回答最多 {answers:,} 个 token。",
)
MODEL_COST = Text(
    " What they cost is your provider's price; texts of pages are sent there.",
    "费用按服务商的价格计算，网页正文会发送给对方。",
)
MODEL_ANSWER = Text("{number} {answer}: {page}: {reason}", "{number} {answer}：{page}：{reason}")
MODEL_ANSWERS: Mapping[str, Text] = {"yes": Text("yes", "是"), "no": Text("no", "否"), "skip": Text("skip", "跳过")}
MODEL_TOLD = Text(
    "{n} questions: {answers} answers, {skipped} skipped.",
    "{n} 个问题：{answers} 个回答，跳过 {skipped} 个。",
    one="{n} question: {answers} answers, {skipped} skipped.",
)
MODEL_SKIPPED = Text("Skipped {n}: {reason}", "跳过 {n} 个：{reason}")
MODEL_FAILED = Text("{n} requests failed one after the other, so no more were sent.", "连续 {n} 次请求失败，不再发送。")
MODEL_USED = Text(
    "Used {tokens_in:,} tokens of questions and {tokens_out:,} of answers, as the server counts them.",
    "按服务器的统计，问题用了 {tokens_in:,} 个 token，回答用了 {tokens_out:,} 个。",
)
