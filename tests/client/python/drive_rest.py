"""Runs the requests of the Python client against a service in memory. Reads cases, prints what each sent and gave."""

import json
import sys
import types


class TransportError(Exception):
    pass


class Answer:
    def __init__(self, status_code, body, headers):
        self.status_code, self.headers = status_code, headers
        self.content = json.dumps(body)

    def json(self):
        return json.loads(self.content)


class Client:
    """Gives the answers of a case, one after the other, and the last one for ever."""

    answers: list
    clock = 0.0

    def __init__(self, *, base_url, headers, timeout):
        self.base_url, self.headers = base_url, headers
        self.sent = []

    def request(self, method, path, **options):
        query = options.get("params") or {}
        self.sent.append({"method": method, "url": self.base_url + path, "at": Client.clock * 1000, "query": query})
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        if answer is None:
            raise TransportError("fetch failed")
        after = answer.get("after")
        return Answer(answer["status"], answer.get("body", {}), {} if after is None else {"Retry-After": after})


sys.modules["httpx"] = types.ModuleType("httpx")
sys.modules["httpx"].__dict__.update(Client=Client, Response=object, TransportError=TransportError)
for name in ("centrifuge", "standardwebhooks", "standardwebhooks.webhooks"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(Webhook=object, WebhookVerificationError=Exception)
sys.path.insert(0, sys.argv[1])

from parallax_client import Parallax, ParallaxError, rest  # noqa: E402


def sleep(seconds):
    Client.clock += seconds


rest.time = types.SimpleNamespace(sleep=sleep)


def run(case):
    Client.clock, Client.answers = 0.0, case["answers"]
    retries = {} if case["retries"] is None else {"retries": case["retries"]}
    client = Parallax("https://api.test/v/", "sk_live_x", **retries)
    calls = {
        "GET": lambda: client.get("/v2/categories"),
        "POST": lambda: client.post("/v1/stream/token"),
        "PATCH": lambda: client.patch("/v2/webhooks/1"),
        "DELETE": lambda: client.delete("/v2/webhooks/1"),
        "LIST": lambda: [market["id"] for market in client.markets(sport="tennis")],
    }
    try:
        outcome = {"data": calls[case["method"]]()}
    except ParallaxError as error:
        outcome = {"status": error.status, "code": error.code}
        outcome.update(requestId=error.request_id, retryAfter=error.retry_after)
    except TransportError:
        outcome = "lost"
    return {"sent": client._http.sent, "outcome": outcome, "authorization": client._http.headers["Authorization"]}


print(json.dumps([run(case) for case in json.load(sys.stdin)]))
