"""Settings given by the project and on the command line."""

from __future__ import annotations

from scrapy.settings import BaseSettings, overridden_settings

from focuscrawl.config import PREFIX, FocusConfig


def given_settings(settings: BaseSettings, config: FocusConfig) -> dict[str, object]:
    """Return the settings given by the project and on the command line, in what JSON can hold.

    Scrapy names those of its own only; ours come from `config`, which was made of `settings`, as it understood them.
    """
    given: dict[str, object] = dict(overridden_settings(settings))
    given |= {f"{PREFIX}{name.upper()}": getattr(config, name) for name in config.model_fields_set}
    return {str(name): _plain(value) for name, value in sorted(given.items())}


def _plain(value: object) -> object:
    if isinstance(value, tuple):  # names, as our settings have them
        return ",".join(map(str, value))
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)
