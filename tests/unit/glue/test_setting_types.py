"""Values of Scrapy's settings: what Scrapy can read passes, what it cannot is named."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from focuscrawl.errors import ConfigError
from focuscrawl.glue.setting_types import check_setting_types


@pytest.mark.parametrize("value", ["False", "true", "0", "1", False])
def test_a_switch_whose_default_is_a_number_takes_truth_values(value: object) -> None:
    """Scrapy's own default is ``TELNETCONSOLE_ENABLED = 1``, and it reads "False" there."""
    check_setting_types(Settings({"TELNETCONSOLE_ENABLED": value}))


def test_what_scrapy_cannot_read_is_named() -> None:
    with pytest.raises(ConfigError, match=r'TELNETCONSOLE_ENABLED = "off": expected true or false'):
        check_setting_types(Settings({"TELNETCONSOLE_ENABLED": "off"}))
