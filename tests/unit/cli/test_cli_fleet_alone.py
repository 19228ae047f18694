"""One process is steered without the packages of a fleet."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

WITHOUT_REDIS = "import sys; sys.modules['redis'] = None; from focuscrawl.cli.main import run; run(sys.argv[1:])"


def test_the_state_of_one_process_is_shown_where_redis_is_not_installed(finished: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_REDIS, "fleet", "status", "--on", str(finished.folder.path.absolute())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "chess" in done.stdout
