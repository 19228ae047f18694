"""Headless Chromium, driven over a pipe by its own protocol: no driver program, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE_S = 60.0


def chromium() -> str | None:
    """Return the path of a Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of a running browser."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._buffer = b""
        self._number = 0
        self._session = ""
        self.errors: list[str] = []  # exceptions and refusals of the page's policy
        self.requests: list[str] = []  # addresses that were asked for
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer["error"]
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._read], [], [], _PATIENCE_S)[0], "the browser does not answer"
            data = os.read(self._read, 1 << 16)
            assert data, "the browser has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(params["exceptionDetails"])[:500])
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.errors.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
        return message

    def run(self, script: str) -> Any:
        """Return the value of an expression of JavaScript, awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str) -> Any:
        """Return the value of an expression once it is true."""
        end = time.monotonic() + _PATIENCE_S
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"never true: {script}; errors: {self.errors}"
            time.sleep(0.05)
        return value

    def open(self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Open an address in a window of a size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=address)

    def press(self, key: str) -> None:
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **more)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write a picture of the window, or of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def running_browser(folder: Path) -> Iterator[Browser]:
    """Start a headless Chromium with its files in `folder`; it reaches this machine only."""
    program = chromium()
    assert program is not None
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()

    def pipes() -> None:
        # The protocol's pipe is 3 and 4; a copy keeps what is there from being closed before it is used
        reader, writer = os.dup(to_read), os.dup(from_write)
        os.dup2(reader, 3)
        os.dup2(writer, 4)

    process = subprocess.Popen(
        [
            program,
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={folder}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=pipes,
        env={**os.environ, "HOME": str(folder)},
    )
    os.close(to_read)
    os.close(from_write)
    try:
        yield Browser(to_write, from_read)
    finally:
        os.close(to_write)
        process.terminate()
        process.wait(30)
        os.close(from_read)
