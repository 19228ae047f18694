"""Words of a sentence that a tokenizer cuts in two: "e-commerce", "Node.js", 区块链, "Go programming", "Formula 1".

One of the two parts is no word of a topic by itself, or is no word that the language's dictionary has with the other.
What is left of such a word is another subject: 宇宙 of 元宇宙, "security" of "IT security".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import re2

from focuscrawl.drafting.aspects import COMMON_SHARE
from focuscrawl.text.background import RAREST_IDF, Background
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.normalize import fold
from focuscrawl.text.quantity import is_quantity
from focuscrawl.text.signed_names import written_out
from focuscrawl.text.tokenize import is_han

JOINING = "的与和及或在是对为以之其而等了"
"""Chinese words of one sign that join others."""
NOUNS = frozenset(
    "猫狗马牛羊猪鸡鸭鹅鱼虾蟹鸟虫蛇龟兔茶酒米面糖盐油醋菜肉蛋奶果花草树竹兰菊梅稻麦诗词曲赋书画字棋琴歌舞戏剧车船枪刀剑笔纸"
    "墨砚瓷陶玉金银铜铁钢布丝棉鞋帽桥塔寺庙山河湖海煤药癌梦"
)
"""Chinese words of one sign that name a subject by themselves, before other words, too: 猫 of 猫行为."""
_PREFIXES = frozenset("大小老微短自元云超多反亚双单低高软硬碳氢氧氮光电热冷干湿生熟快慢长远近泛全半非零跨轻重")
"""Chinese signs that make another word of what follows: 大数据, 微服务, 自媒体."""
_VERBS = frozenset("学养做买卖看修写种打听练泡画弹拍钓织跑煮酿玩带找用读治讲考吃喝聊选挑逛骑开教盖造抓捉防烤炒炖唱跳")
"""What a person does with what is named next: 学英语 is on 英语."""
_WRITTEN_AS_ONE = re2.compile(r"[\p{Latin}\pN]+(?:[-.][\p{Latin}\pN]+)+")
_SIGNS = re2.compile(r"[\n()（）,，、;；:：!?！？。]|[.](?:\s|$)")
_NO_NAMES = frozenset(["a", "i", "and", "or", "not"])
"""Words that are no names in capitals."""
_COUNTED = frozenset(["top", "best", "part", "chapter", "season", "episode", "day", "week", "grade", "level", "page"])
"""Words before a number that counts."""
_DIGITS = 3  # of a number; more are years and amounts
_PLACES = frozenset(["US"])
"""Names in capitals that pages write otherwise: those on "US politics" say politics, and hardly ever both."""


@dataclass(frozen=True, slots=True)
class JoinedWord:
    """How a word in two parts is written, and which parts say something of the subject by themselves.

    Parameters
    ----------
    sign
        What stands between the parts.
    parts
        The words of the two that bear the subject out; none of "e-commerce".
    weak
        Those of them that are on anything else by themselves, as 宇宙 of 元宇宙.
    """

    sign: str
    parts: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


JoinedWords = Mapping[tuple[str, str], JoinedWord]
"""By their two tokens."""


def joined_words(
    sentence: str, clauses: Iterable[Sequence[str]], tokenizer: Tokenizer, *, breaks: Set[str], background: Background
) -> JoinedWords:
    """Return the words of a sentence that its tokens have in two parts.

    Parameters
    ----------
    clauses
        Its tokens, clause by clause.
    breaks
        Words that no subject has in its name, unless they are written as names.
    background
        Of the language; words that it does not know are guesses of the segmenter.
    """
    found: dict[tuple[str, str], JoinedWord] = {}
    folded = fold(sentence)
    for tokens in clauses:
        found |= _chinese(tokens, folded, breaks, background)
    found |= _capitals(sentence, tokenizer, breaks)
    found |= _numbered(sentence, tokenizer, breaks, background)
    return found | _written_as_one(sentence, tokenizer, breaks)


def joined(tokens: Sequence[str], words: JoinedWords) -> list[str]:
    """Return tokens, those of a word in two parts as one with a space."""
    out: list[str] = []
    for token in tokens:
        if out and (out[-1], token) in words:
            out[-1] = f"{out[-1]} {token}"
        else:
            out.append(token)
    return out


def written_names(sentence: str, breaks: Set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield stop words and letters that a sentence writes as names, each with what is right before and behind it.

    That is a word before it, and up to two words behind.

    >>> list(written_names("Jobs in IT, learning Go", {"it", "in", "go"}))
    [('IT', 'in', ''), ('Go', 'learning', '')]
    """
    if sentence.upper() == sentence:
        return
    for part in _SIGNS.split(written_out(sentence)):
        words = [word if word.isalnum() else "" for word in part.split()]
        for at, word in enumerate(words):
            prior, plain = words[at - 1] if at else "", word.lower()
            if len(word) == 1:
                is_name = word.isupper()
            else:
                is_name = plain in breaks and (word.isupper() or (word.istitle() and prior[:1].islower()))
            if is_name and plain not in _NO_NAMES:
                yield word, prior, " ".join(words[at + 1 : at + 3])


def _written_as_one(sentence: str, tokenizer: Tokenizer, breaks: Set[str]) -> dict[tuple[str, str], JoinedWord]:
    """Return the words that a sentence writes with a hyphen or a full stop within: "low-carb", "Node.js".

    None that has a number, as models of things have, or is made of `breaks`, as "how-to".
    """
    found = {}
    for word in _WRITTEN_AS_ONE.findall(written_out(sentence)):
        parts = tuple(tokenizer.tokens(word))
        sign = "." if "." in word else "-"
        if len(parts) != 2 or any(map(is_quantity, parts)) or breaks >= set(parts):
            continue
        if sign == "-" or min(map(len, parts)) > 1:
            found[parts[0], parts[1]] = JoinedWord(sign)
    return found


def _capitals(sentence: str, tokenizer: Tokenizer, breaks: Set[str]) -> dict[tuple[str, str], JoinedWord]:
    """Return what a stop word or a letter that is written as a name makes with a word beside it.

    That is the word behind it, and before it where a letter counts things: "vitamin D deficiency". Behind one in
    capitals two words are a name without it: "IT project management".
    """

    def telling(word: str) -> str:
        tokens = tokenizer.tokens(word)
        is_one = len(tokens) == 1 and len(tokens[0]) > 1 and tokens[0] not in breaks and not is_quantity(tokens[0])
        return tokens[0] if is_one else ""

    found = {}
    for name, prior, next_words in written_names(sentence, breaks):
        sign = tokenizer.tokens(name)[0]
        before, (behind, *more) = telling(prior), [telling(word) for word in next_words.split(" ")]
        is_short_form = len(name) > 1 and name.isupper()
        if name in _PLACES or (is_short_form and any(more)):
            continue
        if before and len(name) == 1:
            found[before, sign] = JoinedWord(" ", (before,))
        elif behind:
            found[sign, behind] = JoinedWord(" ", (behind,), (behind,))
    return found


def _numbered(
    sentence: str, tokenizer: Tokenizer, breaks: Set[str], background: Background
) -> dict[tuple[str, str], JoinedWord]:
    """Return the common words with a capital that have a short number behind them: "Formula 1", "Windows 11".

    None behind another capital, with which it is a name: "World War 2".
    """
    found = {}
    unnamed = breaks | _COUNTED
    for part in _SIGNS.split(sentence):
        words = ["", *part.split()]
        for before, word, number in zip(words, words[1:], words[2:], strict=False):
            if before[:1].isupper() or not (word[:1].isupper() and number.isdecimal() and len(number) <= _DIGITS):
                continue
            name = tokenizer.tokens(word)
            if len(name) == 1 and name[0] not in unnamed and background.df_share(name[0]) >= COMMON_SHARE:
                found[name[0], tokenizer.tokens(number)[0]] = JoinedWord(" ", (name[0],))
    return found


def _chinese(
    tokens: Sequence[str], sentence: str, breaks: Set[str], background: Background
) -> Iterator[tuple[tuple[str, str], JoinedWord]]:
    """Yield the words of a clause of which one part is a single Chinese sign or, before Chinese, a letter.

    `sentence` is folded. A sign belongs to the word before it, unless it begins words, has none before it, or tells
    what a person does. Two signs side by side are left alone.
    """
    for at, sign in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        behind = tokens[at + 1] if at + 1 < len(tokens) else ""
        if len(sign) > 1 or is_quantity(sign):
            continue
        if sign.isascii():
            if is_han(behind[:1]) and behind not in breaks and sign + behind in sentence:
                telling = (behind,) if len(behind) > 1 else ()
                yield (sign, behind), JoinedWord("", telling, telling)
            continue
        if _is_part(before, breaks) or _is_part(behind, breaks) or is_quantity(before):
            continue
        leads, follows = _is_whole(behind, breaks), _is_whole(before, breaks)
        if sign in _PREFIXES and leads:
            is_prefix, is_suffix = True, False
        elif sign in JOINING:
            # A guess of the segmenter that a joining word cannot end: 碳中, 和.
            is_prefix, is_suffix = False, follows and not behind and background.idf(before) >= RAREST_IDF
        else:
            is_open = sign not in _VERBS and sign not in breaks
            is_prefix, is_suffix = is_open and leads and not follows and sign not in NOUNS, is_open and follows
        if is_prefix:
            yield (sign, behind), JoinedWord("", (behind,), (behind,))
        elif is_suffix:
            parts = (before, sign) if sign in NOUNS else (before,)
            weak = tuple(part for part in parts if part == sign or background.df_share(part) >= COMMON_SHARE)
            yield (before, sign), JoinedWord("", parts, weak)


def _is_part(token: str, breaks: Set[str]) -> bool:
    """Tell whether a token is a single sign or letter that may be part of a word."""
    return len(token) == 1 and token not in breaks and token not in JOINING


def _is_whole(token: str, breaks: Set[str]) -> bool:
    """Tell whether a token is a Chinese word that no joining word is part of."""
    return (
        len(token) > 1 and is_han(token[0]) and token not in breaks and not {token[0], token[-1]}.intersection(JOINING)
    )
