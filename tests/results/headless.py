"""A real Chromium without a window, driven over its debugging pipe; and what tests of pages share.

Every request that a page makes is kept in `requests`, every error in `errors`.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from mlbench.web.local_server import LocalServer

FLAGS = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --disable-extensions --disable-default-apps --mute-audio
--disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe
"""
WAIT = 60.0


def chromium() -> str | None:
    """The browser's path; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


NEEDS_CHROMIUM = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium() is None, reason="there is no Chromium (Debian: apt-get install chromium)"),
]
"""Marks of a file of tests that open pages."""


@contextlib.contextmanager
def served(server: LocalServer, browser: Browser) -> Iterator[Browser]:
    """The browser on the page of a local server, which runs meanwhile."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield browser.afresh(server.url)
        server.shutdown()
        thread.join()


class Browser:
    """One page in one fresh profile. As a context manager it closes itself."""

    def __init__(self, width: int = 1400, height: int = 900, dark: bool = False) -> None:
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        to_read, to_write = os.pipe(), os.pipe()
        path = chromium()
        assert path is not None
        # the pipe is its file descriptors 3 (in) and 4 (out)
        handover = ["bash", "-c", 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"', "-", str(to_read[0]), str(to_write[1])]
        self._process = subprocess.Popen(
            [*handover, path, *FLAGS.split(), f"--user-data-dir={self._profile}", "about:blank"],
            pass_fds=(to_read[0], to_write[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read[0])
        os.close(to_write[1])
        self._out, self._in = to_read[1], to_write[0]
        self._rest = b""
        self._numbers = itertools.count(1)
        self._session: str | None = None
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._loaded = False
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the debugging protocol and its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str) -> None:
        """Go to an address and wait until it is loaded and its script has run."""
        self._loaded = False
        moved = self.call("Page.navigate", url=url)
        while "loaderId" in moved and not self._loaded:  # a change of the hash alone loads nothing
            self._next()
        self.until("document.documentElement?.dataset.ready === 'yes'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def until(self, script: str) -> None:
        end = time.monotonic() + WAIT
        while not self.run(script):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        """A real key press."""
        shared = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def picture(self, file: Path, whole: bool = False) -> None:
        """A screenshot as PNG, of the window or of the whole page."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def afresh(self, url: str) -> Browser:
        """Open an address on an empty page, without the requests and errors of the page before."""
        self.leave()
        self.requests.clear()
        self.errors.clear()
        self.open(url)
        return self

    def leave(self) -> None:
        """Leave the page, while its server can still store what the page sends at its end."""
        self.call("Page.navigate", url="about:blank")

    def close(self) -> None:
        self._session = None
        with contextlib.suppress(RuntimeError, OSError, EOFError, TimeoutError):
            self.call("Browser.close")
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        for _ in range(20):  # its helpers may write a moment longer
            shutil.rmtree(self._profile, ignore_errors=True)
            if not os.path.exists(self._profile):
                break
            time.sleep(0.1)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], WAIT)[0]:
                raise TimeoutError("the browser says nothing")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise EOFError("the browser has gone")
            self._rest += chunk
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                self.errors.append(str(params["exceptionDetails"].get("exception", {}).get("description")))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.errors.append(params["entry"]["text"])
            case "Page.loadEventFired":
                self._loaded = True
        return message
