"""What is wrong with a topic file, in words.

The sentences are made in English where the fault is found, and searched for in that language; here is what they are
shown as. Each is a place (file, table, key and value as they stand there) and what was expected, after a colon.
"""

from __future__ import annotations

from focuscrawl.errors import FocusCrawlError, TopicError
from focuscrawl.wording.base import Say, Text, values_of
from focuscrawl.wording.run_faults import RUN_FAULTS

OK = Text("{file}: ok ({terms}, {seeds}, digest {digest})", "{file}：没有错误（{terms}，{seeds}，摘要 {digest}）")
TERMS = Text("{n} terms", "{n} 个词", one="{n} term")
SEEDS = Text("{n} seeds", "{n} 个种子", one="{n} seed")
STRONGEST = Text("{file}: strongest words: {words}", "{file}：最强的词：{words}")
EXAMPLES = Text(
    "{file}: examples: {relevant} relevant, {irrelevant} irrelevant; focuscrawl topic show lists them",
    "{file}：例子：{relevant} 个相关，{irrelevant} 个不相关，可用 focuscrawl topic show 列出",
)
FAULTS = Text("{file}: {n} faults", "{file}：{n} 处错误", one="{file}: {n} fault")
WARNING = Text("{file}: warning: {warning}", "{file}：提醒：{warning}")
NO_SEEDS = Text(
    "it has no seeds, so a crawl has to be given some: --seeds FILE", "没有种子，抓取时要另外给出：--seeds FILE"
)
_DID_YOU_MEAN = Text(" Did you mean {word}?", "您是不是想写 {word}？")
_ABOVE = " It belongs to the whole file: put it before the first [table]."
_MOST_COLONS = 20  # of the place and its value
_EXPECTED = (
    NO_SEEDS,
    Text("must be a string", "应为字符串"),
    Text("must be a number", "应为数字"),
    Text("must be a number; a key with a dot needs quotes: {key}", "应为数字；含点号的键要加引号：{key}"),
    Text("must be a whole number", "应为整数"),
    Text("must be true or false", "应为 true 或 false"),
    Text("must be a list", "应为列表"),
    Text("must be a table", "应为表"),
    Text("must be a finite number", "应为有限的数"),
    Text("must not be empty", "不能为空"),
    Text("must consist of lower-case letters a-z, digits and hyphens", "只能用小写字母 a-z、数字和连字符"),
    Text(
        "has {n} characters; a term has {most} at most, and a text belongs in [samples]",
        "有 {n} 个字符；一个词最多 {most} 个，整段文字应放在 [samples] 里",
    ),
    Text("must have at most {n} characters", "最多 {n} 个字符"),
    Text(
        'must be a BCP-47 language tag such as "zh" or "en-GB", or "auto"',
        '应为 BCP-47 语言标记，如 "zh" 或 "en-GB"，或者 "auto"',
    ),
    Text("must be in [0, 1]", "应在 [0, 1] 之内"),
    Text("weight must be in (0, 1]", "权重应在 (0, 1] 之内"),
    Text('must be "adaptive" or a number in [0, 1]', '应为 "adaptive" 或 [0, 1] 之内的数'),
    Text('must be "broad", "narrow" or a number in [0, 1]', '应为 "broad"、"narrow" 或 [0, 1] 之内的数'),
    Text("must be 0 (no limit) or more", "应为 0（不限）或更大的数"),
    Text("must be 0 or more", "应为 0 或更大的数"),
    Text(
        'must be a host name such as "example.org" (its subdomains are meant too), without scheme, port or path',
        '应为主机名，如 "example.org"（包括其子域名），不带协议、端口和路径',
    ),
    Text("expected an http or https URL", "应为 http 或 https 网址"),
    Text(
        "expected an http or https URL without spaces, quotes or angle brackets",
        "应为 http 或 https 网址，不含空格、引号和尖括号",
    ),
    Text("expected an http or https URL with a host", "应为带主机名的 http 或 https 网址"),
    Text("expected an http or https URL, such as {url}", "应为 http 或 https 网址，如 {url}"),
    Text(
        "there is no such file; seeds are a file of URLs, or URLs, such as {url}",
        "没有这个文件；种子是一个网址文件，或者网址，如 {url}",
    ),
    Text("there is no such file; seeds are a file of URLs, or URLs", "没有这个文件；种子是一个网址文件，或者网址"),
    Text("{key} is missing: {what}", "缺少 {key}：{what}"),
    Text("a short name of [a-z0-9-] is required", "须有由 [a-z0-9-] 组成的短名"),
    Text("it is required", "此项必填"),
    Text(
        f"unknown key; known here: {{known}}.{_ABOVE}",
        "未知的键；这里可用：{known}。它属于整个文件，请写在第一个 [表] 之前",
    ),
    Text("unknown key; known here: {known}.", "未知的键；这里可用：{known}。"),
    Text(f"is no word of [{{table}}].{_ABOVE}", "不是 [{table}] 里的词。它属于整个文件，请写在第一个 [表] 之前"),
    Text("no class has this code.", "没有这个类号。"),
    Text("no class has this code; known: {known}.", "没有这个类号；可用：{known}。"),
    Text("the taxonomy ends at the second level.", "分类表只到第二级。"),
    Text("unknown tokenizer; known: {known}.", "没有这个分词器；可用：{known}。"),
    Text("unknown judge; known: {known}.", "没有这个判断器；可用：{known}。"),
    Text("unknown strategy; known: {known}.", "没有这个策略；可用：{known}。"),
    Text("unknown scorer; known: {known}.", "没有这个打分器；可用：{known}。"),
    Text(
        "neither [terms] nor relevant [samples] nor a classification: one must say what is wanted",
        "没有 [terms]，没有相关的 [samples]，也没有 classification：须有一项说明要找什么",
    ),
    Text(
        'a word has no "|"; its other names go below [synonyms]: {names}',
        "词里不能有“|”；它的其他名称写在 [synonyms] 下：{names}",
    ),
    Text("is not in [terms], so it cannot have synonyms.", "不在 [terms] 里，不能有同义词。"),
    Text(
        "is also a word of [terms] or [synonyms]; a word can speak for a page or against it, not both",
        "也在 [terms] 或 [synonyms] 里；一个词要么支持要么反对网页，不能兼有",
    ),
    Text("not valid TOML: {why}", "不是有效的 TOML：{why}"),
    Text("there is no such file", "没有这个文件"),
    Text("no such file, seen from {folder}", "在 {folder} 下没有这个文件"),
    Text("no file matches, seen from {folder}", "在 {folder} 下没有匹配的文件"),
    Text(
        "is an address; a topic file was expected. To make one: {command}",
        "是一个网址；应为主题文件。可以这样新建：{command}",
    ),
    Text(
        "no such file, and no topic of that name in {folders}; known: {names}. To make one: focuscrawl topic new",
        "没有这个文件，{folders} 里也没有这个主题；已有：{names}。新建主题：focuscrawl topic new",
    ),
    Text(
        "no such file, and no topic of that name in {folders}; known: {names}.",
        "没有这个文件，{folders} 里也没有这个主题；已有：{names}。",
    ),
    Text("is a folder; a topic file was expected", "是文件夹；应为主题文件"),
    Text("is a directory; a file was expected", "是文件夹；应为文件"),
    Text("is empty; a sample text was expected", "是空的；应为样本文字"),
    Text(
        "line {line} is not UTF-8; the file looks like {encoding}: save it as UTF-8",
        "第 {line} 行不是 UTF-8，文件看来是 {encoding}：请存为 UTF-8",
    ),
    Text(
        "is not a text in UTF-8; it looks like UTF-16: save it as UTF-8", "不是 UTF-8 文本，看来是 UTF-16：请存为 UTF-8"
    ),
    Text(
        "no relevant samples: the judge knows the terms only; add two or more texts of a paragraph each",
        "没有相关的样本：判断器只知道关键词，请加上两段以上的文字",
    ),
    Text(
        "no terms: links are scored by the samples' words only; add the topic's own words to [terms]",
        "没有关键词：链接只按样本里的词打分，请把主题自己的词加到 [terms]",
    ),
    Text(
        "sample {number} has only {n} telling words; give it a paragraph of sixty words or more",
        "第 {number} 段样文只有 {n} 个有意义的词，请给一段六十个词以上的文字",
    ),
    Text(
        "sample {number} shares almost no words with the terms and the other samples (similarity {similarity}): is it"
        " about the same topic?",
        "第 {number} 段样文与关键词和其他样本几乎没有相同的词（相似度 {similarity}）：是同一个主题吗？",
    ),
    Text(
        "{sample} has only {n} telling words; give it a paragraph of sixty words or more",
        "{sample} 只有 {n} 个有意义的词，请给一段六十个词以上的文字",
    ),
    Text(
        "{sample} shares almost no words with the terms and the other samples (similarity {similarity}): is it about"
        " the same topic?",
        "{sample} 与关键词和其他样本几乎没有相同的词（相似度 {similarity}）：是同一个主题吗？",
    ),
    Text(
        "no letters a-z to make a name of: give one, as in focuscrawl topic new {name} …",
        "没有可以作短名的字母 a-z：请给一个，例如 focuscrawl topic new {name} …",
    ),
    Text("nothing is left of the topic: give other words or an example", "主题什么也没剩下：请另给关键词或示例网页"),
    Text(
        "expected a word, as in tea, tea=0.5 or tea|chai; weights are in (0, 1]",
        "应为一个词，如 茶、茶=0.5 或 茶|tea；权重在 (0, 1] 之内",
    ),
    Text("is a folder; name a file with --out", "是文件夹；请用 --out 指定文件"),
    Text("is a device or a pipe; a file was expected", "是设备或管道；应为文件"),
    Text(
        "is there already; --force overwrites it, another NAME or --out keeps it",
        "已经存在；--force 会覆盖它，换一个短名或用 --out 则保留它",
    ),
    Text("cannot be written: {why}", "不能写入：{why}"),
    Text(
        "nothing says what the topic is about: give words or an example", "没有说明主题是什么：请给出关键词或示例网页"
    ),
)


def error_in_words(error: FocusCrawlError, say: Say) -> str:
    """Return an error's text, faults of topics and of runs in the language of `say`."""
    if isinstance(error, TopicError):
        return "\n".join(fault_in_words(fault, say) for fault in error.faults)
    sentence, word = _without_hint(str(error))
    told = say.stored(RUN_FAULTS, sentence)
    if say.language == "en" or told == sentence:
        return str(error)
    return _with_hint(told, word, say)


def fault_in_words(fault: str, say: Say) -> str:
    """Return a sentence on a topic file in the language of `say`; what is not one of these stands for itself.

    The place stays as it is, since it stands so in the file.

    >>> fault_in_words("tea.toml: [terms] tee = 1.5: weight must be in (0, 1]", Say("zh"))
    'tea.toml: [terms] tee = 1.5：权重应在 (0, 1] 之内'
    """
    if say.language == "en":
        return fault
    sentence, word = _without_hint(fault)
    told = _told(sentence, say)
    return fault if told is None else _with_hint(told, word, say)


def _without_hint(fault: str) -> tuple[str, str]:
    """Return a fault without the question at its end, and the word that is asked about, '' without one."""
    sentence, hint, word = fault.rpartition(" Did you mean ")
    return (sentence, word.removesuffix("?")) if hint and word.endswith("?") else (fault, "")


def _with_hint(told: str, word: str, say: Say) -> str:
    return f"{told}{say(_DID_YOU_MEAN, word=word)}" if word else told


def _told(sentence: str, say: Say) -> str | None:
    """Return a sentence with what stands behind the first colon from which on it is known in the language of `say`."""
    parts = sentence.split(": ", _MOST_COLONS)
    for at in range(len(parts)):
        rest = ": ".join(parts[at:])
        for text in _EXPECTED:
            values = values_of(text, rest)
            # A key or a name of a sample, which come first, are no places
            if values is not None and ": " not in next(iter(values.values()), ""):
                told = say(text, **{name: say.stored(_EXPECTED, value) for name, value in values.items()})
                return "：".join([": ".join(parts[:at]), told]) if at else told
    return None
