"""Settings given by the project and on the command line."""

from __future__ import annotations

from scrapy.settings import BaseSettings, overridden_settings


def given_settings(settings: BaseSettings) -> dict[str, object]:
    """Return the settings given by the project and on the command line, in what JSON can hold."""
    return {str(name): value if _plain(value) else repr(value) for name, value in overridden_settings(settings)}


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
