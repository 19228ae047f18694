from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.page.charset import is_windows_1252
from focuscrawl.page.decode import codec_of, decode

CHINESE = "昨天下午，校园篮球联赛在新体育馆开幕，共有十二支球队参加，比赛将持续三周。"
TRADITIONAL = "昨天下午，校園籃球聯賽在新體育館開幕，共有十二支球隊參加，比賽將持續三週。"


def page(text: str, charset: str = "") -> str:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">' if charset else ""
    return f"<html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("declared", ["gb2312", "GBK", "gb18030", "x-gbk"])
def test_gb2312_and_gbk_mean_gb18030(declared: str) -> None:
    rare = CHINESE + "镕㐂"  # neither is in GB 2312
    found = decode(page(rare, declared).encode("gb18030"))
    assert (found.encoding, found.damaged) == ("gb18030", False)
    assert rare in found.text


def test_big5_is_big5_hkscs_where_that_works() -> None:
    found = decode(page(TRADITIONAL + "嘅啲", "big5").encode("big5hkscs"))
    assert (found.encoding, found.damaged) == ("big5hkscs", False)
    assert "嘅啲" in found.text


def test_strict_utf8_comes_before_the_declaration() -> None:
    found = decode(page(CHINESE, "gb2312").encode(), "text/html; charset=gbk")
    assert (found.encoding, found.damaged) == ("utf-8", False)


def test_header_comes_before_meta() -> None:
    text = "Привет, мир"
    found = decode(page(text, "koi8-r").encode("cp1251"), "text/html; charset=windows-1251")
    assert found.encoding == "cp1251"
    assert text in found.text


def test_latin1_of_a_server_default_yields_to_meta() -> None:
    found = decode(page(CHINESE, "gb2312").encode("gb18030"), "text/html; charset=ISO-8859-1")
    assert found.encoding == "gb18030"


def test_wrong_declaration_is_detected() -> None:
    found = decode(page(CHINESE * 5, "utf-8").encode("gb18030"), "text/html; charset=utf-8")
    assert found.encoding == "gb18030"
    assert CHINESE in found.text


def test_undeclared_is_detected() -> None:
    assert CHINESE in decode(page(CHINESE * 5).encode("gb18030")).text


@pytest.mark.parametrize(
    "text",
    [
        "The keeper’s lock “Great Gate” opens at six – or so he says.",
        "Copyright © 2012 The Lock Keepers of Saint-Honoré",
        "It isn’t open. “It never was,” the café’s owner said, “not in ten years”… for £5",
        "Zoë has a résumé",
    ],
)
def test_a_few_scattered_bytes_are_windows_1252(text: str) -> None:
    found = decode(
        page("<script>var keys = [1, 2];</script>" + "The boats wait below the gates. " * 20 + text).encode("cp1252")
    )
    assert found.encoding == "cp1252"
    assert text in found.text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("这是船闸", "gb18030"),
        ("船闸的水位，每小时更新一次。", "gb18030"),
        ("船閘的水位，每小時更新一次。", "big5"),
        ("水門の水位は毎時更新されます。テスト", "cp932"),
        ("수문의 수위는 매시간 갱신됩니다", "euc_kr"),
        ("Śluza została otwarta, a łodzie płyną dalej w stronę miasta, gdzie żegluga jest ważna", "cp1250"),
    ],
)
def test_bytes_that_come_in_pairs_or_often_are_not_windows_1252(text: str, encoding: str) -> None:
    body = page(text).encode(encoding)
    assert not is_windows_1252(body)
    assert decode(body).encoding != "cp1252"


def test_a_few_broken_bytes_do_not_change_the_encoding() -> None:
    body = page(CHINESE * 5, "utf-8").encode() + "旧".encode("gb18030")
    found = decode(body)
    assert (found.encoding, found.damaged) == ("utf-8", True)
    assert CHINESE in found.text


def test_gb18030_page_with_a_utf8_passage_keeps_the_rest() -> None:
    body = page(CHINESE * 20, "gbk").encode("gb18030") + "页脚".encode()
    found = decode(body, "text/html")
    assert found.encoding == "gb18030"
    assert CHINESE in found.text


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_byte_order_mark_wins(bom: bytes, encoding: str) -> None:
    found = decode(bom + page(CHINESE, "gbk").encode(encoding), "text/html; charset=gbk")
    assert found.encoding == encoding
    assert found.text.startswith("<html>")
    assert CHINESE in found.text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    found = decode(page("Only plain words, " * 20).encode(encoding))
    assert found.encoding == encoding


def test_ascii() -> None:
    found = decode(b"<p>plain</p>", "text/html; charset=gb2312")
    assert (found.text, found.encoding, found.damaged) == ("<p>plain</p>", "utf-8", False)


def test_seven_bit_encodings_when_declared() -> None:
    text = "日本語のページ"
    assert text in decode(page(text, "iso-2022-jp").encode("iso-2022-jp")).text
    assert decode(page("a ~{ b").encode()).encoding == "utf-8"


def test_nuls_are_removed() -> None:
    assert decode(b"a\0b").text == "ab"
    assert decode("é\0è".encode()).text == "éè"


@pytest.mark.parametrize("label", ["base64", "rot13", "hex", "zip", "nonsense", "", None, "utf-8\n;"])
def test_labels_that_are_no_charset(label: str | None) -> None:
    assert codec_of(label) in (None, "utf-8")


def test_empty() -> None:
    assert decode(b"").text == ""


@given(
    st.binary(max_size=300),
    st.sampled_from([None, "text/html; charset=gbk", "x; charset=base64", "text/html; charset"]),
)
@settings(max_examples=150, deadline=None)
def test_never_raises_and_has_no_nul(body: bytes, content_type: str | None) -> None:
    found = decode(body, content_type)
    assert "\0" not in found.text
    found.text.encode("utf-8")  # no lone surrogates


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=200))
def test_utf8_round_trip(text: str) -> None:
    found = decode(text.encode())
    assert (found.text, found.damaged) == (text, False)


def test_chinese_without_declaration_is_told_by_its_byte_pairs() -> None:
    text = "<p>运河上的船闸由看守人照管，冬天水位低，要修理闸门。" * 9 + "<a href=1.htm>下一页</a>"
    found = decode(text.encode("gb18030")[:-3] + b"\xb0 tail")
    assert found.encoding == "gb18030"
    assert "船闸由看守人照管" in found.text
    assert decode("un été à la forêt, déjà là ".encode("latin-1") * 5).encoding != "gb18030"
