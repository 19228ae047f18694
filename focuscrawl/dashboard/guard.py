"""Which requests the dashboard answers: those of its own page, opened on this machine.

A page of a stranger, open in the same browser, can send requests to loopback, and by DNS rebinding even under a name of
its own. So the Host must be one that only this machine has, a request that says where it comes from must come from the
dashboard's own page, and whatever changes something needs the token, which stands in the address that was printed and
nowhere else.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from focuscrawl.page.media_types import media_type

TOKEN_HEADER = "X-Focuscrawl-Token"  # noqa: S105 - the name of a header
LOOPBACK = "127.0.0.1"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The report allows itself its own style and script by a policy in its text. In a sandbox it is of no site, so that even
# a hole in its escaping could not reach the token of the dashboard's page.
REPORT_POLICY = (
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; default-src 'none'; script-src 'unsafe-inline';"
    " style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Policy of the run's report, which is a file of its own."""
HEADERS: dict[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer, beside its policy."""


class Guard:
    """Refuses requests that do not come from the dashboard's own page.

    Parameters
    ----------
    port
        Port the dashboard listens on.
    token
        Secret that orders must bring.
    """

    def __init__(self, port: int, token: str) -> None:
        self._hosts = {f"{name}:{port}" for name in (LOOPBACK, "localhost")}
        if port == 80:
            self._hosts |= {LOOPBACK, "localhost"}
        self._token = token

    def refusal(self, headers: Mapping[str, str], *, order: bool) -> str:
        """Return why a request is refused, '' for one that is not; `order` is one that changes something."""
        host = headers.get("Host", "").lower()
        if host not in self._hosts:
            return "Host: expected this machine's own loopback address, as it was printed."
        origin = headers.get("Origin")
        if origin is not None and origin.lower() != f"http://{host}":
            return "Origin: a page of another site may not ask here."
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return "Sec-Fetch-Site: a page of another site may not ask here."
        if not order:
            return ""
        if media_type(headers.get("Content-Type")) != "application/json":
            return "Content-Type: expected application/json."
        given = headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return "Token: open the dashboard by the whole address that was printed, with what follows the #."
        return ""
