/**
 * A row of api.request_lease (sql/83_api_leases.sql). Without a `lease_id` nothing was granted.
 * `tier` and the counts are null where the key is unknown.
 */
export type LeaseRow = {
  code: string | null;
  lease_id: string | null;
  granted: number | null;
  valid_ms: number | null;
  version: string;
  as_of: string | null;
  step_left_ms: number;
  tier: string | null;
  window_quota: number | null;
  window_used: number | null;
  window_left_ms: number | null;
  month_quota: number | null;
  month_used: number | null;
  month_ends_at: string | null;
  month_left_s: number | null;
  lease_limit: number | null;
};

/** A lease that has ended, with what it did not use. */
export type ReturnedLease = { leaseId: string; unusedWindow: number; unusedMonth: number };

/** The two calls of the database. Both reject where it does not answer in time. */
export type LeaseCalls = {
  /** Grants a lease of at most `wanted` requests. `returned` ends in the same transaction. */
  lease(keyHash: string, wanted: number, returned: ReturnedLease | undefined): Promise<LeaseRow>;
  /** Ends a lease. A second call changes nothing. */
  giveBack(returned: ReturnedLease): Promise<void>;
};

/** The clocks and the timer of the runtime. Tests pass their own. */
export type LeaseClock = {
  /** A clock that never steps, in milliseconds: `performance.now`. */
  elapsed(): number;
  /** The clock of the host, in milliseconds: `Date.now`. */
  wall(): number;
  /** Runs `work` after `ms`. Returns a function that prevents it. */
  after(ms: number, work: () => void): () => void;
};
