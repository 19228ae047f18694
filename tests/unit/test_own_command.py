"""Modules of the package as processes: found wherever they are started, and by nothing of the current folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import focuscrawl
from focuscrawl.own_command import own_command, own_environment

ROOT = str(Path(focuscrawl.__file__).parents[1])


def test_a_module_in_the_current_folder_has_no_say(tmp_path: Path) -> None:
    for name in ("typer", "queue", "focuscrawl"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n")
    command = [*own_command(), "--version"]
    done = subprocess.run(command, cwd=tmp_path, env=own_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"focuscrawl {focuscrawl.__version__}\n")


def test_this_very_package_is_found_first() -> None:
    if "site-packages" in ROOT:
        assert own_environment({"PYTHONPATH": "/lib"}) == {"PYTHONPATH": "/lib"}
        return
    assert own_environment({}) == {"PYTHONPATH": ROOT}
    assert own_environment({"A": "1", "PYTHONPATH": "/lib"}) == {"A": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}/lib"}
    named = {"PYTHONPATH": f"/lib{os.pathsep}{ROOT}"}
    assert own_environment(named) == named


def test_ctrl_c_while_the_installed_command_loads_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["focuscrawl"].partition(":")
    code = f"import sys; from {module} import {function}; sys.exit({function}())"  # as pip writes it
    environment = {**own_environment(), "PYTHONPATH": os.pathsep.join([str(tmp_path), ROOT])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
