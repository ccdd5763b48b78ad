type Leg = { key: string; venue_a: number | null; venue_b: number | null };
type Shown = { id: string; status: string; signal: string; spread_pts: number | null; outcomes: Leg[] };
export type Frame = { type: string; id?: string; state?: string; opportunity?: { id: string } } & Partial<Shown>;
export type State = { offset: number; markets: Shown[]; opportunities: { id: string }[] };

/** What a listener knows who began with a state and heard every frame since. */
export class Rebuilt {
  readonly #markets = new Map<string, Shown>();
  readonly #opportunities = new Map<string, unknown>();

  constructor(from: State) {
    for (const market of from.markets) this.#markets.set(market.id, market);
    for (const opportunity of from.opportunities) this.#opportunities.set(opportunity.id, opportunity);
  }

  apply(frame: Frame): void {
    if (frame.type === 'market') this.#markets.set(frame.id ?? '', frame as Shown);
    else if (frame.type === 'market_removed') this.#markets.delete(frame.id ?? '');
    else if (frame.type === 'price') {
      const market = this.#markets.get(frame.id ?? '');
      if (market) this.#markets.set(market.id, { ...market, ...(frame as Partial<Shown>) });
    } else if (frame.type === 'opportunity' && frame.opportunity) {
      if (frame.state === 'closed') this.#opportunities.delete(frame.opportunity.id);
      else this.#opportunities.set(frame.opportunity.id, frame.opportunity);
    }
  }

  /** Where it differs from what the database says, in words. */
  differences(now: State): string[] {
    const ours = [...this.#markets.values()].filter(({ status }) => ['open', 'live', 'resolving'].includes(status));
    return [
      ...compared('market', new Map(ours.map((one) => [one.id, factsOf(one)])), mapOf(now.markets, factsOf)),
      ...compared(
        'opportunity',
        new Map([...this.#opportunities].map(([id, one]) => [id, sortedJson(one)])),
        mapOf(now.opportunities, sortedJson),
      ),
    ];
  }
}

const mapOf = <T extends { id: string }>(rows: readonly T[], facts: (row: T) => string) =>
  new Map(rows.map((row) => [row.id, facts(row)]));

function compared(what: string, heard: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): string[] {
  return [...new Set([...heard.keys(), ...known.keys()])]
    .filter((id) => heard.get(id) !== known.get(id))
    .map((id) => `${what} ${id}: heard ${heard.get(id) ?? 'nothing'}, the database says ${known.get(id) ?? 'nothing'}`);
}

function factsOf({ status, signal, spread_pts, outcomes }: Shown): string {
  // A void frame names the outcomes without asks, an unpriced Market names none: both say that there is no price.
  const asks = outcomes
    .filter((one) => one.venue_a !== null || one.venue_b !== null)
    .map((one) => `${one.key} ${one.venue_a} ${one.venue_b}`);
  return [status, signal, spread_pts, ...asks].join(' | ');
}

/** The same text for the same value, whatever the order of its fields: Realtime carries jsonb. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
