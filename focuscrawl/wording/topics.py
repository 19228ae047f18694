"""``focuscrawl topic show`` and ``focuscrawl topic list``."""

from __future__ import annotations

from focuscrawl.wording.base import Text

NAME = Text("name", "名称")
TITLE = Text("title", "标题")
LANGUAGE = Text("language", "语言")
ABOUT = Text("about", "说明")
CLASS = Text("class", "分类")
BELOW = Text("below it", "下位类")
BREADTH = Text("breadth", "宽窄")
FILE = Text("file", "文件")
DIGEST = Text("digest", "摘要")
SAMPLES = Text("samples", "样本")
EXAMPLES = Text("examples", "回答")
SEEDS = Text("seeds", "种子")
JUDGE = Text("judge", "判断")
STRATEGY = Text("strategy", "策略")
BUDGET = Text("budget", "预算")

HOW_BROAD = Text("{value:g} (0 narrow, 1 broad)", "{value:g}（0 窄，1 宽）")
KINDS = Text("{relevant} relevant, {irrelevant} irrelevant", "相关 {relevant}，不相关 {irrelevant}")
OF_CLASS = Text("; of the class: {names}", "；其中来自分类：{names}")
THRESHOLD = Text("{name}, threshold {threshold}", "{name}，阈值 {threshold}")
DEFAULT = Text("the default", "默认")
PAGES = Text("{n:g} pages", "{n:g} 个网页", one="{n:g} page")
MINUTES = Text("{n:g} minutes", "{n:g} 分钟", one="{n:g} minute")
RELEVANT = Text("{n:g} relevant pages", "{n:g} 个相关网页", one="{n:g} relevant page")
NO_LIMIT = Text("no limit", "不限")

TERM = Text("Term", "词")
WEIGHT = Text("Weight", "权重")
SYNONYMS = Text("Synonyms", "同义词")
EXCLUDED = Text("Excluded", "排除的词")
ANSWERS = Text("Examples", "回答过的网页")
ON_TOPIC = Text("On topic", "切题")
PAGE_TITLE = Text("Title", "标题")
BY = Text("By", "回答者")
YES = Text("yes", "是")
NO = Text("no", "否")
YOU = Text("you", "您")
HEAVIEST = Text("Heaviest words of the model", "模型中最重的词")
RELATED = Text("Related words", "相关的词")
RELATEDNESS = Text("R", "相关度")
WARNING = Text("Warning: {warning}", "提醒：{warning}")

NAMED = Text("Name", "名称")
IN_LANGUAGE = Text("Language", "语言")
TERMS = Text("Terms", "词")
OF_SAMPLES = Text("Samples", "样本")
OF_SEEDS = Text("Seeds", "种子")
UNUSABLE = Text("cannot be used: focuscrawl topic check {file}", "不能使用：focuscrawl topic check {file}")
CLASSES_TOO = Text(
    "The classes of the library classification are topics, too: focuscrawl topic list clc:",
    "图书分类法的类也可以当主题：focuscrawl topic list clc:",
)
NONE_FOUND = Text('Neither a topic nor a class has "{word}".', "没有哪个主题或类含有“{word}”。")
CLASS_CODE = Text("Class", "类号")
IN_ENGLISH = Text("English", "英文")
CLASSES = Text("Classes", "下位类")
FOUND = Text("Found", "查到的词")
MORE = Text("… and {n:,} more", "…… 另有 {n:,} 个")
