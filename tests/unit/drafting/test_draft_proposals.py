"""Words proposed from texts and from a sentence, and words that would hit too much."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.drafting.commonness import common_words, language_share, page_shares
from focuscrawl.drafting.draft import Draft
from focuscrawl.drafting.proposals import HEAVIEST, LIGHTEST, left_out, proposals, words_of_sentence
from focuscrawl.drafting.texts import SourceText
from focuscrawl.text.background import background_idf
from focuscrawl.text.tokenize import make_auto
from focuscrawl.topic.matcher import TopicMatcher
from focuscrawl.topic.ruled_out import wanted_sentences

TOKENIZER = make_auto()
BONSAI = SourceText(
    "one",
    "Pruning a juniper bonsai",
    "A juniper bonsai is pruned in spring. Copper wire bends the branches of the bonsai, and the copper wire stays for"
    " a season. Repotting follows: the roots are combed, and akadama drains well. The people of the world like it.",
)
BONSAI_TOO = SourceText(
    "two",
    "Repotting",
    "Every second year the bonsai is taken out of its pot. Akadama and pumice make the soil; repotting in early spring"
    " is safest. Copper wire holds the tree, and the copper wire is cut away later. People water it.",
)
TEXTS = [BONSAI, BONSAI_TOO]


def test_words_of_several_texts_come_before_those_of_one() -> None:
    found = proposals(TEXTS, tokenizer=TOKENIZER, language="en")
    words = [one.word for one in found]
    assert set(words[:4]) == {"bonsai", "copper wire", "akadama", "repotting"}
    assert "juniper" in words
    assert words.index("juniper") > words.index("akadama")
    assert [one.texts for one in found[:4]] == [2, 2, 2, 2]
    assert not {"people", "year", "copper"} & set(words)


def test_weights_fall_from_the_first_to_the_last() -> None:
    weights = [one.weight for one in proposals(TEXTS, tokenizer=TOKENIZER, language="en")]
    assert (weights[0], weights[-1]) == (HEAVIEST, LIGHTEST)
    assert weights == sorted(weights, reverse=True)
    beside = [one.weight for one in proposals(TEXTS, tokenizer=TOKENIZER, known=["trees"], language="en")]
    assert (beside[0], beside[-1]) == (0.4, 0.1)  # less than the words a person has named


def test_words_that_the_topic_has_are_not_proposed_again() -> None:
    words = [one.word for one in proposals(TEXTS, tokenizer=TOKENIZER, known=["Bonsai", "wire"], language="en")]
    assert "bonsai" not in words
    assert "copper wire" in words  # it has more to it


def test_chinese_words_are_proposed_joined() -> None:
    text = "榫卯结构是木构件之间的连接。榫卯结构不用铁钉，"
    text += "明式家具的榫卯结构十分精巧。明式家具多用黄花梨，明式家具线条简练。"
    words = [one.word for one in proposals([SourceText("a", "榫卯", text)], tokenizer=TOKENIZER, language="zh")]
    assert words[:2] == ["榫卯结构", "明式家具"]


@settings(deadline=None)
@given(st.lists(st.text(max_size=200), max_size=4), st.integers(min_value=0, max_value=10))
def test_proposals_of_any_text_are_few_telling_and_weighed(texts: list[str], count: int) -> None:
    found = proposals([SourceText("x", "", text) for text in texts], tokenizer=TOKENIZER, count=count)
    assert len(found) <= count
    assert all(0.0 < one.weight <= 1.0 and one.word.strip() and 1 <= one.texts <= len(texts) for one in found)


@pytest.mark.parametrize(
    ("sentence", "language", "words"),
    [
        (
            "Repair of mechanical watches, and of old hairsprings.",
            "en",
            {
                "repair": 0.53,
                "mechanical": 0.8,
                "watches": 0.6,
                "mechanical watches": 0.4,
                "hairsprings": 0.8,
                "repair of mechanical watches": 0.4,
            },
        ),
        # Few pages have the whole phrase.
        (
            "Sourdough bread baking at home, with rye flour",
            "en",
            {
                "sourdough": 0.8,
                "bread": 0.67,
                "baking": 0.8,
                "rye": 0.8,
                "flour": 0.8,
                "sourdough bread": 0.4,
                "bread baking": 0.4,
            },
        ),
        # 与品 is a slip of the segmenter.
        (
            "武夷岩茶的制作工艺与品饮",
            "zh",
            {"武夷": 0.8, "岩茶": 0.8, "品饮": 0.8},
        ),
        (
            "如何在家种植多肉植物",
            "zh",
            {
                "在家": 0.57,
                "种植": 0.56,
                "多肉": 0.8,
                "植物": 0.62,
                "在家种植": 0.8,
                "种植多肉": 0.4,
                "多肉植物": 0.4,
            },
        ),
        # What a person does with the subject is part of a phrase alone; what a person does is a subject by itself.
        ("Growing bonsai trees", "en", {"bonsai": 0.8, "trees": 0.69, "growing bonsai": 0.4, "bonsai trees": 0.4}),
        ("Growing up", "en", {"growing": 0.8}),
        # What is done, and an aspect, are no words beside a subject that is much rarer.
        ("Learning to play the guitar", "en", {"guitar": 0.8}),
        ("Learning the piano as an adult", "en", {"piano": 0.8, "adult": 0.8}),
        ("Brewing your own beer", "en", {"brewing": 0.8, "beer": 0.8}),
        ("Travel the world", "en", {"travel": 0.8, "world": 0.8}),
        ("The history of the Roman Empire", "en", {"roman": 0.5, "empire": 0.53, "roman empire": 0.8}),
        # Words that a preposition relates are a name as well.
        ("Cost of living", "en", {"cost": 0.14, "living": 0.12, "cost of living": 0.8}),
        (
            "Film and music for children",
            "en",
            {"film": 0.1, "music": 0.12, "children": 0.16, "music for children": 0.8},
        ),
        ("Living with diabetes", "en", {"living": 0.27, "diabetes": 0.8, "living with diabetes": 0.4}),
        # A subject that a clause names by itself keeps its weight.
        (
            "Politics: elections, parties, and women in politics",
            "en",
            {"politics": 0.8, "elections": 0.8, "parties": 0.8, "women": 0.5, "women in politics": 0.8},
        ),
        ("R for statistics", "en", {"statistics": 0.8}),
        (
            "Low-carb bread for athletes",
            "en",
            {"low-carb": 0.8, "bread": 0.62, "athletes": 0.57, "low-carb bread for athletes": 0.4},
        ),
        ("孩子的教育", "zh", {"孩子": 0.12, "教育": 0.13, "孩子的教育": 0.8}),
        ("红楼梦的人物和故事", "zh", {"红楼梦": 0.8}),
        ("北京的美食", "zh", {"北京": 0.42, "美食": 0.64, "北京的美食": 0.8}),
        # Beyond the first clause, which names the subject, a word of a phrase has to be rare.
        (
            "Tea. Spring harvest, and family life",
            "en",
            {"tea": 0.8, "harvest": 0.8, "spring harvest": 0.4, "family life": 0.8},
        ),
        ("C++ and C#, not C", "en", {"c++": 0.8, "c#": 0.8}),
        # What the person has named is a word of the topic, however many pages have it.
        ("Family life", "en", {"family": 0.21, "life": 0.29, "family life": 0.8}),
        # A common word of a name by itself says little of it, unless the topic has others that a page could lack.
        ("Machine learning", "en", {"machine": 0.23, "learning": 0.24, "machine learning": 0.8}),
        (
            "Parenting and family life",
            "en",
            {"parenting": 0.8, "family": 0.79, "life": 0.8, "family life": 0.8},
        ),
        ("Film and film festivals", "en", {"film": 0.8, "festivals": 0.33, "film festivals": 0.8}),
        ("Film and cinema", "en", {"film": 0.8, "cinema": 0.8}),
        ("电影与影评", "zh", {"电影": 0.8, "影评": 0.8}),
        ("Food", "en", {"food": 0.8}),
        # A single character by itself is a word, those between words are slips.
        ("茶", "zh", {"茶": 0.8}),
        ("唐代的诗与词", "zh", {"唐代": 0.8, "诗": 0.39, "词": 0.24, "唐代的诗": 0.4}),
        ("我想寻找关于猫和狗的文章", "zh", {"猫": 0.8, "狗": 0.8}),
        ("Looking for churches", "en", {"churches": 0.8}),
        ("常见的四分之三发酵茶", "zh", {"发酵茶": 0.8, "发酵": 0.21, "茶": 0.17}),
        # One side by side with a word is part of a name, unless it says what a person does.
        ("元宇宙", "zh", {"元宇宙": 0.8, "宇宙": 0.12}),
        ("比特币的价格", "zh", {"比特币": 0.8, "比特": 0.21}),
        ("猫行为", "zh", {"猫": 0.38, "行为": 0.39, "猫行为": 0.8}),
        ("学英语", "zh", {"英语": 0.8}),
        ("C语言入门", "zh", {"c语言": 0.8, "语言": 0.12}),
        # Two side by side are a word that the segmenter does not know.
        ("咖啡冲煮", "zh", {"咖啡": 0.44, "冲煮": 0.8, "咖啡冲煮": 0.4}),
        ("如何选购一台二手相机", "zh", {"选购": 0.8, "二手": 0.8, "相机": 0.8}),
        ("各地常见的野生蘑菇", "zh", {"野生": 0.8, "蘑菇": 0.8}),
        (
            "Various aspects of different kinds of medieval manuscripts",
            "en",
            {"medieval": 0.8, "manuscripts": 0.8},
        ),
        ("Pages giving details on moss", "en", {"moss": 0.8}),
        # A kind of text is no subject, unless nothing else is named.
        (
            "机器学习与深度学习的学习笔记",
            "zh",
            {"机器": 0.37, "学习": 0.58, "机器学习": 0.8, "深度": 0.48, "深度学习": 0.8},
        ),
        ("围棋入门教程和博客文章", "zh", {"围棋": 0.8}),
        ("Introduction to bonsai, tutorials and blog posts about moss", "en", {"bonsai": 0.8, "moss": 0.8}),
        ("Beekeeping guides", "en", {"beekeeping": 0.8}),
        ("Tips for beekeeping", "en", {"beekeeping": 0.8}),
        ("养蜂的经验和体会", "zh", {"养蜂": 0.8}),
        ("Knitting patterns for beginners", "en", {"knitting": 0.8, "patterns": 0.42, "knitting patterns": 0.4}),
        ("手机摄影技巧大全", "zh", {"手机": 0.37, "摄影": 0.35, "手机摄影": 0.8}),
        ("中医养生知识", "zh", {"中医": 0.8, "养生": 0.8}),
        # A way to do something is one by itself, and a part of a subject's name elsewhere.
        ("健身减肥的方法和心得", "zh", {"健身": 0.8, "减肥": 0.8}),
        ("研究方法", "zh", {"研究": 0.27, "方法": 0.21, "研究方法": 0.8}),
        # A site that is made is what the sentence is about.
        ("Notes on building a blog", "en", {"building": 0.8, "blog": 0.8}),
        ("Coffee blogs", "en", {"coffee": 0.8}),
        ("如何搭建网站", "zh", {"搭建": 0.8, "网站": 0.8, "搭建网站": 0.4}),
        ("搭建博客的教程", "zh", {"搭建": 0.8, "博客": 0.47, "搭建博客": 0.4}),
        ("A website on moss", "en", {"moss": 0.8}),
        ("关于咖啡的博客", "zh", {"咖啡": 0.8}),
        ("Guide dogs", "en", {"guide": 0.31, "dogs": 0.31, "guide dogs": 0.8}),
        ("Tutorials", "en", {"tutorials": 0.8}),
        ("笔记", "zh", {"笔记": 0.8}),
        # Words of pages' frames are words of a subject's name, and nothing by themselves.
        ("Email marketing", "en", {"email": 0.13, "marketing": 0.34, "email marketing": 0.8}),
        (
            "Human rights in Asia",
            "en",
            {"human": 0.27, "rights": 0.6, "human rights": 0.8, "asia": 0.44, "human rights in asia": 0.8},
        ),
        ("Sign language", "en", {"sign": 0.13, "language": 0.21, "sign language": 0.8}),
        ("电话营销", "zh", {"电话": 0.29, "营销": 0.59, "电话营销": 0.8}),
        ("邮票收藏与鉴赏", "zh", {"邮票": 0.8, "收藏": 0.25, "邮票收藏": 0.4, "鉴赏": 0.8}),
        ("Cooking at home", "en", {"cooking": 0.8}),
        ("Search for apartments", "en", {"apartments": 0.8}),
        ("收藏古董", "zh", {"古董": 0.8}),
        ("分享登山经历", "zh", {"登山": 0.8, "经历": 0.48, "登山经历": 0.4}),
        # Beside one, a word stands for the subject as it does alone.
        (
            "Elections: government policy, treaties",
            "en",
            {"elections": 0.8, "government": 0.6, "government policy": 0.4, "treaties": 0.8},
        ),
        ("Email", "en", {"email": 0.8}),
        ("Privacy on the internet", "en", {"privacy": 0.12, "internet": 0.19, "privacy on the internet": 0.8}),
        # What something is of is part of its name.
        ("Children’s books", "en", {"children": 0.24, "books": 0.21, "children's books": 0.8}),
        # So is what a hyphen joins.
        ("E-commerce", "en", {"e-commerce": 0.8}),
        ("Self-driving cars", "en", {"self-driving": 0.8, "cars": 0.36}),
        ("X-ray astronomy: how-to guides", "en", {"x-ray": 0.8, "astronomy": 0.8}),
        ("Low-carb low-fat bread", "en", {"low-carb": 0.8, "low-fat": 0.8, "bread": 0.62}),
        ("COVID-19", "en", {"covid": 0.8}),
        ("Node.js and ASP.NET", "en", {"node.js": 0.8, "asp.net": 0.8}),
        # Letters and stop words that are written as names are words with what stands beside them.
        ("Pages about Go programming", "en", {"go programming": 0.8, "programming": 0.12}),
        ("IT security", "en", {"it security": 0.8, "security": 0.12}),
        ("Vitamin D deficiency", "en", {"vitamin d": 0.8, "deficiency": 0.8, "vitamin": 0.31}),
        ("Formula 1 racing", "en", {"formula 1": 0.8, "racing": 0.63, "formula": 0.26}),
        ("US foreign policy", "en", {"foreign": 0.21, "policy": 0.15, "foreign policy": 0.8}),
        # What asks for pages is no subject, nor is what is said of any.
        ("I'm building a corpus of texts on maritime law", "en", {"maritime": 0.8, "law": 0.65, "maritime law": 0.4}),
        ("抓取与人工智能有关的文章", "zh", {"人工智能": 0.8}),
        ("Kubernetes security best practices", "en", {"kubernetes": 0.8, "security": 0.8, "kubernetes security": 0.4}),
        ("适合新手的吉他教程", "zh", {"吉他": 0.8}),
        # A place is a subject behind 的, too.
        ("民国时期的上海", "zh", {"民国时期": 0.8, "上海": 0.49, "民国时期的上海": 0.4}),
        ("How do vaccines work?", "en", {"vaccines": 0.8}),
        (
            "Canal locks: how their gates are built",
            "en",
            {"canal": 0.8, "locks": 0.49, "canal locks": 0.4, "gates": 0.8},
        ),
        ("1930年代的巴黎", "zh", {"年代": 0.28, "巴黎": 0.27, "1930年代的巴黎": 0.8}),
        ("Parkinson's disease", "en", {"parkinson": 0.8, "disease": 0.46, "parkinson's disease": 0.4}),
        ("how to", "en", {}),
        ("", "en", {}),
    ],
)
def test_a_sentence_gives_its_words(sentence: str, language: str, words: dict[str, float]) -> None:
    assert words_of_sentence(sentence, tokenizer=TOKENIZER, language=language) == words


@pytest.mark.parametrize(
    ("sentence", "taken", "words"),
    [
        (
            "Old bridges: stone arches, canal engineering, not roads",
            ["bridge", "stone arches"],
            ("canal", "engineering"),
        ),
        ("唐代的诗与词，城市", ["唐代", "诗"], ("词", "城市")),
        ("Old bridges", ["old bridges"], ()),
        ("咖啡冲煮", ["咖啡"], ("冲煮",)),
        ("Low-carb bread, children's books", ["bread", "books"], ("low-carb", "children")),
        ("咖啡冲煮", ["咖啡", "冲煮"], ()),
        ("", [], ()),
    ],
)
def test_words_of_a_sentence_that_nothing_taken_has_are_told(
    sentence: str, taken: list[str], words: tuple[str, ...]
) -> None:
    assert left_out(sentence, taken, tokenizer=TOKENIZER) == words


@pytest.mark.parametrize(
    ("sentence", "language", "wanted", "ruled_out"),
    [
        ("围棋：定式、布局和棋手的故事，不要象棋", "zh", "围棋", "象棋"),
        ("围棋的定式与布局，象棋除外。", "zh", "围棋", "象棋"),
        ("Repair of mechanical watches, but not smartwatches", "en", "mechanical watches", "smartwatches"),
        ("跑步与健身。球类赛事不算。", "zh", "跑步", "球类"),
        ("Baking. Diets, restaurants and kitchens are only related.", "en", "baking", "diets"),
    ],
)
def test_what_a_sentence_rules_out_is_no_word_and_not_in_the_title(
    sentence: str, language: str, wanted: str, ruled_out: str
) -> None:
    words = words_of_sentence(sentence, tokenizer=TOKENIZER, language=language)
    assert wanted in words
    assert ruled_out not in words
    assert ruled_out not in Draft(about=sentence).guessed_title()


@pytest.mark.parametrize(
    ("about", "title"),
    [
        ("Old bridges", "Old bridges"),
        ("旅行与游记。旅行见闻和攻略。", "旅行与游记"),
        ("Climate change: why the planet warms, what it does, and what is done about it", "Climate change"),
        ("Servers in Node.js, their tests, their profiles, and what to do about leaks of memory", "Servers in Node.js"),
        ("Cooking recipes. Diets, reviews and news are only related.", "Cooking recipes"),
        ("I want to collect articles about old bridges", "Old bridges"),
        ("Pages about iPhone photography", "iPhone photography"),
        ("eBay for sellers", "eBay for sellers"),
    ],
)
def test_the_title_is_the_first_sentence_or_what_a_long_one_begins_with(about: str, title: str) -> None:
    assert Draft(about=about).guessed_title() == title


@pytest.mark.parametrize("sentence", ["Cooking without meat", "No-code tools", "Not for profit", "不锈钢"])
def test_a_subject_may_have_words_that_rule_out_elsewhere(sentence: str) -> None:
    assert wanted_sentences(sentence) == [sentence]


def test_no_amount_and_no_vague_word_is_proposed() -> None:
    text = "这款常见的紫砂壶只用四分之三的泥料，两款紫砂壶各有各的泥料，常见的泥料分三种。" * 3
    words = [p.word for p in proposals([SourceText("one", "紫砂壶", text)], tokenizer=TOKENIZER, language="zh")]
    assert {"紫砂壶", "泥料"} <= set(words)
    assert not {"常见", "四分之三", "这款", "两款", "三种"} & set(words)


def test_a_joining_sign_is_cut_from_an_unknown_word() -> None:
    assert "榫卯" in words_of_sentence("明式家具的榫卯与修复", tokenizer=TOKENIZER, language="zh")


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(["en", "zh"]))
def test_words_of_any_sentence_have_weights(sentence: str, language: str) -> None:
    words = words_of_sentence(sentence, tokenizer=TOKENIZER, language=language)
    assert all(word.strip() and 0.1 <= weight <= 0.8 for word, weight in words.items())


def test_common_words_of_the_language_are_told_with_their_share() -> None:
    background = background_idf("en")
    found = common_words(["history", "akadama", "history of akadama"], tokenizer=TOKENIZER, background=background)
    assert [one.word for one in found] == ["history"]
    assert found[0].language_share == pytest.approx(background.df_share("history"))
    assert found[0].run_share is None


def test_a_phrase_is_as_common_as_its_rarest_part() -> None:
    background = background_idf("en")
    share = language_share("history akadama", tokenizer=TOKENIZER, background=background)
    assert share == background.df_share("akadama") < background.df_share("history")


def test_how_many_pages_have_a_phrase_of_common_words_only_a_run_tells() -> None:
    background = background_idf("en")
    shares = {"local government": 0.25}
    known = [
        [one.run_share for one in common_words(shares, tokenizer=TOKENIZER, background=background, **of_run)]
        for of_run in ({}, {"shares": shares, "pages": 12})
    ]
    assert known == [[], [0.25]]


def test_words_on_pages_of_a_run_are_counted_with_their_other_names() -> None:
    matcher = TopicMatcher({"akadama": 1.0, "pumice": 0.5}, forms={"akadama": ["赤玉土"]}, tokenizer=TOKENIZER)
    pages = [TOKENIZER.tokens(text) for text in ("akadama twice, akadama", "赤玉土", "pumice", "nothing")] * 3
    shares, total = page_shares(matcher, pages)
    assert (shares, total) == ({"akadama": 0.5, "pumice": 0.25}, 12)
    background = background_idf("en")
    found = common_words(shares, tokenizer=TOKENIZER, background=background, shares=shares, pages=total)
    assert [(one.word, one.run_share) for one in found] == [("akadama", 0.5), ("pumice", 0.25)]
    assert not common_words(shares, tokenizer=TOKENIZER, background=background, shares=shares, pages=9)
