"""Dates as pages write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from focuscrawl.extraction.numeric_dates import UNTOLD, year_first

_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(1[0-2]|0?[1-9])\s?[-/.月]\s?(3[01]|[12]\d|0?[1-9])(?!\d)\s?日?"
    r"(?:[T\s]{0,3}([01]?\d|2[0-3])\s?[:：时]\s?([0-5]\d)(?:\s?[:：分]\s?([0-5]\d)(?:[.,]\d{1,9})?)?)?"
    r"(\s?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_DATE = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[.,]?\s+"
    # "Mar 3 14:22:01 CET 2009" is how C's `ctime` writes it, and so archives of mailing lists.
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d\d?:\d\d(?::\d\d)?\s+(?:[A-Z]{2,5}\s+)?)?)?((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
# "/2016/02/21/eggs-for-sale/", and no archive of a day; a page of its own below that may have a day of its own.
_URL_DATE = re.compile(r"^[^?#]*?/((?:19|20)\d\d)/(\d\d?)/(\d\d?)/[^/?#]++(/?(?:index\.html?)?$)?")
_DATE_MARK = re.compile("[-/.年 ]")
_PLAIN = str.maketrans("０１２３４５６７８９－／．：　", "0123456789-/.: ")
_NUMERALS = {char: str(at) for at, char in enumerate("〇一二三四五六七八九")} | {"零": "0", "○": "0"}
_NUMERAL_DATE = re.compile(
    r"([一二][〇○零九][〇○零一二三四五六七八九]{2})年(十[一二]?|[一二三四五六七八九])月"
    r"(三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])日"
)
_REPUBLIC_YEAR = re.compile(r"民[國国]\s?(1?\d\d)\s?年")  # of Taiwan: year 1 is 1912
_REPUBLIC_FIRST = 1911
_REPUBLIC_NUMERALS = re.compile(
    r"(?<=民[國国])\s?([〇○零一二三四五六七八九十百]{1,5})年(十[一二]?|[一二三四五六七八九])月"
    r"(三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九])日"
)
_TIME_ZONES = timedelta(days=1)
"""How far two dates of one moment may be apart."""
_EAST, _WEST = 14, 12
"""Hours that places are ahead of UTC and behind it, at most."""
_QUARTER_S = 900  # zones differ by whole quarters of an hour
_UTC_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|\+00:00)")
_ALONE_CHARS = 60
_LABEL_LETTERS = 12  # "Published on"
_FIRST_DIGIT = re.compile(r"\d")
# What a date is labelled as that is no page's first: that of a member, of a later version.
_JOINED = re.compile(r"\b(?:joined|registered|(?:member )?since)\b|[注註]册|[注註]冊|加入", re.IGNORECASE)
_CHANGED = re.compile(r"\b(?:updated?|modified|edited|revised)\b|更新|修改|修[订訂]|[编編][辑輯][于於]", re.IGNORECASE)
_CHANGED_AFTER = re.compile(r"(?:19|20)\d\d[\d\s:：./年月日时時分秒-]{4,30}+(?:修改|更新)(?![时時日于於:：])")
_VISITED = re.compile(
    r"(?:引用|访问|訪問|查阅|查閱|检索|檢索)(?:日期|时间|時間|[于於])|今[天日]是|[现現]在是|[当當]前(?:日期|时间|時間)|"
    r"\b(?:retrieved|accessed|today is)\b",
    re.IGNORECASE,
)
_WEEK_DAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\b", re.IGNORECASE)


def iso_date(text: str, order: str = UNTOLD) -> str:
    """Return the first date in `text` as ISO 8601, with its time and zone when stated, '' when there is none.

    Full-width digits count as plain ones. Of dates that end with the year those are read that say which number is the
    day, by themselves or by `order` (`focuscrawl.extraction.numeric_dates`).
    """
    text = year_first(text[:400] if text.isascii() else text[:400].translate(_PLAIN), order)
    match = _DATE.search(text)
    if match is not None:
        year, month, day, hour, minute, second, zone = match.groups()
        if not _is_day(int(year), int(month), int(day)):
            return ""
        found = f"{year}-{int(month):02d}-{int(day):02d}"
        if hour is not None and minute is not None:
            found += f"T{int(hour):02d}:{minute}" + (f":{second}" if second else "")
            if zone:
                zone = zone.strip()
                found += zone if zone == "Z" or ":" in zone else f"{zone[:3]}:{zone[3:]}"
        return found
    named = _NAMED_DATE.search(text)
    if named is not None:
        before, name, after, year = named.groups()
        day = before or after
        month_number = _MONTHS.index(name.lower()) + 1
        if day and _is_day(int(year), month_number, int(day)):
            return f"{year}-{month_number:02d}-{int(day):02d}"
    return ""


def begins_with_date(text: str, order: str = UNTOLD) -> bool:
    """Tell whether nothing stands before the date of a text."""
    text = year_first(text.lstrip(), order)
    return _DATE.match(text) is not None or _NAMED_DATE.match(text) is not None


def is_of_member(label: str) -> bool:
    """Tell whether the text before a date says that somebody joined the site on it.

    >>> is_of_member("注册时间 2019-3-1"), is_of_member("发表于 2019-3-1，注册会员可见")
    (True, False)
    """
    return _JOINED.search(_before_date(label)) is not None


def is_of_change(label: str) -> bool:
    """Tell whether the text around a date says that the page was changed on it.

    >>> is_of_change("编辑于 2019-3-1"), is_of_change("已于 2019-3-1 9:00 修改"), is_of_change("2019-3-1 更新时间")
    (True, True, False)
    """
    before = _before_date(label)
    return _CHANGED.search(before) is not None or _CHANGED_AFTER.match(label, len(before)) is not None


def is_of_visit(label: str) -> bool:
    """Tell whether the text before a date says that a source was read on it, or that it is today's."""
    return _VISITED.search(_before_date(label)) is not None


def _before_date(text: str) -> str:
    first = _FIRST_DIGIT.search(text)
    return text[: first.start()] if first is not None else text


def may_have_date(text: str) -> bool:
    """Tell whether it is worth looking for a date in `text`, at the cost of a few searches for a letter."""
    if "20" in text or "19" in text:
        return _DATE_MARK.search(text) is not None
    return not text.isascii() and ("年" in text or "２０" in text or "１９" in text)


def date_alone(text: str, order: str = UNTOLD) -> str:
    """Return the date of `text` when hardly anything else stands in it but a label, '' otherwise.

    Beside those of `iso_date` these are dates in Chinese numerals and in years of the Republic: in a sentence they
    are mostly of history.

    >>> date_alone("二〇二四年十月二十一日"), date_alone("日期：民國112年11月5日")
    ('2024-10-21', '2023-11-05')
    """
    if len(text) > _ALONE_CHARS and len(text := " ".join(text.split())) > _ALONE_CHARS:
        return ""
    if not text.isascii():
        text = text.translate(_PLAIN)
        text = _NUMERAL_DATE.sub(lambda match: "{}年{}月{}日".format(*map(_number, match.groups())), text)
        text = _REPUBLIC_NUMERALS.sub(lambda match: "{}年{}月{}日".format(*map(_number, match.groups())), text)
        text = _REPUBLIC_YEAR.sub(lambda match: f"{int(match[1]) + _REPUBLIC_FIRST}年", text)
    text = year_first(text, order)
    match = _DATE.search(text) or _NAMED_DATE.search(text)
    if match is None:
        return ""
    rest = _WEEK_DAY.sub("", text[: match.start()] + " " + text[match.end() :])
    return iso_date(text) if sum(map(str.isalpha, rest)) <= _LABEL_LETTERS else ""


def url_date(url: str) -> str:
    """Return the day that the path of a URL states before the name of the page, '' for none."""
    match = _URL_DATE.search(url)
    return _url_day(match) if match is not None else ""


def posted_on(url: str, shown: str) -> str:
    """Return the date of a post, of that of its URL and the first that its page shows, both as ISO 8601.

    The URL's, where that ends in the name of the post and the other is more than a day from it: the first date in a
    post is often of what it tells.

    >>> posted_on("http://a.example/2016/02/21/eggs/", "2014-05-06"), posted_on("http://a.example/eggs/", "2014-05-06")
    ('2016-02-21', '2014-05-06')
    """
    match = _URL_DATE.search(url)
    day = _url_day(match) if match is not None and match[4] is not None else ""
    if not day:
        return shown
    apart = abs(date.fromisoformat(shown[:10]) - date.fromisoformat(day))
    return shown if apart <= _TIME_ZONES else day


def is_in_utc(stated: str) -> bool:
    """Tell whether a date is a moment in UTC, whose day may not be that of the place where the page was written."""
    return _UTC_MOMENT.fullmatch(stated) is not None


def as_shown(stated: str, shown: str) -> str:
    """Return a moment in UTC as the page shows it to readers where that is on the day before or after.

    Generators of sites declare in UTC what was written on the day after, east of it. Both dates are ISO 8601; where the
    one that is shown cannot be the same moment, or has no day of its own, the stated one stays.

    >>> as_shown("2022-08-25T16:00:00Z", "2022-08-26"), as_shown("2022-08-25T16:00:00Z", "2022-08-26T00:00")
    ('2022-08-26', '2022-08-26T00:00+08:00')
    >>> as_shown("2022-08-25T16:00:00Z", "2022-08-24"), as_shown("2022-08-25T16:00:00Z", "2022-09-26")
    ('2022-08-25T16:00:00Z', '2022-08-25T16:00:00Z')
    """
    if not shown or shown[:10] == stated[:10] or not is_in_utc(stated):
        return stated
    days = (date.fromisoformat(shown[:10]) - date.fromisoformat(stated[:10])).days
    moment = datetime.fromisoformat(stated)
    if abs(days) != 1:
        return stated
    if len(shown) == len("2022-08-26"):
        hours = 24 - moment.hour if days > 0 else moment.hour
        return shown if hours <= (_EAST if days > 0 else _WEST) else stated
    local = datetime.fromisoformat(shown)
    ahead_s = round((local.replace(tzinfo=UTC) - moment).total_seconds() / _QUARTER_S) * _QUARTER_S
    zone = local.utcoffset()
    if zone is not None:
        return shown if zone.total_seconds() == ahead_s else stated
    apart_s = abs((local.replace(tzinfo=UTC) - moment).total_seconds() - ahead_s)
    if apart_s >= 60 or not -_WEST * 3600 <= ahead_s <= _EAST * 3600:  # seconds may not be shown
        return stated
    hours, minutes = divmod(abs(ahead_s) // 60, 60)
    return f"{shown}{'-' if ahead_s < 0 else '+'}{hours:02d}:{minutes:02d}"


def _url_day(match: re.Match[str]) -> str:
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    return f"{year}-{month:02d}-{day:02d}" if _is_day(year, month, day) else ""


def _number(numerals: str) -> str:
    """Return what Chinese numerals below two hundred, or digit by digit, are in digits."""
    _, hundred, rest = numerals.partition("百")
    if hundred:
        return f"1{_number(rest.lstrip('零〇○')) if rest else 0:0>2}"
    tens, ten, ones = numerals.partition("十")
    if ten:
        return f"{_NUMERALS[tens] if tens else 1}{_NUMERALS[ones] if ones else 0}"
    return "".join(_NUMERALS[char] for char in numerals)


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
