"""The state of a channel, from its snapshot and the frames after it."""

from typing import Any

Frame = dict[str, Any]


class LiveState:
    """What a channel holds at `offset`. Rows are as on the wire, by id."""

    def __init__(self) -> None:
        self.markets: dict[str, dict] = {}
        self.opportunities: dict[str, dict] = {}
        self.feeds: dict[str, dict] = {}
        #: Quotes of legs with a price, by (market_id, venue, contract_id, side).
        self.quotes: dict[tuple, dict] = {}
        #: Best quotes after fees of markets with prices, by market.
        self.best: dict[str, dict] = {}
        self.epoch: str | None = None
        self.offset = 0
        self._waiting: list[tuple[str, int, Frame]] = []

    @property
    def has_gap(self) -> bool:
        """Whether frames are missing that only the snapshot can supply."""
        return self.epoch is None or bool(self._waiting)

    def accept(self, epoch: str, offset: int, frame: Frame) -> list[Frame]:
        """Takes a frame, and applies it once all before it have been applied. Returns the applied ones."""
        if epoch != self.epoch or offset > self.offset + 1:
            self._waiting.append((epoch, offset, frame))
            return []
        if offset <= self.offset:
            return []
        self._apply(frame)
        self.offset = offset
        return [frame]

    def reset_to(self, state: dict[str, Any]) -> list[Frame]:
        """Replaces everything with a snapshot. Returns the frames after it that waited, and applies them."""
        self.epoch, self.offset = state["epoch"], state["offset"]
        self.markets = {row["id"]: row for row in state.get("markets", [])}
        self.opportunities = {row["id"]: row for row in state.get("opportunities", [])}
        self.feeds = {row["venue"]: row for row in state.get("feeds") or []}
        self.quotes = {_leg(row): row for row in state.get("quotes") or []}
        self.best = {row["id"]: row for row in state.get("best") or []}
        # The snapshot was read after these arrived, so another epoch among them is an old one.
        waiting = [(offset, frame) for epoch, offset, frame in self._waiting if epoch == self.epoch]
        self._waiting = []
        return [done for offset, frame in waiting for done in self.accept(state["epoch"], offset, frame)]

    def _apply(self, frame: Frame) -> None:
        kind = frame["type"]
        if kind == "market":
            self.markets[frame["id"]] = {key: value for key, value in frame.items() if key != "type"}
        elif kind == "price" and frame["id"] in self.markets:
            self.markets[frame["id"]] = _with_prices(self.markets[frame["id"]], frame)
        elif kind == "market_removed":
            self.markets.pop(frame["id"], None)
            self.opportunities = {k: o for k, o in self.opportunities.items() if o["market_id"] != frame["id"]}
        elif kind == "market_status" and self.markets.get(frame["id"], {}).get("status") == frame["from"]:
            self.markets[frame["id"]]["status"] = frame["to"]
        elif kind == "opportunity" and frame["state"] == "closed":
            self.opportunities.pop(frame["opportunity"]["id"], None)
        elif kind == "opportunity":
            self.opportunities[frame["opportunity"]["id"]] = frame["opportunity"]
        elif kind == "feed":
            self.feeds[frame["venue"]] = frame
        elif kind == "quote" and frame["bid"] is None and frame["ask"] is None:
            self.quotes.pop(_leg(frame), None)
        elif kind == "quote":
            self.quotes[_leg(frame)] = frame
        elif kind == "best" and not frame["best"]:
            self.best.pop(frame["id"], None)
        elif kind == "best":
            self.best[frame["id"]] = frame


def _leg(quote: Frame) -> tuple:
    return (quote["market_id"], quote["venue"], quote["contract_id"], quote["side"])


def _with_prices(market: dict, frame: Frame) -> dict:
    """The market with the prices of a frame. An outcome that the frame lacks has no price."""
    asks = {outcome["key"]: outcome for outcome in frame["outcomes"]}
    known = [_priced(outcome, asks.pop(outcome["key"], {})) for outcome in market["outcomes"]]
    # An unpriced market has no outcomes. Their names arrive with the next market frame.
    outcomes = known + [_priced({"key": key, "name": key}, one) for key, one in asks.items()]
    prices = ("signal", "spread_pts", "potential_arb_pct", "priced_at", "books_read_at")
    venues = ("venue_a", "venue_b")
    coverage = {venue: any(outcome[venue] is not None for outcome in outcomes) for venue in venues}
    return {**market, **{name: frame[name] for name in prices}, "coverage": coverage, "outcomes": outcomes}


def _priced(outcome: dict, ask: dict) -> dict:
    a, b = ask.get("venue_a"), ask.get("venue_b")
    cheaper = None if a is None or b is None or a == b else "venue_a" if a < b else "venue_b"
    return {**outcome, "venue_a": a, "venue_b": b, "cheaper": cheaper}
