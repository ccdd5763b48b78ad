import postgres from 'postgres';
import { errorText } from '../user_error.ts';
import { nextRun } from './schedule.ts';

type Job = { jobid: string; schedule: string; command: string; username: string; database: string };
type Entry = { job: Job; dueMs: number | undefined; running: boolean; queued: boolean };

/** As on the platform. More jobs would take database connections from readers. */
const MAX_CONCURRENT = 8;

/**
 * Runs the jobs of `cron.job` as their owner and writes `cron.job_run_details`. One run of a job at
 * a time; one more may wait.
 */
export class CronRunner {
  readonly #admin: postgres.Sql;
  readonly #ownerUrl: string;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #active = 0;
  #isStopping = false;

  /** `ownerUrl` logs in as role postgres, the only owner of jobs here. */
  constructor(admin: postgres.Sql, ownerUrl: string) {
    this.#admin = admin;
    this.#ownerUrl = ownerUrl;
  }

  async start(): Promise<void> {
    // The process that ran them has ended.
    await this.#admin`
      update cron.job_run_details set status = 'failed', return_message = 'server restarted', end_time = now()
      where status in ('starting', 'running')`;
    await this.reload();
    this.#timer = setInterval(() => this.#onTimer(), 100);
  }

  /** Reads the jobs again. Jobs that have not changed keep their next time. */
  async reload(): Promise<void> {
    const jobs = await this.#admin<Job[]>`
      select jobid::text, schedule, command, username, database from cron.job
      where active and database = current_database() order by cron.job.jobid`;
    const listed = new Set(jobs.map((job) => job.jobid));
    for (const id of this.#entries.keys()) if (!listed.has(id)) this.#entries.delete(id);
    for (const job of jobs) {
      const known = this.#entries.get(job.jobid);
      if (!known) {
        this.#entries.set(job.jobid, { job, dueMs: nextRun(job.schedule, Date.now()), running: false, queued: false });
        continue;
      }
      if (known.job.schedule !== job.schedule) known.dueMs = nextRun(job.schedule, Date.now());
      known.job = job;
    }
  }

  #onTimer(): void {
    const now = Date.now();
    for (const entry of this.#entries.values()) {
      if (entry.dueMs === undefined || entry.dueMs > now) continue;
      // Runs that were missed while the machine slept are not repeated.
      entry.dueMs = nextRun(entry.job.schedule, now);
      entry.queued = true;
    }
    this.#startQueued();
  }

  #startQueued(): void {
    if (this.#isStopping) return;
    for (const entry of this.#entries.values()) {
      if (this.#active >= MAX_CONCURRENT) return;
      if (!entry.queued || entry.running) continue;
      entry.queued = false;
      entry.running = true;
      this.#active++;
      void this.#run(entry.job).finally(() => {
        entry.running = false;
        this.#active--;
        this.#startQueued();
      });
    }
  }

  async #run(job: Job): Promise<void> {
    let runid: string | undefined;
    let outcome: { status: 'succeeded' | 'failed'; message: string };
    try {
      const [row] = await this.#admin<{ runid: string }[]>`
        insert into cron.job_run_details (jobid, database, username, command, status, start_time)
        values (${job.jobid}, ${job.database}, ${job.username}, ${job.command}, 'running', clock_timestamp())
        returning runid::text`;
      runid = row?.runid;
      outcome = await this.#execute(job);
      await this.#admin`
        update cron.job_run_details
        set status = ${outcome.status}, return_message = ${outcome.message}, end_time = clock_timestamp()
        where runid = ${runid ?? null}`;
    } catch (error) {
      console.error(`Job ${job.jobid} (run ${runid ?? 'not started'}) failed: ${errorText(error)}`);
      return;
    }
    if (outcome.status === 'failed') console.error(`Job ${job.jobid} failed: ${outcome.message}\n${job.command}`);
  }

  async #execute(job: Job): Promise<{ status: 'succeeded' | 'failed'; message: string }> {
    if (job.username !== 'postgres') return { status: 'failed', message: `role "${job.username}" cannot log in here` };
    // A connection per run, as in pg_cron: the settings of one job must not affect the next.
    const sql = postgres(this.#ownerUrl, {
      max: 1,
      // Its query would reject outside of any promise when the server stops.
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: `cron job ${job.jobid}` },
    });
    try {
      const result: unknown = await sql.unsafe(job.command).simple();
      return { status: 'succeeded', message: tagOf(result) };
    } catch (error) {
      const code = error instanceof postgres.PostgresError ? ` (${error.code})` : '';
      return { status: 'failed', message: `ERROR: ${errorText(error)}${code}` };
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Starts no new runs. Resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    while (this.#active > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The command tag of the last statement, such as `SELECT 1`. */
function tagOf(result: unknown): string {
  const last: unknown = Array.isArray(result) && Array.isArray(result.at(-1)) ? result.at(-1) : result;
  if (typeof last !== 'object' || last === null || !('command' in last)) return '';
  const count = 'count' in last && typeof last.count === 'number' ? ` ${last.count}` : '';
  return `${String(last.command)}${count}`;
}
