import type postgres from 'postgres';

type Sql = postgres.Sql;

/** Stops market time at `iso`. `set` moves it. */
export async function stopClock(sql: Sql, iso: string): Promise<{ set(iso: string): Promise<void> }> {
  const set = async (at: string) => {
    await sql`delete from clock.segments`;
    await sql`insert into clock.segments (real_from, market_from, rate) values ('2000-01-01Z', ${at}, 0)`;
  };
  await set(iso);
  return { set };
}

export type SeedOutcome = {
  key: string;
  name?: string;
  a?: string | null;
  /** Side of the venue_a contract that pays for this outcome. Default yes. */
  side?: 'yes' | 'no';
  b?: string | null;
  relation?: 'EXACT' | 'OVERLAPS' | 'DERIVED';
  span?: string[];
};

export type SeedPair = {
  n: number;
  stage?: 'catalog' | 'candidate';
  band?: string;
  /** Whether its resolution rule is confirmed (gate 2). */
  confirmed?: boolean;
  market_type?: string;
  category?: string;
  sport?: string | null;
  competition?: string | null;
  location?: string | null;
  asset?: string;
  indicator?: string;
  basis?: string;
  institution?: string;
  /** Both confidences. Default 0.990 and 0.970. */
  entity?: string;
  resolution?: string;
  home?: string;
  away?: string;
  event_a?: string;
  condition_b?: string;
  status?: string;
  start_time?: string;
  title?: string;
  line?: number | null;
  game_id?: string | null;
  outcomes?: SeedOutcome[];
  ladder?: string[];
  risks?: [event: string, severity: string][];
  result?: object | null;
};

export const uuidOf = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
export const idOf = (n: number) => `mkt_${uuidOf(n)}`;

const twoWay: SeedOutcome[] = [{ key: 'home' }, { key: 'away' }];

/** Stores one pair as the match pass would. */
export async function putPair(sql: Sql, pair: SeedPair): Promise<void> {
  const id = uuidOf(pair.n);
  const rule = pair.confirmed ? 'rule confirmed' : 'rule unconfirmed';
  await sql`
    insert into catalog.rules (rule_id, description, first_seen_at, confirmed_at, record_agreeing, record_bound)
    values (
      ${rule}, 'of a test', '2026-01-01Z', ${pair.confirmed ? '2026-02-01Z' : null},
      ${pair.confirmed ? 400 : 0}, catalog.divergence_bound(0, ${pair.confirmed ? 400 : 0}, 0.95)
    )
    on conflict do nothing`;
  const assessment = `assessment ${pair.n}`;
  const risks = (pair.risks ?? []).map(([event, severity]) => ({ event, severity, note: `Note on ${event}` }));
  await sql`
    insert into catalog.assessments (assessment_id, signals, risks) values (${assessment}, '[]', ${sql.json(risks)})
    on conflict (assessment_id) do update set risks = excluded.risks`;
  await sql`
    insert into catalog.pairs ${sql({
      pair_id: id,
      slug: `pair-${pair.n}`,
      question_a: `venue_a:Q${pair.n}`,
      question_b: `venue_b:q${pair.n}`,
      key: `key ${pair.n}`,
      market_type: pair.market_type ?? 'moneyline',
      stage: pair.stage ?? 'catalog',
      band: pair.band ?? 'EXACT',
      entity_confidence: pair.entity ?? '0.990',
      resolution_confidence: pair.resolution ?? '0.970',
      assessment_id: assessment,
      rule_id: rule,
      input_hash: `read ${pair.n}`,
      category: pair.category ?? 'sports',
      sport: pair.sport === undefined ? 'basketball' : pair.sport,
      competition: pair.competition === undefined ? 'NBA' : pair.competition,
      location: pair.location ?? null,
      asset: pair.asset ?? null,
      indicator: pair.indicator ?? null,
      basis: pair.basis ?? null,
      institution: pair.institution ?? null,
      tags: ['tag'],
      title: pair.title ?? `Title ${pair.n}`,
      home: pair.home ?? 'Home',
      away: pair.away ?? 'Away',
      start_time: pair.start_time ?? '2026-11-21T01:00:00Z',
      has_scheduled_start: true,
      status: pair.status ?? 'open',
      line: pair.line ?? null,
      game_id: pair.game_id ?? null,
      closes_a: '2026-11-22T00:00:00Z',
      closes_b: '2026-11-22T06:00:00Z',
      url_a: `https://venue-a.example/${pair.n}`,
      url_b: null,
      event_a: pair.event_a ?? `KXEVENT-${pair.n}`,
      event_b: `event-${pair.n}`,
      condition_b: pair.condition_b ?? `0x${pair.n}`,
      slug_b: `slug-${pair.n}`,
      text_a: 'Rules "A"\nline two',
      text_b: null,
      result: pair.result ? sql.json(pair.result as postgres.JSONValue) : null,
      shard_key: pair.n % 64,
      created_at: '2026-11-19T00:00:00Z',
      updated_at: '2026-11-19T12:34:56.789Z',
    })}`;
  for (const [ordinal, outcome] of (pair.outcomes ?? twoWay).entries()) {
    await sql`
      insert into catalog.outcomes ${sql({
        pair_id: id,
        ordinal,
        key: outcome.key,
        name: outcome.name ?? outcome.key.toUpperCase(),
        contract_a: outcome.a === undefined ? `KX-${pair.n}-${outcome.key}` : outcome.a,
        side_a: outcome.a === null ? null : (outcome.side ?? 'yes'),
        contract_b: outcome.b === undefined ? `${pair.n}00${ordinal}` : outcome.b,
        relation: outcome.relation ?? null,
        span: outcome.span ?? null,
      })}`;
  }
  for (const [ordinal, label] of (pair.ladder ?? []).entries()) {
    await sql`
      insert into catalog.strikes ${sql({ pair_id: id, ordinal, label, market_a: `KXL-${ordinal}`, contract_a: `KXL-${ordinal}` })}`;
  }
}

/**
 * Stores a contract as its venue lists it: its label, and the title of its market (on venue_b the
 * question).
 */
export async function nameContract(
  sql: Sql,
  venue: 'venue_a' | 'venue_b',
  contract: string,
  label: string | null,
  question: string | null = null,
): Promise<void> {
  const at = '2026-11-19T00:00:00Z';
  const event = { venue, event_id: 'of a test', title: 'of a test', payload: sql.json({}), payload_hash: '' };
  await sql`
    insert into venue.events ${sql({ ...event, first_seen_at: at, seen_at: at, changed_at: at })} on conflict do nothing`;
  const market_id = `market of ${contract}`;
  const market = { venue, market_id, event_id: 'of a test', title: question, state: 'trading', payload: sql.json({}) };
  await sql`
    insert into venue.markets ${sql({ ...market, payload_hash: '', seen_at: at, changed_at: at })}
    on conflict (venue, market_id) do update set title = excluded.title`;
  await sql`
    insert into venue.contracts ${sql({ venue, contract_id: contract, market_id, ordinal: 0, label })}
    on conflict (venue, contract_id) do update set label = excluded.label`;
}

/** Lists the contract of an outcome in a market with this fee. */
export async function putLegFee(
  sql: Sql,
  n: number,
  ordinal: number,
  venue: 'venue_a' | 'venue_b',
  fee: object | null,
): Promise<void> {
  const contract = `${venue} ${n} ${ordinal}`;
  await nameContract(sql, venue, contract, null);
  await sql`update venue.markets set fee = ${fee && sql.json({ ...fee })} where market_id = ${`market of ${contract}`}`;
  await sql`
    update catalog.outcomes set ${sql({ [venue === 'venue_a' ? 'market_a' : 'market_b']: `market of ${contract}` })}
    where pair_id = ${uuidOf(n)} and ordinal = ${ordinal}`;
}

/** Changes the identity of a pair, with a new change number. */
export async function changePair(sql: Sql, n: number, change: Record<string, string | null>): Promise<void> {
  await sql`
    update catalog.pairs set ${sql(change)}, change_no = nextval('catalog.change_numbers') where pair_id = ${uuidOf(n)}`;
}

export type SeedUpdate = {
  at: string;
  ask_a?: (number | null)[];
  ask_b?: (number | null)[];
  bid_a?: (number | null)[];
  bid_b?: (number | null)[];
  size_a?: (number | null)[];
  size_b?: (number | null)[];
  bid_size_a?: (number | null)[];
  bid_size_b?: (number | null)[];
  ladder_a?: (number | null)[] | null;
  void?: string | null;
  /** Opportunity that the engine reports (tests/arb/fixture.ts). */
  opp?: postgres.JSONValue;
};

/**
 * Writes a price update through pipeline.apply_books. Prices in 1e-6 USD, sizes in 0.01 contract.
 * Returns the number of updates.
 */
export function putUpdate(sql: Sql, n: number, frame: SeedUpdate): Promise<number> {
  return putUpdates(sql, [[n, frame]]);
}

/**
 * Writes updates of several pairs (by number or id) and quotes in one call of pipeline.apply_books.
 */
export async function putUpdates(
  sql: Sql,
  frames: readonly (readonly [pair: number | string, SeedUpdate])[],
  quotes: readonly postgres.JSONValue[] = [],
): Promise<number> {
  const tokens = Object.fromEntries(
    (await sql<{ name: string; token: string }[]>`select name, token from venue.leases where name like 'books:%'`).map(
      (lease) => [lease.name, Number(lease.token)],
    ),
  );
  const given = frames.map(([pair, frame]) => toApplyBooksRow(typeof pair === 'number' ? uuidOf(pair) : pair, frame));
  const [row] = await sql<{ applied: number }[]>`
    select (pipeline.apply_books(${sql.json(tokens)}, ${sql.json(given)}, ${sql.json(quotes)}) ->> 'applied')::integer as applied`;
  return row?.applied ?? 0;
}

/**
 * How long before an update each venue’s books were read, in ms. The two differ from each other and
 * from the time of the update.
 */
export const READ_BEFORE_MS = { venue_a: 1, venue_b: 3 } as const;
/** When the books of an update at `iso` were read, as the API writes it. */
export const readAt = (venue: keyof typeof READ_BEFORE_MS, iso: string): string =>
  new Date(Date.parse(iso) - READ_BEFORE_MS[venue]).toISOString();

/** Converts an update to an element of pipeline.apply_books. */
function toApplyBooksRow(pair: string, frame: SeedUpdate) {
  const none = (frame.ask_a ?? []).map(() => null);
  const at = Date.parse(frame.at);
  return {
    pair,
    at,
    ask_a: frame.ask_a ?? [],
    ask_b: frame.ask_b ?? [],
    bid_a: frame.bid_a ?? none,
    bid_b: frame.bid_b ?? none,
    size_a: frame.size_a ?? none,
    size_b: frame.size_b ?? none,
    bid_size_a: frame.bid_size_a ?? none,
    bid_size_b: frame.bid_size_b ?? none,
    ladder_a: frame.ladder_a ?? null,
    read_a: at - READ_BEFORE_MS.venue_a,
    read_b: at - READ_BEFORE_MS.venue_b,
    void: frame.void ?? null,
    opp: frame.opp ?? null,
  };
}

/** Holds the lease of every shard for an hour, so that no update is void with lease.expired. */
export async function holdShardLeases(sql: Sql): Promise<void> {
  await sql`
    insert into venue.leases (name, holder, token, expires_at, ttl)
    select 'books:' || i, gen_random_uuid(), 1, clock_timestamp() + interval '1 hour', interval '1 hour'
    from generate_series(0, (select shards - 1 from price.settings)) i
    on conflict (name) do update
    set holder = excluded.holder,
        token = venue.leases.token + 1,
        expires_at = excluded.expires_at,
        ttl = excluded.ttl`;
}
