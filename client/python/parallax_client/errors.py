"""The error of a request that the service refused."""

import httpx


class ParallaxError(Exception):
    """The service refused a request. `code` is one of the codes of docs/rest.md."""

    def __init__(self, status: int, body: dict, retry_after: float | None) -> None:
        super().__init__(body.get("error") or f"The service answered with status {status}.")
        self.status = status
        #: Machine-readable reason; `http.<status>` where the answer has none.
        self.code: str = body.get("code") or f"http.{status}"
        #: Names the request for support; None where the answer has none.
        self.request_id: str | None = body.get("request_id")
        #: Seconds after which another try may succeed; None where the answer names no time.
        self.retry_after = retry_after


def error_of(answer: httpx.Response) -> ParallaxError:
    """The error of an answer with a status of 400 or more."""
    try:
        body = answer.json()
    except ValueError:
        body = {}
    seconds = answer.headers.get("Retry-After", "")
    return ParallaxError(
        answer.status_code,
        body if isinstance(body, dict) else {},
        float(seconds) if seconds.isdigit() else None,
    )
