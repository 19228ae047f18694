"""What is stored is clean: what a reader wants, in lines and paragraphs, and nothing of what surrounds it."""

from __future__ import annotations

import pytest

from focuscrawl import plugins
from focuscrawl.extraction.base import Extraction
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("auto")
PARAGRAPHS = (
    "清晨五点，看守人老周照例打开船闸的下闸门，雾还没有散，两艘装满沙石的驳船已经在堰下等候了整整一夜。",
    "他说，自从上游修了新的水库，每年春天的水位都要比从前低半米多，重载的船只常常要等到中午才能进闸。",
    "闸室注满水大约需要二十分钟，这期间老周会把水位、流量和过闸船只的编号一笔一笔写进那本厚厚的日志。",
    "今年秋天，航道管理部门将为这座百年老闸更换全部闸门，工程预计持续四个月，届时船只需要绕行东线。",
)
SENTENCES = (
    "At five in the morning the keeper opens the lower gate of the lock, while the fog still lies on the water.",
    "Two barges laden with gravel have been waiting below the weir all night, their crews asleep in the cabins.",
    "Filling the chamber takes about twenty minutes, and the keeper writes the level and the flow into the book.",
    "In the autumn all gates of the old lock will be renewed, and boats will have to take the eastern branch.",
)


def extracted(body: str, *, title: str = "百年船闸的清晨", head: str = "", language: str = "zh") -> Extraction:
    html = (
        f"<!DOCTYPE html><html lang={language}><head><meta charset=utf-8><title>{title}_运河日报</title>{head}</head>"
        "<body><div class=nav><a href=/>首页</a><a href=/news>新闻</a><a href=/photo>图片</a></div>"
        f"<div class=article><h1>{title}</h1><div class=content id=content>{body}</div></div>"
        "<div class=footer><a href=/about>关于我们</a> <a href=/legal>版权声明</a> © 2024 运河日报</div></body></html>"
    )
    page = analyse(html.encode(), "http://canal.example/news/20240304/17.html", tokenizer=TOKENIZER)
    found = plugins.build("extractors", "router").extract(page)
    assert found is not None
    return found


def article(extra: str = "", *, before: str = "") -> str:
    first, *rest = (f"<p>{text}</p>" for text in PARAGRAPHS)
    return f"{before}{first}{''.join(rest)}{extra}"


def assert_clean(found: Extraction, *unwanted: str) -> None:
    for text in PARAGRAPHS:
        assert text in found.text
    for text in unwanted:
        assert text not in found.text


def test_paragraphs_are_separated_by_a_blank_line() -> None:
    assert "\n\n".join(PARAGRAPHS) in extracted(article()).text


def test_lists_and_tables_are_lines() -> None:
    items = ("闸室长一百二十米，宽十二米，门槛水深三米半。", "上下游水位差最大可达五米，注水需要二十分钟。")
    listed = f"<p>这座船闸的主要数据如下：</p><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    rows = (("年份", "过闸船只", "货运量"), ("2022", "一万二千艘", "九百万吨"), ("2023", "一万三千艘", "一千万吨"))
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    found = extracted(article(f"{listed}<p>近两年的运量见下表，数据由管理所提供：</p><table>{cells}</table>"))
    assert "\n".join(items) in found.text
    assert "\n".join(" | ".join(row) for row in rows) in found.text


def test_code_keeps_its_lines_without_their_numbers() -> None:
    code = "def level(minutes):\n    if minutes > 20:\n        return 5.0\n    return minutes / 4"
    gutter = "<td class=gutter><pre>1\n2\n3\n4</pre></td>"
    block = f"<table class=highlight><tr>{gutter}<td class=code><pre><code>{code}</code></pre></td></tr></table>"
    english = "".join(f"<p>{text}</p>" for text in SENTENCES)
    found = extracted(
        english + "<p>The level in the chamber can be computed so:</p>" + block, title="The lock", language="en"
    )
    assert code in found.text
    assert "\n1\n" not in found.text
    assert "1\n2\n3" not in found.text


@pytest.mark.parametrize(
    "extra",
    [
        "<script>var 阅读量 = 1234; document.write('广告位招租')</script>",
        "<style>.广告位招租 {color: red}</style>",
        "<textarea>广告位招租</textarea><button>广告位招租</button>",
        "<noscript><img src=/count?id=1 alt=广告位招租></noscript>",
    ],
)
def test_no_scripts_styles_and_controls(extra: str) -> None:
    assert_clean(extracted(article(extra)), "广告位招租", "1234", "document.write")


def test_no_related_pages_share_bars_and_counters() -> None:
    related = "".join(f"<li><a href=/news/{n}.html>运河沿线又有{n}座老船闸列入名录</a></li>" for n in range(3, 9))
    around = (
        f"<div class=related><h3>相关阅读</h3><ul>{related}</ul></div>"
        "<div class=share><span>分享到：</span><a href=#>微信</a><a href=#>微博</a><a href=#>QQ空间</a></div>"
        "<div class=count>阅读 10234 &nbsp; 评论 56 &nbsp; 点赞 78</div>"
    )
    assert_clean(extracted(article(around)), "相关阅读", "列入名录", "分享到", "QQ空间", "10234", "点赞")


@pytest.mark.parametrize(
    "notice",
    [
        "<div id=cookie-consent><p>我们使用 Cookie 来改善您的体验，继续浏览即表示同意我们的隐私政策。</p>"
        "<a href=#>知道了</a></div>",
        "<div class=cookie-banner>We use cookies to make this site better. <a href=/privacy>Learn more</a></div>",
    ],
)
def test_no_notices_about_cookies(notice: str) -> None:
    assert_clean(extracted(article(before=notice)), "Cookie", "cookies", "知道了")


def test_a_body_that_a_script_will_show_is_kept() -> None:
    hidden = f"<div id=js_content style='visibility: hidden; opacity: 0;'>{article()}</div>"
    assert_clean(extracted(hidden))
    assert_clean(extracted(f"<div class=folded style='display:none'>{article()}</div>"))


def test_text_is_nfc_and_without_zero_width_characters() -> None:
    found = extracted(article("<p>Ecluse\u0301 du canal\u200b, ouverte depuis mille huit cent soixante-quatre.</p>"))
    assert "Eclusé du canal, ouverte" in found.text
    assert "\u200b" not in found.text
