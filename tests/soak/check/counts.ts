/**
 * What one organization's month must have come to, of what its own callers saw. An answer that never arrived may have been counted;
 * Postgres, killed, may lose the last second of counts, as sql/54_account_admission.sql says.
 */
export type Ledger = {
  org: string;
  /** Real times (ms) of answers that use the month: 200 with data of the markets. */
  counted: number[];
  /** Requests whose answer never came, or came from the gateway. */
  unknown: number;
};

/** How long before its death Postgres may not have written what was committed without waiting for the disk, ms. */
export const lostBeforeMs = 1_000;

export function wrongCount(ledger: Ledger, used: number, postgresDeaths: readonly number[]): string | null {
  const lost = ledger.counted.filter((at) =>
    // The answer is seen a little after its commit.
    postgresDeaths.some((death) => at > death - lostBeforeMs && at <= death + 200),
  ).length;
  const [least, most] = [ledger.counted.length - lost, ledger.counted.length + ledger.unknown];
  if (used >= least && used <= most) return null;
  return `${ledger.org}: ${used} counted, ${least} to ${most} admitted (${ledger.unknown} never answered, ${lost} in Postgres's last second)`;
}

export type Left = { window: number; windowEnds: number; month: number };

/** `RateLimit: "window";r=…;t=…, "month";r=…;t=…`; null where it is not that. */
export function leftIn(header: string | null): Left | null {
  const [, window, t, month] = /"window";r=(\d+);t=(\d+), "month";r=(\d+);t=\d+/.exec(header ?? '') ?? [];
  if (window === undefined || t === undefined || month === undefined) return null;
  return { window: Number(window), windowEnds: Number(t), month: Number(month) };
}

/**
 * Two answers in a row to the only caller of an organization. `used` is what the second took of the month; `between` how many requests
 * without an answer lay between them, which may have been counted.
 */
export function wrongLeft(before: Left, now: Left, used: number, between: number): string | null {
  const taken = before.month - now.month;
  if (taken < used || taken > used + between)
    return `the month went down by ${taken}, not by ${used} (to ${used + between})`;
  // A window that has ended opens anew, and t starts at 60 again.
  const renewed = now.windowEnds > before.windowEnds;
  if (!renewed && now.window >= before.window) return `the window went from ${before.window} to ${now.window}`;
  return null;
}
