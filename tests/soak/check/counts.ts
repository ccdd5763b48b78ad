/**
 * The monthly count of one organization as its callers observed it. A request without an answer may
 * have been counted. Postgres may lose the counts of its last second when it is killed
 * (sql/54_account_admission.sql).
 */
export type Ledger = {
  org: string;
  /** Real times (ms) of the answers that count for the month: status 200 with market data. */
  counted: number[];
  /** Requests without an answer, or with an answer from the gateway. */
  unknown: number;
};

/** Postgres may lose asynchronous commits of this time before it is killed, ms. */
export const LOST_BEFORE_MS = 1_000;

export function countError(ledger: Ledger, used: number, postgresKills: readonly number[]): string | null {
  const lost = ledger.counted.filter((at) =>
    // The caller receives the answer up to 200 ms after the commit.
    postgresKills.some((kill) => at > kill - LOST_BEFORE_MS && at <= kill + 200),
  ).length;
  const [min, max] = [ledger.counted.length - lost, ledger.counted.length + ledger.unknown];
  if (used >= min && used <= max) return null;
  return `${ledger.org}: ${used} counted, ${min} to ${max} admitted (${ledger.unknown} without an answer, ${lost} in the last second of Postgres)`;
}

export type RemainingQuota = { window: number; windowSeconds: number; month: number };

/** Parses `RateLimit: "window";r=…;t=…, "month";r=…;t=…`. Returns null for any other header. */
export function remainingQuotaIn(header: string | null): RemainingQuota | null {
  const [, window, t, month] = /"window";r=(\d+);t=(\d+), "month";r=(\d+);t=\d+/.exec(header ?? '') ?? [];
  if (window === undefined || t === undefined || month === undefined) return null;
  return { window: Number(window), windowSeconds: Number(t), month: Number(month) };
}

/**
 * Compares the rate states of two consecutive answers to the only caller of an organization. `used`
 * is the monthly cost of the second request. `between` counts the unanswered requests between the
 * two, which may have been counted.
 */
export function rateStateError(
  before: RemainingQuota,
  now: RemainingQuota,
  used: number,
  between: number,
): string | null {
  const spent = before.month - now.month;
  if (spent < used || spent > used + between)
    return `the month went down by ${spent}, not by ${used} (to ${used + between})`;
  // After the end of a window t starts at 60 again.
  const isNewWindow = now.windowSeconds > before.windowSeconds;
  if (!isNewWindow && now.window >= before.window) return `the window went from ${before.window} to ${now.window}`;
  return null;
}
