"""Texts of `focuscrawl topic new`, and the comments of the topic files it writes."""

from __future__ import annotations

from focuscrawl.wording.base import Text

# Questions of the dialogue.
WELCOME = Text(
    "A new topic. Answer what you can, Enter leaves a question out; Ctrl-C ends without writing anything.",
    "新建主题。能答的就答，直接回车跳过；Ctrl-C 退出，什么也不写。",
)
ASK_ABOUT = Text("What is it about, in a sentence?", "用一句话说：要找什么？")
ASK_WORDS = Text(
    "Its words, by commas (a weight: tea=0.5; other names: tea|chai)?",
    "关键词，用逗号分隔（权重：茶=0.5；别名：茶|tea）？",
)
ASK_CLASS = Text(
    "A class of the library classification (a code such as R2, or a word to search)?",
    "中图法分类（类号如 R2，或搜索词）？",
)
ASK_WHICH_CLASS = Text("Which number?", "选第几个？")
NO_CLASS = Text('No class has "{word}".', "没有含“{word}”的类。")
ASK_EXAMPLE = Text(
    "An example: page address, file or PDF, or a file of bookmarks (Enter: no more)?",
    "示例：网址、文件、PDF 或书签文件（回车结束）？",
)
NO_FILE = Text("{name}: no such file, nor a page address.", "{name}：没有这个文件，也不是网址。")
ASK_RUN = Text("An earlier run to learn from (folder or topic name)?", "可借鉴的以往抓取（目录或主题名）？")
ASK_TITLE = Text("Title", "标题")
ASK_NAME = Text("Short name of a-z, 0-9 and - (names the file)", "短名（a-z、0-9、-，用作文件名）")
PROPOSALS = Text(
    "{n} words found. For each: Enter or y takes it, n not, q ends the questions.",
    "找到 {n} 个词。逐个回答：回车或 y 采用，n 不用，q 结束提问。",
    one="{n} word found. Enter or y takes it, n not.",
)
ASK_WORD = Text("{word} (weight {weight:g}, {where})?", "{word}（权重 {weight:g}，{where}）？")
IN_TEXTS = Text("in {n} texts", "见于 {n} 篇文本", one="in one text")
IN_SENTENCE = Text("from the sentence", "来自那句话")
BY_MODEL = Text("by {model}", "来自 {model}")
ASK_KEEP_COMMON = Text("{sentence} Keep it?", "{sentence}保留吗？")
ASK_DROP_SAMPLE = Text("{sentence} Leave it out?", "{sentence}去掉吗？")
ASK_WRITE = Text("Write {file}?", "写入 {file}？")
ASK_OVERWRITE = Text("{file} is there already. Overwrite it?", "{file} 已存在。覆盖吗？")
YES_OR_NO = Text("Please answer y or n.", "请回答 y 或 n。")

# What was understood.
FETCHING = Text("Fetching {n} pages …", "正在抓取 {n} 个网页 …", one="Fetching a page …")
ASKING_MODEL = Text("Asking {model} for a first draft …", "正在请 {model} 起草 …")
SENT_ELSEWHERE = Text(
    "Your sentence and words are sent there; what it costs is your provider's price.",
    "你的描述和关键词会发送到那里；费用以服务商的价格为准。",
)
LEFT_OUT = Text("Left out: {fault}", "略过：{fault}")
READ_BOOKMARKS = Text("{file}: {kind}, {n} addresses", "{file}：{kind}，{n} 个地址", one="{file}: {kind}, one address")
STRONGEST = Text("Strongest words: {words}", "最强的词：{words}")
SIMILARITY = Text(
    "Self-similarity of the samples: {value:.2f} (1: all alike; below 0.05 they have little in common)",
    "样本的自相似度：{value:.2f}（1 为完全一致；低于 0.05 表示彼此很少共同点）",
)
NO_SAMPLES = Text(
    "No samples: the words alone decide. Two or three example pages make the topic much surer.",
    "没有样本：只靠关键词判断。给两三个示例网页，主题会可靠得多。",
)
MISFIT = Text(
    "{name} shares hardly any words with the rest (similarity {value:.2f}): another subject?",
    "{name} 与其余内容几乎没有共同的词（相似度 {value:.2f}）：是别的主题吗？",
)
COMMON_IN_LANGUAGE = Text(
    '"{word}" hits too much: {share:.0%} of ordinary pages have it.',
    "“{word}”太常见：普通网页中 {share:.0%} 都有。",
)
COMMON_IN_RUN = Text(
    '"{word}" hits too much: {share:.0%} of {pages} other pages of the run have it.',
    "“{word}”太常见：该次抓取的 {pages} 个其他网页中 {share:.0%} 都有。",
)

COMMON_IN_SENTENCE = Text(
    "Words of the sentence that many pages have: {words}. If they bring too much, lower their weights in {file}.",
    "那句话里许多网页都有的词：{words}。若因此抓得太多，可在 {file} 中调低其权重。",
)
WORDS_LEFT_OUT = Text(
    'Words of the sentence that are not in the topic: {words}. One that matters goes into --words "{first}=0.5", or'
    ' below [terms] of {file}: "{first}" = 0.5',
    '那句话里没有用到的词：{words}。需要的话用 --words "{first}=0.5"，或在 {file} 的 [terms] 下加一行："{first}" = 0.5',
)

# The end.
WRITTEN = Text(
    "{file} written; words: {terms}, samples: {samples}, seeds: {seeds}.",
    "已写入 {file}：{terms} 个词，{samples} 个样本，{seeds} 个种子。",
)
NEXT_CRAWL = Text("Next: focuscrawl crawl {file}", "下一步：focuscrawl crawl {file}")
NEXT_SEEDS = Text(
    "Next: focuscrawl seeds find {file} --take 20 --out {seeds}, then focuscrawl crawl {file} --seeds {seeds}",
    "下一步：focuscrawl seeds find {file} --take 20 --out {seeds}，再 focuscrawl crawl {file} --seeds {seeds}",
)
NOT_WRITTEN = Text("Nothing was written.", "什么也没有写。")
INTERRUPTED = Text("Interrupted: nothing was written.", "已中断：什么也没有写。")

# Comments of the file.
FILE_HEAD = Text(
    "Topic file of focuscrawl. All keys: docs/topic-file.md\nAfter editing: focuscrawl topic check {file}",
    "focuscrawl 的主题文件。所有键见 docs/topic-file.md\n修改后检查：focuscrawl topic check {file}",
)
FILE_CLASS = Text("Words and samples of this class count, too.", "该类的词和样本也算在内。")
FILE_SEEDS = Text("Where the crawl starts.", "抓取的起点。")
FILE_NO_SEEDS = Text(
    "Where the crawl starts. To find some: focuscrawl seeds find {file}",
    "抓取的起点。可用 focuscrawl seeds find {file} 查找",
)
FILE_TERMS = Text(
    "Words that speak for a page, with weights in (0, 1]; 1 is for a word that settles it alone.",
    "说明网页切题的词，权重在 (0, 1]；1 表示单凭这个词就能断定。",
)
FILE_SYNONYMS = Text(
    'Other names of these words, which count as much: "web crawler" = ["spider"]',
    '上述词的别名，同样计分："网络爬虫" = ["web crawler"]',
)
FILE_EXCLUDED = Text(
    'Words that speak against a page, as of another meaning of a term: "spider silk" = 0.5',
    '说明网页不切题的词，例如某词的另一含义："蜘蛛丝" = 0.5',
)
FILE_SAMPLES = Text(
    "Texts that read as relevant pages do; texts that look alike and are not: irrelevant_text = [...]",
    "读起来像相关网页的文本；看似相关其实不是的放进 irrelevant_text = [...]",
)
FILE_FROM = Text("From {name}", "来自 {name}")
FILE_WRITTEN_BY = Text("Written by {name}, not by a person", "由 {name} 撰写，并非真人所写")
FILE_BUDGET = Text("When the crawl ends: after so many fetched pages.", "抓取何时结束：抓到这么多网页之后。")
