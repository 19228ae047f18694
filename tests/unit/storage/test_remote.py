"""Files elsewhere, by URL: fsspec's own file system in memory, and S3 against a double of its protocol."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from loopback import Answering, address, serving

from focuscrawl.errors import ConfigError, FocusCrawlError, StoreError
from focuscrawl.storage.remote import remote_file, upload_new

fsspec = pytest.importorskip("fsspec", reason="the extra remote is not installed")


@pytest.fixture
def memory() -> Iterator[object]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


def test_a_file_appears_when_it_is_complete(memory: object) -> None:
    with remote_file("memory://bucket/a/pages.jsonl") as file:
        file.write("茶\n".encode())
        assert not memory.exists("/bucket/a/pages.jsonl")  # type: ignore[attr-defined]
    assert memory.cat("/bucket/a/pages.jsonl").decode() == "茶\n"  # type: ignore[attr-defined]


def test_a_file_that_fails_half_way_never_appears(memory: object) -> None:
    def write() -> None:
        with remote_file("memory://bucket/pages.jsonl") as file:
            file.write(b"half")
            raise RuntimeError("half")

    with pytest.raises(RuntimeError, match="half"):
        write()
    assert not memory.exists("/bucket/pages.jsonl")  # type: ignore[attr-defined]


def test_files_that_are_there_are_left_out(memory: object, tmp_path: Path) -> None:
    files = [tmp_path / f"{n}.warc.gz" for n in range(3)]
    for file in files:
        file.write_bytes(b"record " * 5)
    assert upload_new(files[:2], "memory://archive/tea/") == (2, 0)
    memory.pipe("/archive/tea/1.warc.gz", b"cut off")  # type: ignore[attr-defined]
    assert upload_new(files, "memory://archive/tea") == (2, 1)
    assert memory.cat("/archive/tea/1.warc.gz") == files[1].read_bytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("url", "kind", "sentence"),
    [
        ("nothing://x/y", StoreError, r"^--to nothing://x/y: Protocol not known: nothing\.$"),
        ("s3://key:s3cret@bucket/x", ConfigError, "no keys and passwords in a URL"),
        ("sftp://me:s3cret@host/x", ConfigError, "no keys and passwords in a URL"),
        ("s3://[/x", ConfigError, "not a URL"),
        ("s3://bucket", ConfigError, r"expected the address of a file, as s3://bucket/pages\.parquet\.$"),
        ("s3://bucket/", ConfigError, r"expected the address of a file, as s3://bucket/pages\.parquet\.$"),
    ],
)
def test_a_bad_target_is_one_sentence(url: str, kind: type[FocusCrawlError], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as raised, remote_file(url):
        pass
    assert "s3cret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_target_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file, no folder")
    with pytest.raises(StoreError, match=r"cannot be written: "), remote_file(f"file://{tmp_path}/file/pages.jsonl"):
        pass


def test_a_disk_that_takes_no_copy_is_one_sentence(
    memory: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    sentence = r"^--to memory://b/x: cannot be written to the disk first: no such file or directory; TMPDIR names"
    with pytest.raises(StoreError, match=sentence), remote_file("memory://b/x"):
        pass


def test_a_reason_that_goes_on_behind_its_first_line_is_told(bucket: dict[str, bytes]) -> None:
    with pytest.raises(StoreError, match="Invalid bucket name") as raised, remote_file("s3://no bucket!/pages.jsonl"):
        pass
    assert "\n" not in str(raised.value)
    assert not bucket


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """Objects of a server that answers as S3 does to PUT and HEAD of objects and to lists."""
    pytest.importorskip("s3fs", reason="the extra remote is not installed")
    objects: dict[str, bytes] = {}

    class Handler(Answering):
        protocol_version = "HTTP/1.1"

        def _send(self, status: int, body: bytes = b"", length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.send_header("ETag", '"0"')
            self.send_header("Last-Modified", "Sun, 22 Nov 2026 00:00:00 GMT")
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = urlsplit(self.path).path
            if path.startswith("/forbidden/") or "Credential=key-of-a-test/" not in self.headers["Authorization"]:
                self._send(403, b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
                return
            objects[path] = body
            self._send(200)

        def do_HEAD(self) -> None:
            found = objects.get(urlsplit(self.path).path)
            self._send(404 if found is None else 200, length=len(found or b""))

        def do_GET(self) -> None:
            self._send(
                200, b"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>0</KeyCount></ListBucketResult>"
            )

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    for name, value in {
        "AWS_ACCESS_KEY_ID": "key-of-a-test",
        "AWS_SECRET_ACCESS_KEY": "s3cret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": address(http),
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    fsspec.filesystem("s3").clear_instance_cache()
    with serving(http):
        yield objects
    fsspec.filesystem("s3").clear_instance_cache()


def test_files_go_to_s3_with_keys_of_the_environment(bucket: dict[str, bytes], tmp_path: Path) -> None:
    with remote_file("s3://crawls/tea/pages.jsonl") as file:
        file.write(b"{}\n")
    assert bucket == {"/crawls/tea/pages.jsonl": b"{}\n"}
    archive = tmp_path / "tea-1.warc.gz"
    archive.write_bytes(b"record")
    assert upload_new([archive], "s3://crawls/archive") == (1, 0)
    assert upload_new([archive], "s3://crawls/archive") == (0, 1)
    with (
        pytest.raises(StoreError, match=r"^--to s3://forbidden/x: cannot be written: ") as raised,
        remote_file("s3://forbidden/x") as file,
    ):
        file.write(b"x")
    assert "s3cret" not in str(raised.value)
    assert "key-of-a-test" not in str(raised.value)
