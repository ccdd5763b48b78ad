"""Runs the Python client against an SDK and a service in memory. Reads scenarios, prints what each gave."""

import asyncio
import json
import sys
import types
from enum import Enum
from types import SimpleNamespace

# The packages of pyproject.toml are not installed here. These are the parts that the client uses.


class ClientState(Enum):
    DISCONNECTED = "disconnected"
    CONNECTED = "connected"


class UnauthorizedError(Exception):
    pass


class Client:
    made: "Client"

    def __init__(self, url, *, data, min_reconnect_delay, get_token):
        self.data, self.get_token = data, get_token
        self.events = SimpleNamespace()
        self.state = ClientState.DISCONNECTED
        self.connects = 0
        Client.made = self

    async def connect(self):
        self.connects += 1
        await self.get_token()
        self.state = ClientState.CONNECTED

    async def disconnect(self):
        self.state = ClientState.DISCONNECTED


class TransportError(Exception):
    pass


sys.modules["centrifuge"] = types.ModuleType("centrifuge")
sys.modules["centrifuge"].__dict__.update(Client=Client, ClientState=ClientState, UnauthorizedError=UnauthorizedError)
sys.modules["httpx"] = types.ModuleType("httpx")
sys.modules["httpx"].__dict__.update(Client=object, Response=object, TransportError=TransportError)
for name in ("standardwebhooks", "standardwebhooks.webhooks"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(Webhook=object, WebhookVerificationError=Exception)
sys.path.insert(0, sys.argv[1])

from parallax_client import live as live_module  # noqa: E402
from parallax_client.errors import ParallaxError  # noqa: E402

live_module.RETRY_SECONDS = 0


class Service:
    """Gives the answers of a scenario, one after the other."""

    def __init__(self, scenario):
        self.channel = scenario["channel"]
        self.answers = list(scenario["states"])
        self.reads = 0

    def post(self, path):
        return {"ticket": "st", "ws_url": "ws://test", "allowed": {"channels": [self.channel]}}

    def get(self, path, channel):
        self.reads += 1
        answer = self.answers.pop(0)
        if "status" in answer:
            raise ParallaxError(answer["status"], {}, None)
        return answer


async def settled(live):
    """Until the client waits for the next event."""
    for _ in range(3):
        await asyncio.sleep(0)
    while live._reading is not None and not live._reading.done():
        await asyncio.sleep(0.001)


async def send(step, live, channel):
    events = Client.made.events
    kind = step["do"]
    name = step.get("channel", channel)
    if kind == "subscribed":
        position = SimpleNamespace(epoch=step["epoch"], offset=step["offset"])
        await events.on_subscribed(
            SimpleNamespace(
                channel=name,
                stream_position=position,
                was_recovering=step.get("wasRecovering", False),
                recovered=step.get("recovered", False),
            )
        )
    elif kind == "publication":
        pub = SimpleNamespace(offset=step["offset"], data=step["data"])
        await events.on_publication(SimpleNamespace(channel=name, pub=pub))
    elif kind == "unsubscribed":
        await events.on_unsubscribed(SimpleNamespace(channel=name))
    elif kind == "disconnected":
        await events.on_disconnected(SimpleNamespace(code=step["code"], reason=step["reason"]))
    if not step.get("atOnce", False):
        await settled(live)


async def run(scenario):
    service = Service(scenario)
    live = live_module.LiveChannel(service, scenario["channel"])
    opening = asyncio.create_task(live.__aenter__())
    while not hasattr(live, "_client"):
        await asyncio.sleep(0.001)
    while Client.made is not live._client or live._client.connects == 0:
        await asyncio.sleep(0.001)
    for step in scenario["steps"]:
        await send(step, live, scenario["channel"])
    try:
        await asyncio.wait_for(asyncio.shield(opening), 0.01)
    except Exception:
        pass
    opening.cancel()
    changes, error = [], None
    if live._error is None:
        await live.close()
    try:
        async for change in live:
            changes.append(change)
    except Exception as problem:
        error = str(problem)
    state = live.state
    return {
        "changes": changes,
        "error": error,
        "reads": service.reads,
        "connects": live._client.connects,
        "markets": state.markets,
        "opportunities": state.opportunities,
        "quotes": list(state.quotes.values()),
        "best": state.best,
        "feeds": {k: {"state": f["state"], "last_message_at": f["last_message_at"]} for k, f in state.feeds.items()},
    }


async def main():
    print(json.dumps([await run(scenario) for scenario in json.load(sys.stdin)]))


asyncio.run(main())
