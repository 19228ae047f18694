"""Values of Scrapy's own settings that Scrapy cannot read: it would end with a traceback in the middle of its start."""

from __future__ import annotations

import difflib
import logging
import math

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from focuscrawl.config import PREFIX, setting_names
from focuscrawl.errors import ConfigError

# Scrapy takes a negative number for no room at all and waits for ever; 0 is its word for no limit.
_WHOLE = ("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "CONCURRENT_ITEMS")
_NOT_NEGATIVE = ("DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT")
# Likeness of names from which on one is a slip for the other: FILES_STORE is none of FILES_STORE_S3_ACL.
_SPELLING = 0.88
_LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")


def check_setting_types(settings: BaseSettings) -> None:
    """Raise ConfigError, a line a setting, for values that are no number or no truth value where the default is one.

    So it does for negative numbers of what there cannot be less than none of, and for a level of the log that is none.
    """
    faults = []
    for name in dir(default_settings):
        default = getattr(default_settings, name)
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
        else:
            faults += _out_of_range(settings, name, default)
    if not _is_level(settings.get("LOG_LEVEL")):
        faults.append(f'setting LOG_LEVEL = "{settings.get("LOG_LEVEL")}": expected one of {", ".join(_LEVELS)}.')
    if faults:
        raise ConfigError("\n".join(faults))


def misspelt_settings(settings: BaseSettings) -> list[str]:
    """Return a sentence for each setting of the command line that has almost the name of one of Scrapy's, or of ours.

    Others may be those of somebody's components. Names that begin with our prefix are looked at where ours are read.
    """
    scrapys, ours = [name for name in dir(default_settings) if name.isupper()], setting_names()
    given = [
        name
        for name in settings
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
        and name not in scrapys
        and not name.startswith(PREFIX)
    ]
    sentences = []
    for name in given:
        wanted = name.upper()
        near = difflib.get_close_matches(wanted, [*scrapys, *ours], n=1, cutoff=_SPELLING)
        meant = PREFIX + wanted if PREFIX + wanted in ours else next(iter(near), "")
        if meant:
            whose = "there is" if meant in ours else "Scrapy has"
            sentences.append(f'setting {name}: {whose} none of this name. Did you mean "{meant}"?')
    return sentences


def _out_of_range(settings: BaseSettings, name: str, default: object) -> list[str]:
    if name not in (*_WHOLE, *_NOT_NEGATIVE):
        return []
    value = settings.getfloat(name)
    whole = name in _WHOLE
    if math.isfinite(value) and value >= 0.0 and not (whole and value != int(value)):
        return []
    expected = "a whole number" if whole else "a number"
    return [f'setting {name} = "{settings.get(name)}": expected {expected}, 0 or more, as in -s {name}={default}.']


def _is_level(value: object) -> bool:
    """Tell whether `logging` takes a value for a level: a name in capitals, or a number, which no text is."""
    return isinstance(value, int) or (isinstance(value, str) and value in logging.getLevelNamesMapping())
