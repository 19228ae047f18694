"""Words that only count, measure or date: they say nothing of what a text is about."""

from __future__ import annotations

import re

from focuscrawl.text.tokenize import is_han

_NUMERALS = "零〇一二两三四五六七八九十百千万亿几数半多\\d"
_MEASURES = (
    "个 元 块 张 天 日 年 月 号 时 点 分 秒 刻 次 回 遍 趟 名 位 人 只 条 件 家 本 页 篇 章 节 段 句 字 岁 米 斤 克 吨 "
    "亩 层 楼 间 座 辆 台 架 艘 双 对 套 组 种 类 项 倍 代 届 期 周 季"
    " 份 顿 杯 瓶 碗 盘 袋 盒 箱 包 片 根 支 枝 颗 粒 滴 朵 棵 款 首 袭 茬 盏 栋 幢 副 枚 幅 笔 宗 桩 餐 捆 "
    "筐 桶 罐 壶 勺 匙 场 批 "
    "小时 分钟 秒钟 点钟 刻钟 公里 公斤 公分 公顷 厘米 毫米 千米 千克 毫升 美元 欧元 英镑 日元 港币 块钱 毛钱 元钱 "
    "年代 世纪 星期 礼拜 个月 月份 天后 天前 年前 年后 年级 多年 多个 多天 余年 余人 余名"
)
_CHINESE = re.compile(
    rf"(?:第|约|近|每|上|下|前|后|这|那|好|某|数|初|头)?[{_NUMERALS}]+[多余来]?(?:{'|'.join(_MEASURES.split())})?"
    rf"|[{_NUMERALS}]+分之[{_NUMERALS}]+|(?:星期|礼拜|周)[一二三四五六日天末]|(?:第|每|这|那|某|多少|若干)(?:"
    rf"{'|'.join(_MEASURES.split())})"
)
_NAMES = frozenset(["数字", "数组", "数位", "八字", "十字"])
"""Names of things that are made like an amount: 数字货币."""
_LATIN = re.compile(
    r"\d[\d.,]*(?:st|nd|rd|th|s|am|pm|px|em|pt|k|m|b|kb|mb|gb|tb|km|cm|mm|kg|mg|ml|kcal|hz|khz|mhz|ghz|min|hr|hrs|yr|x)?"
)
_DATE_WORDS = """
    january february april june july august september october november december jan feb mar apr jun jul aug sep sept
    oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur fri sat sun
"""
_DATES = frozenset(_DATE_WORDS.split())


def is_quantity(word: str) -> bool:
    """Tell whether a word is a number, an amount with its measure word, a date or part of one.

    >>> [is_quantity(word) for word in ("28th", "一百五十元", "第一天", "四分之三", "这款", "october", "数字", "3d")]
    [True, True, True, True, True, True, False, False]
    """
    if word.isascii():
        return _LATIN.fullmatch(word) is not None or word in _DATES
    return word.isnumeric() or (_CHINESE.fullmatch(word) is not None and word not in _NAMES)


def is_telling(word: str) -> bool:
    """Tell whether a word may say what a text is about: no quantity, and no single Chinese character."""
    return not (len(word) == 1 and is_han(word)) and not is_quantity(word)
