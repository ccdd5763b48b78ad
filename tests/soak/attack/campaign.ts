import type { Sql } from '../../../local/platform/postgres/template.ts';
import { pause } from '../../support/wait_until.ts';
import { type HangingEndpoint, hangingErrors, type RetrySlack } from '../check/hanging.ts';
import { isDenied, type LatencyBounds, type LatencyFigure, latencyErrors, latencyFigures } from '../check/latency.ts';
import { attackPeakError, levelError } from '../check/memory.ts';
import { descriptorError } from '../check/sockets.ts';
import type { Findings } from '../findings.ts';
import type { FailedRequest } from '../load/response_log.ts';
import type { Sample } from '../load/steady_process.ts';
import { EXPOSED, type Processes } from '../processes.ts';
import type { Moment } from '../timeline.ts';
import { attacksOf, hasLatency, type PlannedWindow, type WindowKind, type WindowMark, windowAt } from '../windows.ts';
import type { AttackCommand } from './attacker.ts';
import { Attackers } from './attackers.ts';
import type { HangingReceivers } from './hanging_receivers.ts';
import type { AttackName } from './names.ts';

export type CampaignOptions = {
  attacks: readonly AttackName[];
  command: Omit<AttackCommand, 'seed'>;
  seed: number;
  sql: Sql;
  hanging: HangingReceivers;
  processes: Processes;
  findings: Findings;
  bounds: LatencyBounds;
  retrySlack: RetrySlack;
  /** A key of a new organization that may have webhooks. */
  newWebhookKey: () => Promise<string>;
  printLine: (line: string) => void;
  /** Records the live heaps. */
  collectGarbage: () => Promise<void>;
  /** Waits until the stack works, or returns what does not. */
  recover: (since: number) => Promise<{ afterMs: number | null; problem: string }>;
};

/** Time for what was sent in a window to arrive, ms. */
const SETTLE_MS = 2_000;

/** Runs the quiet windows and the attacks of a run, and checks what they promise. */
export class Campaign {
  readonly windows: WindowMark[] = [];
  readonly attackers = new Attackers();
  readonly #options: CampaignOptions;
  readonly #hangingSeen: HangingEndpoint[] = [];
  #pids = new Map<string, number>();

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  /** The window that runs now. */
  get current(): WindowMark | undefined {
    return this.windows.at(-1);
  }

  async run({ kind, attack, ms }: PlannedWindow): Promise<void> {
    const { attacks, command, seed, printLine, processes, collectGarbage } = this.#options;
    // Between two windows: a collection stops a process for up to 0.2 s, and what was sent at the
    // end of a window still arrives.
    await pause(SETTLE_MS);
    await collectGarbage();
    const names = kind === 'attack' && attack ? attacksOf(attack, attacks) : [];
    await this.attackers.start(names, { ...command, seed });
    const from = Date.now();
    const mark: WindowMark = { kind, ...(attack ? { attack } : {}), from, to: from + ms };
    this.windows.push(mark);
    printLine(`window: ${kind}${attack ? ` ${attack}` : ''} for ${(ms / 1000).toFixed(0)} s`);
    if (kind === 'attack') this.#pids = new Map(processes.pids);
    if (names.includes('receivers')) await this.#hang(ms);
    else {
      if (kind === 'after') this.attackers.hold();
      await pause(ms);
    }
    mark.to = Date.now();
    if (kind !== 'after') return;
    await this.#checkAfter(mark);
    mark.to = Date.now();
  }

  /** Attacks with the hanging receivers for `ms`. */
  async #hang(ms: number): Promise<void> {
    const { command, hanging, newWebhookKey, sql, findings } = this.#options;
    const end = new AbortController();
    const seen = newWebhookKey().then((key) => hanging.attack(command.base, key, sql, end.signal));
    // An attack that breaks the stack may break this too.
    const settled = seen.catch((error: unknown) => {
      findings.violate('hanging receivers: retries, backlog, pending', String(error));
      return [];
    });
    await pause(ms);
    end.abort();
    this.#hangingSeen.push(...(await settled));
  }

  /** At the end of `after`: sockets are cut, no process was restarted, and the stack works. */
  async #checkAfter(after: WindowMark): Promise<void> {
    const { processes, findings, recover, printLine } = this.#options;
    const quiet = this.windows.findLast((one) => one.kind === 'quiet');
    if (quiet) {
      for (const name of EXPOSED) {
        const error = descriptorError(name, processes.descriptors.get(name) ?? [], quiet, after);
        findings.add('sockets return to the quiet level after each attack', 1, error ? [error] : []);
      }
    }
    this.attackers.end();
    const restarted = [...this.#pids].filter(([name, pid]) => processes.pids.get(name) !== pid);
    findings.add(
      'no process ends under attack',
      this.#pids.size,
      restarted.map(([name, pid]) => `${after.attack}: ${name} (${pid}) was restarted or ended`),
    );
    const { afterMs, problem } = await recover(after.to);
    findings.add('recovery from each attack', 1, afterMs === null ? [`${after.attack}: ${problem}`] : []);
    printLine(`attack ${after.attack}: ${afterMs === null ? problem : `recovered after ${afterMs} ms`}`);
  }

  /** The time of the faults begins. Returns when the last attack was over (epoch ms), or 0. */
  beginFaults(forMs: number): number {
    const from = Date.now();
    const attackedUntil = this.windows.findLast(({ kind }) => kind === 'after')?.to ?? 0;
    this.windows.push({ kind: 'faults', from, to: from + forMs });
    return attackedUntil;
  }

  end(): void {
    this.attackers.end();
  }

  /** Checks all windows and returns the figures. `failed`: requests of the other callers. */
  check(samples: readonly Sample[], failed: readonly FailedRequest[], moments: readonly Moment[]): LatencyFigure[] {
    const { findings, bounds, retrySlack } = this.#options;
    const figures = latencyFigures(samples, this.windows);
    for (const figure of figures)
      findings.add(
        'p99 of paying clients under attack',
        Object.keys(figure.byAttack).length + 1,
        latencyErrors(figure, bounds),
      );
    this.#checkDenials(samples, failed);
    for (const one of this.#hangingSeen)
      findings.add(
        'hanging receivers: retries, backlog, pending',
        one.arrivals.size + one.pending.length,
        hangingErrors(one, retrySlack),
      );
    this.#checkRedirects();
    this.#checkMemory(moments);
    return figures;
  }

  #checkDenials(samples: readonly Sample[], failed: readonly FailedRequest[]): void {
    const name = 'no 503 for paying clients, quiet or under attack';
    const during = (at: number) => {
      const window = windowAt(this.windows, at);
      return hasLatency(window?.kind) ? window : undefined;
    };
    for (const { figure, at, status } of samples) {
      const window = during(at);
      if (!window) continue;
      const denial = `${window.attack ?? 'quiet'}: ${figure}: ${status || 'no answer'}`;
      this.#options.findings.add(name, 1, isDenied(status) ? [denial] : []);
    }
    for (const { at, request, status, code } of failed) {
      const window = during(at);
      if (window)
        this.#options.findings.violate(
          name,
          `${window.attack ?? 'quiet'}: ${request}: ${status || 'no answer'} ${code}`,
        );
    }
  }

  /** Only where the venue attacked. */
  #checkRedirects(): void {
    const report = this.attackers.reports.get('venue');
    if (!report) return;
    const followed = report['redirects: followed'] ?? 0;
    const signed = report['redirects: followed with a signature'] ?? 0;
    const errors = followed > 0 ? [`${followed} redirects were followed, ${signed} with a signature`] : [];
    this.#options.findings.add('no redirect of a venue is followed', report['hostile answers: redirect'] ?? 0, errors);
  }

  #checkMemory(moments: readonly Moment[]): void {
    const { processes, findings } = this.#options;
    const firstQuiet = this.windows.find(({ kind }) => kind === 'quiet');
    const last = this.windows.findLast(({ kind }) => isMeasured(kind));
    if (!firstQuiet || !last) return;
    for (const series of processes.series.values()) {
      const error = levelError(series, firstQuiet.to, last.to);
      findings.add('memory returns to its level after the attacks', 1, error ? [error] : []);
    }
    const peak = (name: string, kind: WindowKind): number =>
      Math.max(
        0,
        ...moments
          .filter(({ at }) => this.windows.some((one) => one.kind === kind && at >= one.from && at < one.to))
          .map(({ memory }) => memory[name] ?? 0),
      );
    for (const name of new Set(moments.flatMap(({ memory }) => Object.keys(memory)))) {
      if (name === 'postgres' || name === 'venues') continue;
      const error = attackPeakError(name, peak(name, 'quiet'), peak(name, 'attack'));
      findings.add('memory under attack', 1, error ? [error] : []);
    }
  }
}

const isMeasured = (kind: WindowKind): boolean => kind === 'quiet' || kind === 'attack' || kind === 'after';
