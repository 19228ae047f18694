"""Values of Scrapy's settings: what Scrapy can read passes, what it cannot is named."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from focuscrawl.errors import ConfigError
from focuscrawl.glue.setting_types import check_setting_types, misspelt_settings


@pytest.mark.parametrize("value", ["False", "true", "0", "1", False])
def test_a_switch_whose_default_is_a_number_takes_truth_values(value: object) -> None:
    """Scrapy's own default is ``TELNETCONSOLE_ENABLED = 1``, and it reads "False" there."""
    check_setting_types(Settings({"TELNETCONSOLE_ENABLED": value}))


def test_what_scrapy_cannot_read_is_named() -> None:
    with pytest.raises(ConfigError, match=r'TELNETCONSOLE_ENABLED = "off": expected true or false'):
        check_setting_types(Settings({"TELNETCONSOLE_ENABLED": "off"}))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CONCURRENT_REQUESTS", "-3", "a whole number, 0 or more"),
        ("CONCURRENT_REQUESTS", "2.5", "a whole number, 0 or more"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "-1", "a whole number, 0 or more"),
        ("DOWNLOAD_DELAY", "-1", "a number, 0 or more"),
        ("DOWNLOAD_DELAY", "nan", "a number, 0 or more"),
        ("LOG_LEVEL", "debug", "one of CRITICAL, ERROR, WARNING, INFO, DEBUG"),
    ],
)
def test_what_scrapy_could_not_work_with_is_named(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=f'setting {name} = "{value}": expected {expected}'):
        check_setting_types(Settings({name: value}))


@pytest.mark.parametrize(
    ("name", "value"), [("CONCURRENT_REQUESTS", "0"), ("DOWNLOAD_DELAY", "0.3"), ("LOG_LEVEL", 10)]
)
def test_what_scrapy_can_work_with_passes(name: str, value: object) -> None:
    check_setting_types(Settings({name: value}))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LEASE_S", "FOCUSCRAWL_LEASE_S"),
        ("focuscrawl_lease_s", "FOCUSCRAWL_LEASE_S"),
        ("FOCUSCRAL_STORES", "FOCUSCRAWL_STORES"),
        ("FOCUS_CRAWL_MAX_LINKS", "FOCUSCRAWL_MAX_LINKS"),
        ("download_delay", "DOWNLOAD_DELAY"),
        ("MY_SETTING", ""),
        ("FOCUSCRAWL_LEESE_S", ""),  # refused where ours are read
        ("FOCUSCRAWL_LEASE_S", ""),
    ],
)
def test_settings_of_the_command_line_with_almost_the_name_of_one_are_told(name: str, meant: str) -> None:
    settings = Settings()
    settings.set(name, "3", priority="cmdline")
    whose = "there is" if meant.startswith("FOCUSCRAWL_") else "Scrapy has"
    told = [f'setting {name}: {whose} none of this name. Did you mean "{meant}"?'] if meant else []
    assert misspelt_settings(settings) == told
