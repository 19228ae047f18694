"""Faults of topic files are shown in Chinese, all of them: none of these sentences may be changed at one place only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from focuscrawl.cli.main import run
from focuscrawl.errors import TopicError
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.seeds import split_seeds
from focuscrawl.topic.spec import load_topic
from focuscrawl.wording.base import Say
from focuscrawl.wording.topic_faults import error_in_words, fault_in_words

WORDS = '[terms]\n"tea" = 1.0\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ["缺少 name：须有由 [a-z0-9-] 组成的短名", "没有 [terms]，没有相关的 [samples]"]),
        (f'name = "Tea Time"\n{WORDS}', ['name = "Tea Time"：只能用小写字母 a-z、数字和连字符']),
        (f'name = "{"t" * 70}"\n{WORDS}', ["最多 64 个字符"]),
        ('name = "tea"\n[terms]\n"tea" = 1.5\n', ["[terms] tea = 1.5：权重应在 (0, 1] 之内"]),
        ('name = "tea"\n[terms]\ntea = "much"\n', ['[terms] tea = "much"：应为数字']),
        ('name = "tea"\n[terms]\ngreen.tea = 1\n', ['[terms] green：应为数字；含点号的键要加引号："green.tea"']),
        (f'name = "tea"\n{WORDS}[synonym]\n', ["[synonym]：未知的键；这里可用：", '您是不是想写 "synonyms"？']),
        (f'name = "tea"\n{WORDS}[budget]\nseeds = []\n', ["未知的键；这里可用：", "。它属于整个文件"]),
        (f'name = "tea"\n{WORDS}seeds = ["http://a.example/"]\n', ["不是 [terms] 里的词。它属于整个文件"]),
        (
            f'name = "tea"\n{WORDS}[synonyms]\nteas = ["chai"]\n',
            ['不在 [terms] 里，不能有同义词。您是不是想写 "tea"？'],
        ),
        ('name = "tea"\n[terms]\n"tea|茶" = 1.0\n', ['写在 [synonyms] 下："tea" = ["茶"]']),
        (f'name = "tea"\n{WORDS}[excluded]\ntea = 0.5\n', ["也在 [terms] 或 [synonyms] 里"]),
        (f'name = "tea"\n{WORDS}[budget]\npages = -1\n', ["应为 0（不限）或更大的数"]),
        (f'name = "tea"\n{WORDS}[budget]\npages = "all"\n', ["应为整数"]),
        (f'name = "tea"\n{WORDS}[scope]\nmax_depth = -1\n', ["应为 0 或更大的数"]),
        (f'name = "tea"\n{WORDS}[scope]\nallow_hosts = ["http://a.example/"]\n', ["应为主机名"]),
        (f'name = "tea"\n{WORDS}[judge]\nthreshold = 7\n', ['应为 "adaptive" 或 [0, 1] 之内的数']),
        (f'name = "tea"\nlanguage = "Chinese!"\n{WORDS}', ["应为 BCP-47 语言标记"]),
        (f'name = "tea"\nbreadth = "wide"\n{WORDS}', ['应为 "broad"、"narrow" 或 [0, 1] 之内的数']),
        (f'name = "tea"\nseeds = "http://a.example/"\n{WORDS}', ["应为列表"]),
        (f'name = "tea"\nseeds = ["ftp://a.example/"]\n{WORDS}', ["应为 http 或 https 网址"]),
        (f'name = "tea"\nseed_files = ["none.txt"]\n{WORDS}', ["下没有这个文件"]),
        ('name = "tea"\n[samples]\nrelevant = ["none/*.txt"]\n', ["下没有匹配的文件"]),
        (f'name = "tea"\nterms = 1\n{WORDS}', ["不是有效的 TOML："]),
        (f'name = 7\ndescription = "a is missing: b"\n{WORDS}', ["name = 7：应为字符串"]),
    ],
)
def test_faults_in_chinese(text: str, told: list[str], tmp_path: Path) -> None:
    file = tmp_path / "tea.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TopicError) as raised:
        load_topic(str(file))
    shown = [fault_in_words(fault, Say("zh")) for fault in raised.value.faults]
    assert all(any(part in line for line in shown) for part in told), shown
    assert all(re.search(r"：\D*[㐀-鿿]", line) for line in shown), "each has a sentence in Chinese behind its place"
    assert error_in_words(raised.value, Say("en")) == str(raised.value)


def test_a_topic_that_is_not_there_in_chinese(tmp_path: Path) -> None:
    with pytest.raises(TopicError) as raised:
        load_topic("teaa")
    assert "没有这个文件，" in error_in_words(raised.value, Say("zh"))
    with pytest.raises(TopicError) as raised:
        load_topic(str(tmp_path))
    assert error_in_words(raised.value, Say("zh")) == f'topic "{tmp_path}"：是文件夹；应为主题文件'
    with pytest.raises(TopicError) as raised:
        load_topic(str(tmp_path / "none.toml"))
    assert error_in_words(raised.value, Say("zh")).endswith("none.toml：没有这个文件")


@pytest.mark.parametrize(
    ("seeds", "told"),
    [
        ("http://a.example/b c", 'seeds: "http://a.example/b c"：应为 http 或 https 网址，不含空格、引号和尖括号'),
        ("http:///x", 'seeds: "http:///x"：应为带主机名的 http 或 https 网址'),
        ("茶", "茶：没有这个文件；种子是一个网址文件，或者网址"),
        ("a.example", "a.example：没有这个文件；种子是一个网址文件，或者网址，如 https://a.example"),
    ],
)
def test_seeds_in_chinese(seeds: str, told: str) -> None:
    with pytest.raises(TopicError) as raised:
        split_seeds(seeds)
    assert error_in_words(raised.value, Say("zh")) == told


def test_what_is_weak_in_chinese(tmp_path: Path) -> None:
    file = tmp_path / "tea.toml"
    file.write_text('name = "tea"\n[samples]\nrelevant_text = ["green tea leaves"]\n', encoding="utf-8")
    shown = [fault_in_words(warning, Say("zh")) for warning in fit_topic(load_topic(str(file))).warnings]
    assert any(line.startswith("没有关键词：") for line in shown), shown
    assert any(line.startswith("第 1 段样文只有 3 个有意义的词") for line in shown), shown


def test_a_check_speaks_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tea.toml"
    file.write_text(f'name = "tea"\n{WORDS}', encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        run(["topic", "check", str(file), "--lang", "zh"])
    lines = capsys.readouterr().out.replace("\n", "")
    assert ended.value.code == 0
    assert "tea.toml：没有错误（1 个词，0 个种子，摘要 " in lines
    assert "提醒：没有种子，抓取时要另外给出：--seeds FILE" in lines
    with pytest.raises(SystemExit) as ended:
        run(["topic", "check", str(tmp_path / "none.toml"), "--lang", "zh"])
    assert ended.value.code == 1
    assert "none.toml：1 处错误" in capsys.readouterr().out.replace("\n", "")


@pytest.mark.parametrize(("language", "told"), [("zh", "没有这个文件"), ("en", "there is no such file")])
def test_errors_are_in_the_language_of_the_command(
    language: str, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_LANG", "en" if language == "zh" else "zh")
    for command in (["topic", "show"], ["seeds", "check"]):
        with pytest.raises(SystemExit) as ended:
            run([*command, "none.toml", "--lang", language])
        assert ended.value.code == 1
        assert told in capsys.readouterr().err
