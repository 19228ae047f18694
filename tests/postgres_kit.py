"""A PostgreSQL server for tests: a real one, of its own, on a port of loopback, in a temporary directory."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
from redis_kit import free_port

USER, PASSWORD = "crawler", "geheim@密"
_URL_PASSWORD = "geheim%40%E5%AF%86"


def programs() -> Path | None:
    """Return where initdb and postgres are, None where there are none; Debian keeps them off the path."""
    named = os.environ.get("FOCUSCRAWL_TEST_POSTGRES_BIN", "")
    found = shutil.which("initdb")
    folders = [Path(named)] if named else [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").is_file()), None)


def _user() -> str | None:
    """Return whom to run as: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return None


@dataclass
class PostgresServer:
    """A running server."""

    folder: Path
    bin: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres", *, password: str = _URL_PASSWORD, port: int = 0) -> str:
        return f"postgresql://{USER}:{password}@127.0.0.1:{port or self.port}/{database}"

    def database(self, *, encoding: str = "UTF8") -> str:
        """Return the URL of an empty database; of each encoding there is one, emptied each time."""
        name = f"crawls_{encoding.lower()}"
        with psycopg.connect(self.url(), autocommit=True) as db:
            if not db.execute("SELECT FROM pg_database WHERE datname = %s", (name,)).fetchall():
                db.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0".encode())
        with psycopg.connect(self.url(name)) as db:
            db.execute("DROP SCHEMA IF EXISTS focuscrawl CASCADE")
        return self.url(name)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = subprocess.Popen(
            [
                str(self.bin / "postgres"),
                *("-D", str(self.folder / "data"), "-p", str(self.port), "-k", str(self.folder)),
                *("-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=16MB", "-c", "max_connections=40"),
                # What is committed survives the end of the process; of the machine it need not.
                *("-c", "fsync=off", "-c", "full_page_writes=off"),
            ],
            user=_user(),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30.0
        while True:
            assert self.process.poll() is None, "postgres ended at once"
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            assert time.monotonic() < deadline, "postgres does not answer"
            time.sleep(0.02)

    def stop(self) -> None:
        """End the server at once, its sessions too; what was committed stays."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(20)


@contextmanager
def running_postgres(folder_of_programs: Path) -> Iterator[PostgresServer]:
    """Run a server that asks for a password."""
    with tempfile.TemporaryDirectory(prefix="fc-pg-") as name:
        folder = Path(name)
        user = _user()
        if user is not None:
            shutil.chown(folder, user)
        secret = folder / "password"
        secret.write_text(PASSWORD + "\n", encoding="utf-8")
        secret.chmod(0o644)
        subprocess.run(
            [
                str(folder_of_programs / "initdb"),
                *("-D", str(folder / "data"), "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync"),
                *("-A", "scram-sha-256", "--pwfile", str(secret), "--no-instructions"),
            ],
            user=user,
            cwd=folder,
            check=True,
            capture_output=True,
        )
        server = PostgresServer(folder, folder_of_programs, free_port())
        try:
            server.start()
            yield server
        finally:
            server.stop()
