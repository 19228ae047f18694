"""Values of Scrapy's own settings that Scrapy cannot read: it would end with a traceback in the middle of its start."""

from __future__ import annotations

from types import ModuleType

from scrapy.settings import BaseSettings, default_settings

from focuscrawl.errors import ConfigError


def check_setting_types(settings: BaseSettings, defaults: ModuleType = default_settings) -> None:
    """Raise ConfigError, a line a setting, for values that are no number or no truth value where the default is one."""
    faults = []
    for name in dir(defaults):
        default = getattr(defaults, name)
        if not name.isupper() or not isinstance(default, bool | int | float):
            continue
        switch = isinstance(default, bool) or name.endswith("_ENABLED")  # TELNETCONSOLE_ENABLED = 1
        expected = "true or false" if switch else "a number"
        try:
            if switch:
                settings.getbool(name)
            elif settings.get(name) is not None:
                settings.getfloat(name)
        except (TypeError, ValueError):
            faults.append(f'setting {name} = "{settings.get(name)}": expected {expected}, as in -s {name}={default}.')
    if faults:
        raise ConfigError("\n".join(faults))
