"""REST."""

import time
from collections.abc import Iterator
from typing import Any

import httpx

from .errors import ParallaxError, error_of
from .live import LiveChannel
from .types import Market, MarketList

MAX_WAIT_SECONDS = 60


class Parallax:
    """Client of the Parallax API.

    base_url: such as `https://PROJECT.supabase.co/functions/v1/api`.
    key: `sk_live_…`; without one only the public routes answer.
    retries: how often a GET is sent again after 429 or 503, or without an answer.
    """

    def __init__(self, base_url: str, key: str | None = None, *, retries: int = 2, timeout: float = 30) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._http = httpx.Client(base_url=base_url.rstrip("/"), headers=headers, timeout=timeout)
        self._retries = retries

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a GET. Raises ParallaxError for a status of 400 or more."""
        return self._send("GET", path, self._retries, params={k: v for k, v in query.items() if v is not None})

    def post(self, path: str, body: Any = None, *, headers: dict[str, str] | None = None) -> Any:
        """The JSON of a POST. Raises ParallaxError for a status of 400 or more."""
        return self._send("POST", path, 0, json=body, headers=headers)

    def patch(self, path: str, body: Any = None) -> Any:
        """The JSON of a PATCH. Raises ParallaxError for a status of 400 or more."""
        return self._send("PATCH", path, 0, json=body)

    def delete(self, path: str) -> Any:
        """Sends a DELETE. Raises ParallaxError for a status of 400 or more."""
        return self._send("DELETE", path, 0)

    def pages(self, **query: Any) -> Iterator[MarketList]:
        """The pages of GET /v2/markets, one after the other. Each is one request."""
        cursor = None
        while True:
            page = self.get("/v2/markets", **query, cursor=cursor)
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def markets(self, **query: Any) -> Iterator[Market]:
        """All markets that match, in the order of the request."""
        for page in self.pages(**{"limit": 500, **query}):
            yield from page["markets"]

    def live(self, channel: str | None = None) -> LiveChannel:
        """A channel of the stream with its state: `async with parallax.live() as live`."""
        return LiveChannel(self, channel)

    def close(self) -> None:
        self._http.close()

    def _send(self, method: str, path: str, retries: int, **options: Any) -> Any:
        while True:
            try:
                answer = self._http.request(method, path, **options)
                if answer.status_code < 400:
                    return answer.json() if answer.content else None
                failed: Exception = error_of(answer)
            except httpx.TransportError as error:
                failed = error
            seconds = _seconds_to_wait(failed)
            if retries <= 0 or seconds is None:
                raise failed
            retries -= 1
            time.sleep(seconds)


def _seconds_to_wait(failed: Exception) -> float | None:
    """How long to wait before the next try; None where a further try cannot help."""
    if not isinstance(failed, ParallaxError):
        return 1
    if failed.status not in (429, 503):
        return None
    seconds = 1 if failed.retry_after is None else failed.retry_after
    return seconds if seconds <= MAX_WAIT_SECONDS else None
