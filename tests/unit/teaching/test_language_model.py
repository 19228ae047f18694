"""A language model asked over OpenAI's protocol, by a server on loopback that speaks it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

import pytest
from loopback import Answering, address, serving

from focuscrawl.cli.teach_model import ask_model
from focuscrawl.errors import ConfigError
from focuscrawl.teaching.candidates import Candidate
from focuscrawl.teaching.language_model import (
    LanguageModel,
    ModelError,
    estimated_tokens,
    parse_answer,
    read_message,
    reply_of,
)
from focuscrawl.teaching.lesson import Lesson
from focuscrawl.topic.examples import Example
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.wording.base import Say

KEY = "sk-very-secret"
SPEC = TopicSpec(name="bees", title="Beekeeping", language="en", terms={"bee": 1.0}, excluded={"spelling bee": 0.5})
PAGE = Candidate("http://a.example/1", "a.example", "The hive", "Bees swarm in May.", 0.5, 0.5, {})


class Server(ThreadingHTTPServer):
    """Answers what it is told to, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[tuple[int, Any]] = []  # status, and content, a message or a whole body
        self.asked: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.hold = threading.Event()  # set to let a held answer go

    @property
    def address(self) -> str:
        return f"{address(self)}/v1"


class Handler(Answering):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/chat/completions"
        self.server.asked.append((dict(self.headers), body))
        status, said = self.server.replies.pop(0) if self.server.replies else (200, '{"answer": "yes"}')
        if said is None:
            self.server.hold.wait()
            return
        if isinstance(said, str):
            said = {"choices": [{"message": {"role": "assistant", "content": said}}]}
            said["usage"] = {"prompt_tokens": 100, "completion_tokens": 7}
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        elsewhere = {"Location": "http://127.0.0.1:1/elsewhere"} if status == 302 else {}
        self.answer(status, "application/json", data, elsewhere)


@contextmanager
def _running() -> Iterator[Server]:
    with serving(Server()) as server:
        try:
            yield server
        finally:
            server.hold.set()


@pytest.fixture
def server() -> Iterator[Server]:
    with _running() as running:
        yield running


class Taught:
    """What `ask_model` needs of a run."""

    spec = SPEC
    examples_file = "bees.examples.toml"

    def __init__(self) -> None:
        self.kept: list[tuple[Example, ...]] = []

    def keep(self, examples: tuple[Example, ...]) -> None:
        self.kept.append(examples)


def asked(server: Server, *, questions: int, pages: int = 9) -> tuple[list[str], list[str], Lesson, Taught]:
    taught, said = Taught(), list[str]()
    words = ["apiary", "swarm", "honey", "brood", "queen", "drone", "comb", "smoker", "nectar"][:pages]
    lesson = Lesson(
        SPEC,
        fit_topic(SPEC),
        [Candidate(f"http://{w}.example/", f"{w}.example", w, w, 0.5, 0.5, {w: 2.0}) for w in words],
    )
    told = ask_model(
        taught,  # type: ignore[arg-type]
        lesson,
        questions,
        address=server.address,
        model="m",
        allow_insecure=False,
        tell=said.append,
        say=Say(),
    )
    return told, said, lesson, taught


def test_a_question_has_the_topic_and_the_page_and_the_key_stays_in_its_header(server: Server) -> None:
    reply = LanguageModel(server.address, "tiny", key=KEY).ask(SPEC, PAGE)
    assert (reply.relevant, reply.tokens_in, reply.tokens_out, reply.failed) == (True, 100, 7, False)
    ((headers, body),) = server.asked
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"]) == ("tiny", 0)
    question = body["messages"][-1]["content"]
    for part in ("Beekeeping", "bee", "spelling bee", PAGE.url, PAGE.title, PAGE.text):
        assert part in question
    assert KEY not in json.dumps(body)


@pytest.mark.parametrize(
    ("said", "relevant", "reason"),
    [
        ('{"answer": "no", "reason": "a menu"}', False, "a menu"),
        ('Sure!\n```json\n{"answer": "yes", "reason": "on bees"}\n```', True, "on bees"),
        ('{"answer": true}', True, ""),
        ('{"answer": "unsure", "reason": "half"}', None, "the model is not sure: half"),
        ("No. It is a page on spelling.", False, "No. It is a page on spelling."),
        ("**Yes**", True, "**Yes**"),
        ("The page tells of many things, yes, and no.", None, "neither yes nor no: The page tells"),
        ("", None, "an empty answer"),
        ('{"answer": ', None, "neither yes nor no"),
        ("{" * 5000 + "}" * 5000, None, "neither yes nor no"),
    ],
)
def test_answers_in_all_forms(said: str, relevant: bool | None, reason: str) -> None:
    found, why = parse_answer(said)
    assert found is relevant
    assert why.startswith(reason)
    assert len(why) < 400


@pytest.mark.parametrize("body", [b"", b"[]", b'{"choices": []}', b'{"choices": [{"message": 3}]}', b"\xff", b"null"])
def test_a_response_of_another_kind_is_no_answer(body: bytes) -> None:
    reply = reply_of(read_message(body))
    assert (reply.relevant, reply.reason) == (None, "the response is not of the protocol")


def test_refusals_errors_and_nonsense_are_skipped_and_told(server: Server) -> None:
    server.replies = [
        (200, '{"answer": "yes", "reason": "on bees"}'),
        (200, {"choices": [{"message": {"content": None, "refusal": "I cannot help with that."}}]}),
        (500, {"error": {"message": "overloaded"}}),
        (200, "It depends on what you call a bee."),
        (200, '{"answer": "no", "reason": "on wax"}'),
    ]
    told, said, lesson, taught = asked(server, questions=5)
    assert "At most 5 questions to m, about" in said[0]
    assert lesson.labels == (1, 1)
    assert [(example.by, example.reason) for example in lesson.examples] == [("m", "on bees"), ("m", "on wax")]
    assert [len(examples) for examples in taught.kept] == [1, 2], "every answer is written when it is given"
    assert told[0] == "5 questions: 2 answers, 3 skipped."
    assert "Skipped 1: the model refused: I cannot help with that." in told
    assert "Skipped 1: HTTP 500: overloaded" in told
    assert "Used 300 tokens of questions and 21 of answers, as the server counts them." in told


def test_no_more_than_the_stated_number_is_asked(server: Server) -> None:
    asked(server, questions=4)
    assert len(server.asked) == 4


def test_three_failures_in_a_row_end_it(server: Server) -> None:
    server.replies = [(200, '{"answer": "yes", "reason": "on bees"}'), *[(503, {"error": "busy"})] * 3]
    told, _, lesson, taught = asked(server, questions=9)
    assert len(server.asked) == 4
    assert (lesson.labels, len(taught.kept)) == ((1, 0), 1)
    assert "3 requests failed one after the other, so no more were sent." in told


def test_a_model_without_a_single_answer_is_an_error(server: Server) -> None:
    server.replies = [(503, {"error": "busy"})] * 3
    with pytest.raises(ModelError, match=r"^m: no answer; 3 requests failed one after the other: HTTP 503: busy\.$"):
        asked(server, questions=9)
    assert len(server.asked) == 3


def test_a_server_that_never_answers_is_a_skip(server: Server) -> None:
    server.replies = [(200, None)]
    reply = LanguageModel(server.address, "m", timeout_s=0.2).ask(SPEC, PAGE)
    assert (reply.relevant, reply.failed) == (None, True)
    assert reply.reason == "no answer within 0.2 s"


@pytest.mark.parametrize(
    ("status", "said", "sentence"),
    [
        (401, {"error": {"message": f"Incorrect key provided: {KEY}"}}, "the key is not accepted (HTTP 401)"),
        (404, {"error": {"message": "model not found"}}, "HTTP 404: model not found; expected the address of"),
        (302, {}, "HTTP 302"),
    ],
)
def test_what_no_other_question_would_mend_ends_it_without_the_key(
    server: Server, status: int, said: dict[str, Any], sentence: str
) -> None:
    server.replies = [(status, said)]
    with pytest.raises(ModelError) as caught:
        LanguageModel(server.address, "m", key=KEY).ask(SPEC, PAGE)
    assert sentence in str(caught.value)
    assert KEY not in str(caught.value)


def test_nobody_at_the_address() -> None:
    with _running() as gone:
        address = gone.address
    with pytest.raises(ModelError, match="nobody answers there"):
        LanguageModel(address, "m").ask(SPEC, PAGE)


@pytest.mark.parametrize("address", ["http://localhost:11434/v1", "http://[::1]:1/v1", "https://api.example.com/v1"])
def test_addresses_that_may_be_used(address: str) -> None:
    assert LanguageModel(address, "m").is_local is not address.startswith("https")


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("http://10.0.0.7:11434/v1", "would travel unencrypted"),
        ("http://localhost.example.com/v1", "would travel unencrypted"),
        ("ftp://localhost/v1", "expected an address such as"),
        ("localhost:11434", "expected an address such as"),
        (f"https://user:{KEY}@api.example.com/v1", "the key belongs into OPENAI_API_KEY"),
        (f"https://api.example.com/v1?key={KEY}", "the key belongs into OPENAI_API_KEY"),
        ("http://localhost:99999/v1", "no address"),
    ],
)
def test_addresses_that_may_not_and_no_key_in_the_sentence(address: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        LanguageModel(address, "m", key=KEY)
    assert sentence in str(caught.value)
    assert KEY not in str(caught.value)


def test_another_machine_when_it_is_allowed() -> None:
    assert not LanguageModel("http://10.0.0.7:11434/v1", "m", allow_insecure=True).is_local


def test_tokens_are_estimated_by_script() -> None:
    latin, chinese = (
        estimated_tokens(SPEC, Candidate("http://a/", "a", "", text, 0.5, 0.5, {}))
        for text in ("bees " * 80, "蜂" * 400)
    )
    assert chinese - latin == pytest.approx(300, abs=2)
