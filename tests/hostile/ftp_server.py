"""A small FTP server on loopback that lies where it can."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from loopback import accepting


@dataclass
class FtpServer:
    """The running server, and the commands it was given."""

    port: int
    commands: list[str] = field(default_factory=list)


@contextmanager
def ftp_server(files: dict[str, bytes]) -> Iterator[FtpServer]:
    """Serve `files` by path; a path that ends with a slash is a directory, its content the names in it.

    ``/drip`` answers with a reply that does not end. Data is said to come from 10.0.0.1, as in a bounce attack.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    server = FtpServer(listener.getsockname()[1])

    def talk(control: socket.socket) -> None:
        folder, data_listener = "/", None
        with (
            control,
            ExitStack() as opened,
            suppress(OSError, ValueError),
            control.makefile("r", encoding="latin-1", newline="") as lines,
        ):

            def say(text: str) -> None:
                control.sendall(f"{text}\r\n".encode("latin-1"))

            say("220 ready")
            while line := lines.readline().rstrip("\r\n"):
                server.commands.append(line)
                command, _, argument = line.partition(" ")
                if command == "CWD":
                    folder = argument
                    say("250 there" if folder in files else "550 no such directory")
                elif command == "PASV":
                    data_listener = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
                    high, low = divmod(data_listener.getsockname()[1], 256)
                    say(f"227 Entering Passive Mode (10,0,0,1,{high},{low})")
                elif command in ("RETR", "NLST"):
                    path = argument if command == "RETR" else folder
                    if path == "/drip":
                        while True:
                            say("150-not yet")
                    if path not in files:
                        say("550 no such file")
                        continue
                    assert data_listener is not None
                    say("150 here it comes")
                    data, _ = data_listener.accept()
                    with data, suppress(OSError):
                        data.sendall(files[path])
                    say("226 done")
                else:
                    say("331 a password?" if command == "USER" else "230 yes" if command == "PASS" else "200 yes")

    with accepting(listener, talk):
        yield server
