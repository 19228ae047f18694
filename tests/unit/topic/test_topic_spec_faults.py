from __future__ import annotations

import os
from pathlib import Path

import pytest

from focuscrawl.errors import TopicError
from focuscrawl.topic.seeds import read_seed_file
from focuscrawl.topic.spec import load_topic
from focuscrawl.wording.base import Say
from focuscrawl.wording.topic_faults import fault_in_words

OK = 'name = "ok"\n[terms]\n"开局" = 0.5\n'


def faults_of(path: Path | str) -> tuple[str, ...]:
    with pytest.raises(TopicError) as caught:
        load_topic(str(path))
    return caught.value.faults


@pytest.fixture
def topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "t.toml"


_LARGE_TOGETHER = [f"(a|b)*a(a|b){{{n}}}c" for n in range(700, 900)]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('name = "Chess"\n', 't.toml: name = "Chess": must consist of lower-case letters a-z, digits and hyphens'),
        (f'name = "{"a" * 65}"\n', "must have at most 64 characters"),
        ("", "t.toml: name is missing: a short name of [a-z0-9-] is required"),
        ("name = 3\n", "t.toml: name = 3: must be a string"),
        ('language = "chinese language"\n', 'must be a BCP-47 language tag such as "zh" or "en-GB", or "auto"'),
        ('classification = "clc:L8"\n', 't.toml: classification = "clc:L8": no class has this code; known: '),
        ('breadth = "wide"\n', 't.toml: breadth = "wide": must be "broad", "narrow" or a number in [0, 1]'),
        ("breadth = 1.5\n", 't.toml: breadth = 1.5: must be "broad", "narrow" or a number in [0, 1]'),
        ("breadth = true\n", 't.toml: breadth = true: must be "broad", "narrow" or a number in [0, 1]'),
        ('titel = "x"\n', 'Did you mean "title"?'),
        ('seeds = ["ftp://x.org/"]\n', 't.toml: seeds[0] = "ftp://x.org/": expected an http or https URL'),
        ('seeds = ["example.org"]\n', "expected an http or https URL, such as https://example.org"),
        ('seeds = ["http://"]\n', "expected an http or https URL with a host"),
        ('seeds = ["http://[::1"]\n', "expected an http or https URL (Invalid IPv6 URL)"),
        ('seeds = ["http://a b/"]\n', "without spaces"),
        ('seeds = "http://a.org/"\n', 't.toml: seeds = "http://a.org/": must be a list'),
        ('seed_files = ["no.txt"]\n', 't.toml: seed_files[0] = "no.txt": no such file, seen from '),
        ('[terms]\n"网页采集" = 1.8\n', 't.toml: [terms] "网页采集" = 1.8: weight must be in (0, 1]'),
        ("[terms]\na = 0\n", "t.toml: [terms] a = 0: weight must be in (0, 1]"),
        ("[terms]\na = nan\n", "weight must be in (0, 1]"),
        ("[terms]\na = true\n", "t.toml: [terms] a = true: must be a number"),
        (
            "[terms]\nrobots.txt = 1\n",
            't.toml: [terms] robots: must be a number; a key with a dot needs quotes: "robots.txt"',
        ),
        ('[terms]\n"  " = 1\n', "must not be empty"),
        (f'[terms]\n"{"tea " * 60}" = 1\n', 'tea te…" = 1: has 240 characters; a term has 200 at most'),
        (f'[terms]\ntea = 1\n[synonyms]\ntea = ["{"茶" * 201}"]\n', "has 201 characters; a term has 200 at most"),
        ("terms = 3\n", "t.toml: terms = 3: must be a table"),
        ('[synonyms]\n"开居" = ["x"]\n[terms]\n"开局" = 1\n', 'Did you mean "开局"?'),
        ('[terms]\n"茶|tea | chai" = 1\n', 'go below [synonyms]: "茶" = ["tea", "chai"]'),
        ('[synonyms]\na = "b"\n', 't.toml: [synonyms] a = "b": must be a list'),
        ('[excluded]\n"开局" = 0.4\n[terms]\n"开局" = 1\n', "is also a word of [terms] or [synonyms]"),
        ('[samples]\nrelevant = ["none/*.txt"]\n', 't.toml: [samples] relevant[0] = "none/*.txt": no file matches'),
        ("[samples]\nrelevants = []\n", 'Did you mean "relevant"?'),
        ("[samples]\nrelevant_text = ['']\n", "must not be empty"),
        ("[budget]\npage = 3\n", "t.toml: [budget] page = 3: unknown key; known here: minutes, pages, relevant."),
        ("[budget]\npages = -3\n", "t.toml: [budget] pages = -3: must be 0 (no limit) or more"),
        ("[budget]\npages = 2.5\n", "must be a whole number"),
        ("[budget]\nminutes = inf\n", "must be a finite number"),
        ("[budget]\nseeds = []\n", "put it before the first [table]"),
        ("[scope]\ninclude = ['(']\n", 't.toml: [scope] include[0] = "(": not a regular expression of RE2'),
        ("[scope]\ninclude = ['(']\n", "no look-around and no back references): missing ): ("),
        ("[scope]\nexclude = ['a(?=b)']\n", "invalid perl operator: (?="),
        (f"[scope]\nexclude = {_LARGE_TOGETHER}\n", "together are too large"),
        (f"[scope]\nexclude = ['{'a' * 501}']\n", "regular expression of 501 characters; at most 500 are taken"),
        ('[scope]\ndeny_hosts = ["http://x"]\n', 'must be a host name such as "example.org"'),
        ('[scope]\nallow_hosts = ["*.x.org"]\n', "its subdomains are meant too"),
        ('[scope]\nallow_hosts = ["x.org:80"]\n', "without scheme, port or path"),
        ('[scope]\nallow_hosts = ["x..org"]\n', "must be a host name"),
        ("[scope]\nmax_depth = -1\n", "must be 0 or more"),
        ('[judge]\nthreshold = "adaptiv"\n', 't.toml: [judge] threshold = "adaptiv": must be "adaptive" or a number'),
        ("[judge]\nthreshold = 1.2\n", 'must be "adaptive" or a number in [0, 1]'),
        ("[judge]\nthreshold = true\n", 'must be "adaptive" or a number in [0, 1]'),
        ('[ranking]\nstrategi = "x"\n', 'Did you mean "strategy"?'),
        ("[ranking]\noptions = 3\n", "t.toml: [ranking] options = 3: must be a table"),
        ("[scorers.rwb]\nweight = 3\n", "t.toml: [scorers.rwb] weight = 3: must be in [0, 1]"),
        ("[scorers]\ndom = 3\n", "t.toml: [scorers] dom = 3: must be a table"),
        ('name = "x"\n', "t.toml: neither [terms] nor relevant [samples]"),
    ],
)
def test_each_fault_is_one_clear_sentence(topic: Path, text: str, fault: str) -> None:
    topic.write_text(text, "utf-8")
    assert [found for found in faults_of(topic) if fault in found], faults_of(topic)


def test_all_faults_are_reported_together(topic: Path) -> None:
    (topic.parent / "seeds.txt").write_text("http://ok.org/\nnonsense\n\ngopher://x.org/\nmailto:me@x.org\n", "utf-8")
    topic.write_text(
        'name = "Bad"\ntitel = ""\nseed_files = ["seeds.txt"]\n[terms]\na = 2\n[scope]\ninclude = ["("]\n'
        '[samples]\nrelevant = ["none"]\n',
        "utf-8",
    )
    faults = faults_of(topic)
    assert len(faults) == 8
    assert 'seeds.txt: line 2: "nonsense": expected an http or https URL' in faults
    assert 'seeds.txt: line 4: "gopher://x.org/": expected an http or https URL' in faults
    assert 'seeds.txt: line 5: "mailto:me@x.org": expected an http or https URL' in faults


def test_broken_toml_names_the_line(topic: Path) -> None:
    topic.write_text('name = "x"\n[terms\n', "utf-8")
    (fault,) = faults_of(topic)
    assert fault.startswith("t.toml: not valid TOML: ")
    assert "line 2" in fault


@pytest.mark.parametrize(
    ("encoding", "named"),
    [("gb18030", "GBK (GB18030)"), ("big5", "Big5"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16")],
)
def test_a_wrong_encoding_is_named(topic: Path, encoding: str, named: str) -> None:
    text = 'name = "x"\ndescription = "這是一個中國的主題，我們為它來說明"\n[terms]\na = 1\n'
    topic.write_bytes(text.encode(encoding))
    (fault,) = faults_of(topic)
    assert named in fault
    assert "save it as UTF-8" in fault


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"https://a.example/\nhttps://b.example/\0\0\n",
            "line 2 has a NUL byte (2 in all), and a text in UTF-8 has none; take them out, or name another file if"
            " this one is no text",
        ),
        ("https://a.example/\n".encode("utf-16-le"), "is not a text in UTF-8; it looks like UTF-16: save it as UTF-8"),
    ],
)
def test_a_list_of_seeds_with_nul_bytes_is_refused_with_their_line(tmp_path: Path, content: bytes, said: str) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_bytes(content)
    with pytest.raises(TopicError) as raised:
        read_seed_file(seeds)
    (fault,) = raised.value.faults
    assert fault.endswith(f"seeds.txt: {said}")


def test_a_byte_order_mark_does_no_harm(topic: Path) -> None:
    topic.write_text(OK, "utf-8-sig")
    assert load_topic(str(topic)).name == "ok"


def test_samples_that_cannot_be_used(topic: Path) -> None:
    samples = topic.parent / "samples"
    samples.mkdir()
    (samples / "gbk.txt").write_bytes("这是我们的中文样例".encode("gb18030"))
    (samples / "empty.txt").write_text(" \n", "utf-8")
    (samples / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"abc" * 50)
    topic.write_text(OK + '[samples]\nrelevant = ["samples/*.txt"]\n', "utf-8")
    (fault,) = faults_of(topic)
    assert "gbk.txt: line 1 is not UTF-8; the file looks like GBK (GB18030): save it as UTF-8" in fault
    assert "empty.txt: is empty; a sample text was expected" in fault
    assert "picture.txt" in fault
    assert "binary data" in fault


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir.toml").mkdir()
    assert 'dir.toml": is a folder; a topic file was expected' in faults_of(tmp_path / "dir.toml")[0]
    assert faults_of(tmp_path / "none.toml") == ("none.toml: there is no such file",)
    loop = tmp_path / "loop.toml"
    os.symlink(loop, loop)
    assert faults_of(loop)[0].startswith("loop.toml: cannot be read: ")


def test_unknown_names_come_with_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TopicError, match=r'no topic of that name in .*Did you mean "astronomy"\?'):
        load_topic("astronomie")


def test_what_is_no_topic_yet_comes_with_the_command_that_makes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = "https://en.wikipedia.org/wiki/Tea?a=1&b=2"
    told = [faults_of(name)[0] for name in ("green tea", address)]
    assert told[0].endswith("xiangqi. To make one: focuscrawl topic new")
    assert told[1].endswith(f"topic file was expected. To make one: focuscrawl topic new --example '{address}'")
    chinese = [fault_in_words(fault, Say("zh")) for fault in told]
    assert "新建主题：focuscrawl topic new" in chinese[0]
    assert f"是一个网址；应为主题文件。可以这样新建：focuscrawl topic new --example '{address}'" in chinese[1]


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a topic file in a folder of its own; the parent folder holds what it must not read."""
    folder = tmp_path / "theirs"
    (folder / "samples").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (tmp_path / "private.txt").write_text("http://private.example/ is a secret\n", "utf-8")
    (tmp_path / "list.txt").write_text("http://private.example/\n", "utf-8")
    return folder / "t.toml"


@pytest.mark.parametrize("pattern", ["../*.txt", "{parent}/private.txt", "samples/link.txt", "samples/**/private.txt"])
def test_samples_outside_the_topics_folder_are_not_read(secret: Path, pattern: str) -> None:
    parent = secret.parent.parent
    os.symlink(parent / "private.txt", secret.parent / "samples" / "link.txt")
    os.symlink(parent, secret.parent / "samples" / "up")
    if "**" in pattern:
        pattern = "samples/up/private.txt"  # "**" itself does not follow links to folders
    text = f'[samples]\nrelevant = ["{pattern.format(parent=parent)}"]\n'
    secret.write_text(OK + text, "utf-8")
    assert "is outside the topic's folder" in faults_of(secret)[0]
    assert any("secret" in one.text for one in load_topic(str(secret), allow_outside=True).samples_loaded())


@pytest.mark.parametrize("name", ["../list.txt", "{parent}/list.txt"])
def test_seed_lists_outside_the_topics_folder_are_not_read(secret: Path, name: str) -> None:
    secret.write_text(f'seed_files = ["{name.format(parent=secret.parent.parent)}"]\n' + OK, "utf-8")
    assert "is outside the topic's folder" in faults_of(secret)[0]
    assert load_topic(str(secret), allow_outside=True).seed_urls() == ["http://private.example/"]


def test_the_folder_seeds_beside_the_topics_folder_may_be_named(secret: Path) -> None:
    seeds = secret.parent.parent / "seeds"
    seeds.mkdir()
    (seeds / "a.txt").write_text("http://a.example/\n", "utf-8")
    secret.write_text('seed_files = ["../seeds/a.txt"]\n' + OK, "utf-8")
    assert load_topic(str(secret)).seed_urls() == ["http://a.example/"]


def test_only_regular_files_of_a_bounded_size_are_read(topic: Path) -> None:
    os.mkfifo(topic.parent / "pipe.txt")
    os.symlink("/dev/zero", topic.parent / "zero.txt")
    (topic.parent / "large.txt").write_bytes(b"a" * (16 * 1024 * 1024 + 1))
    topic.write_text(OK + '[samples]\nrelevant = ["pipe.txt", "zero.txt", "large.txt"]\n', "utf-8")
    with pytest.raises(TopicError) as caught:
        load_topic(str(topic), allow_outside=True)
    pipe, zero, large = caught.value.faults
    assert "pipe.txt: is a device or a pipe; a file was expected" in pipe
    assert "zero.txt: is a device or a pipe; a file was expected" in zero
    assert "large.txt: has more than 16 MB; a smaller file was expected" in large


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"name = {'1' * 5000}\n", "not valid TOML: a number in it is too long"),
        ("a = " + "[" * 3000 + "]" * 3000 + "\n", "not valid TOML: tables or lists are nested too deeply"),
        (f'[samples]\nrelevant = ["{"**/" * 2000}x.txt"]\n', "[samples] relevant[0] = "),
        (f'[samples]\nrelevant = ["{"a" * 5000}.txt"]\n', "no file matches"),
        ('[samples]\nrelevant = ["a\\u0000.txt"]\n', "[samples] relevant[0] = "),
        (f'seed_files = ["{"a" * 5000}.txt"]\n', "no such file, seen from"),
        ('seed_files = ["a\\u0000.txt"]\n', "no such file, seen from"),
    ],
    ids=["integer", "nesting", "glob", "long glob", "null in glob", "long seed file", "null in seed file"],
)
def test_strange_files_are_told_in_a_sentence(topic: Path, text: str, fault: str) -> None:
    topic.write_text(text if text.startswith(("name", "a =")) else f"{text}[terms]\na = 1\n", "utf-8")
    assert any(fault in one for one in faults_of(topic))


@pytest.mark.parametrize("reference", ["a" * 5000, "a\0b", "a" * 300 + ".toml"])
def test_a_reference_that_is_no_file_name_is_told_in_a_sentence(reference: str) -> None:
    with pytest.raises(TopicError) as caught:
        load_topic(reference)
    assert len(caught.value.faults) == 1
