"""Pages in eight encodings whose header and `<meta>` tell the truth, something else, or nothing: 648 of them."""

from __future__ import annotations

import codecs
from itertools import product

import pytest

from focuscrawl.page.decode import Decoded, decode

_SIMPLIFIED = (
    "灯塔的看守人每天傍晚登上一百二十级台阶，点亮塔顶的大灯。海面上的渔船看见灯光，就知道港口在哪里。"
    "冬天风浪很大，有时候一连几个星期没有人能够上岛，粮食和淡水都要提前准备好。"
)
_TRADITIONAL = (
    "燈塔的看守人每天傍晚登上一百二十級臺階，點亮塔頂的大燈。海面上的漁船看見燈光，就知道港口在哪裡。"
    "冬天風浪很大，有時候一連幾個星期沒有人能夠上島，糧食和淡水都要提前準備好。"
)
_RARE = "镕㐂\U00020bb7"  # in GB 18030 only, with two bytes and with four
TEXTS = {
    "utf-8": (_SIMPLIFIED, b""),
    "gbk": (_SIMPLIFIED, b""),
    "gb18030": (_SIMPLIFIED + _RARE, b""),
    "big5": (_TRADITIONAL, b""),
    "utf-16-le": (_SIMPLIFIED, b""),
    "utf-16-be": (_TRADITIONAL, b""),
    "utf-16-le with mark": (_SIMPLIFIED, codecs.BOM_UTF16_LE),
    "utf-16-be with mark": (_TRADITIONAL, codecs.BOM_UTF16_BE),
}
LABELS = ("", "utf-8", "gb2312", "gb18030", "big5", "utf-16", "iso-8859-1", "euc-kr", "x-nonsense")


def decoded(encoding: str, text: str, mark: bytes, header: str, meta: str) -> Decoded:
    """Return what a page in `encoding` is read as whose header and `<meta>` say this."""
    declared = f'<meta charset="{meta}">' if meta else ""
    page = f'<html><head>{declared}<title>x</title></head><body><p>{text}</p><a href="/a">{text[:9]}</a></body></html>'
    body = mark + page.encode(encoding.partition(" ")[0])
    return decode(body, f"text/html; charset={header}" if header else "text/html")


@pytest.mark.parametrize("encoding", TEXTS)
def test_text_is_right_whatever_header_and_meta_say(encoding: str) -> None:
    text, mark = TEXTS[encoding]
    pages = {(header, meta): decoded(encoding, text, mark, header, meta) for header, meta in product(LABELS, LABELS)}
    assert len(pages) * len(TEXTS) == 648
    wrong = [declared for declared, page in pages.items() if text not in page.text or page.damaged]
    assert not wrong


@pytest.mark.parametrize("encoding", TEXTS)
def test_a_sentence_is_enough(encoding: str) -> None:
    text, mark = TEXTS[encoding][0][:45], TEXTS[encoding][1]
    pages = {(header, meta): decoded(encoding, text, mark, header, meta) for header, meta in product(LABELS, LABELS)}
    wrong = [declared for declared, page in pages.items() if text not in page.text or page.damaged]
    assert not wrong


_OTHERS = {
    "shift_jis": "灯台守は毎晩百二十段の階段を登り、塔の上の大きなランプに火をともす。漁船はその光を見る。",
    "euc-jp": "灯台守は毎晩百二十段の階段を登り、塔の上の大きなランプに火をともす。漁船はその光を見る。",
    "euc-kr": "등대지기는 매일 저녁 백이십 계단을 올라 탑 꼭대기의 큰 등에 불을 켠다. 어선들이 그 불빛을 본다.",
    "windows-1251": "Каждый вечер смотритель маяка поднимается по ста двадцати ступеням и зажигает большую лампу.",
    "koi8-r": "Каждый вечер смотритель маяка поднимается по ста двадцати ступеням и зажигает большую лампу.",
    "iso-8859-7": "Κάθε βράδυ ο φαροφύλακας ανεβαίνει εκατόν είκοσι σκαλιά και ανάβει τη μεγάλη λάμπα του πύργου.",
    "windows-1255": "בכל ערב עולה שומר המגדלור מאה ועשרים מדרגות ומדליק את המנורה הגדולה שבראש המגדל.",
    "windows-1256": "في كل مساء يصعد حارس المنارة مئة وعشرين درجة ويشعل المصباح الكبير في أعلى البرج.",
    "tis-620": "ทุกเย็นคนเฝ้าประภาคารจะขึ้นบันไดหนึ่งร้อยยี่สิบขั้นและจุดตะเกียงใหญ่บนยอดหอคอย",
    "iso-8859-1": "Le gardien a été là dès l'été: déjà âgé, il gravit à pied les marches où brûle la lumière.",
}


@pytest.mark.parametrize("encoding", _OTHERS)
@pytest.mark.parametrize("times", [1, 20])
def test_other_languages_are_read_as_they_are_declared(encoding: str, times: int) -> None:
    text = _OTHERS[encoding] * times
    for header, meta in ((encoding, ""), ("", encoding), (encoding, encoding)):
        assert text in decoded(encoding, text, b"", header, meta).text


def test_what_no_encoding_explains_is_marked() -> None:
    body = b"<p>" + bytes(range(0x80, 0x100)) * 20 + b"</p>"
    assert decode(body, "text/html; charset=utf-8").damaged
