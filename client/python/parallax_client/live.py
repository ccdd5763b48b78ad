"""A channel of the stream with its state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import centrifuge

from .errors import ParallaxError
from .state import Frame, LiveState

if TYPE_CHECKING:
    from .rest import Parallax

#: Changes that wait for a reader. More than these are a reader that has stopped.
MAX_WAITING = 100_000
RETRY_SECONDS = 1
#: The server got no connect command in time. The SDK gives up there, although a new try helps.
STALE_CONNECTION = 3502


class LiveChannel:
    """Follows one channel through lost connections.

    `state` is current while `is_connected`. Iterate for the changes: in order, none missing and none
    twice. A change of type `state` means that the whole state was read.
    """

    def __init__(self, parallax: Parallax, channel: str | None) -> None:
        self.channel = channel or ""
        self.state = LiveState()
        self._parallax = parallax
        self._changes: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._loaded: asyncio.Future[None]
        self._client: centrifuge.Client
        self._data: dict[str, str] = {}
        self._first_ticket: dict[str, Any] | None = None
        self._epoch = ""
        self._error: Exception | None = None
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> LiveChannel:
        ticket = await asyncio.to_thread(self._mint)
        channels = ticket["allowed"]["channels"]
        self.channel = self.channel or ("markets:all" if "markets:all" in channels else "sample")
        if self.channel not in channels:
            error = f"Your plan has no channel {self.channel}. Its channels: {', '.join(channels)}."
            raise ParallaxError(404, {"code": "channel.not_found", "error": error}, None)
        self._first_ticket = ticket
        self._loaded = asyncio.get_running_loop().create_future()
        # The SDK asks for a token before each connection as long as it gets none, and sends `data`
        # as it is then.
        self._client = centrifuge.Client(
            ticket["ws_url"], data=self._data, min_reconnect_delay=1, get_token=self._put_ticket
        )
        events = self._client.events
        events.on_subscribed = self._on_subscribed
        events.on_publication = self._on_publication
        events.on_unsubscribed = self._on_unsubscribed
        events.on_disconnected = self._on_disconnected
        await self._client.connect()
        await self._loaded
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[Frame]:
        while (change := await self._changes.get()) is not None:
            yield change
        if self._error is not None:
            raise self._error

    @property
    def is_connected(self) -> bool:
        """False while the connection is lost. The state is then as old as the loss."""
        return self._client.state is centrifuge.ClientState.CONNECTED

    async def close(self) -> None:
        """Ends the connection and the iteration."""
        self._changes.put_nowait(None)
        if self._reading is not None:
            self._reading.cancel()
        await self._client.disconnect()

    def _mint(self) -> dict[str, Any]:
        return self._parallax.post("/v1/stream/token")

    async def _put_ticket(self) -> str:
        ticket, self._first_ticket = self._first_ticket, None
        try:
            ticket = ticket or await asyncio.to_thread(self._mint)
        except ParallaxError as error:
            # For a key that is revoked the SDK must not try again.
            if error.status < 429:
                await self._end(error)
                raise centrifuge.UnauthorizedError() from error
            raise
        self._data["t"] = ticket["ticket"]
        return ""

    async def _on_subscribed(self, event: Any) -> None:
        if event.channel != self.channel:
            return
        position = event.stream_position
        self._epoch = position.epoch if position else ""
        if event.was_recovering and event.recovered and self.state.epoch is not None:
            return
        if self.channel.startswith("org:"):
            # The channel of an organization has events and no state.
            state = {"epoch": self._epoch, "offset": position.offset if position else 0}
            await self._push(self._reset_to(state))
        elif self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_state())

    async def _on_publication(self, event: Any) -> None:
        if event.channel == self.channel:
            await self._push(self.state.accept(self._epoch, event.pub.offset, event.pub.data))

    async def _on_unsubscribed(self, event: Any) -> None:
        if event.channel == self.channel:
            await self._end(ConnectionError(f"Your plan has the channel {self.channel} no longer."))

    async def _on_disconnected(self, event: Any) -> None:
        if event.code == STALE_CONNECTION:
            asyncio.get_running_loop().create_task(self._client.connect())
        elif event.code != 0:
            await self._end(ConnectionError(f"The stream ended: {event.code} {event.reason}"))

    async def _read_state(self) -> None:
        """Reads the state until it continues with the frames that have arrived."""
        while True:
            try:
                state = await asyncio.to_thread(self._parallax.get, "/v1/stream/state", channel=self.channel)
                await self._push(self._reset_to(state))
            except ParallaxError as error:
                if error.status < 429:
                    await self._end(error)
                    return
            except OSError:
                pass
            if not self.state.has_gap:
                return
            await asyncio.sleep(RETRY_SECONDS)

    def _reset_to(self, state: dict[str, Any]) -> list[Frame]:
        frames = self.state.reset_to(state)
        if not self._loaded.done():
            self._loaded.set_result(None)
        position = {"channel": self.channel, "epoch": state["epoch"], "offset": state["offset"]}
        return [{"type": "state", **position}, *frames]

    async def _push(self, changes: list[Frame]) -> None:
        for change in changes:
            self._changes.put_nowait(change)
        if self._changes.qsize() > MAX_WAITING:
            await self._end(BufferError(f"The reader is {self._changes.qsize()} changes behind."))

    async def _end(self, error: Exception) -> None:
        self._error = self._error or error
        if not self._loaded.done():
            self._loaded.set_exception(error)
        await self.close()
