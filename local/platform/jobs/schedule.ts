import { Cron } from 'croner';

/**
 * The next time of a job after `afterMs` (epoch ms, UTC as on the platform), or undefined when
 * there is none. Accepts the syntax of pg_cron 1.6: five fields, `$` for the last day of a month,
 * names such as @hourly, and `N seconds`, which count from the last start.
 */
export function nextRun(schedule: string, afterMs: number): number | undefined {
  const seconds = /^\s*(\d{1,2})\s+seconds?\s*$/i.exec(schedule);
  if (seconds) return afterMs + Number(seconds[1]) * 1000;
  const text = schedule.trim().toLowerCase();
  // It means "when the server starts". The runner is not the server.
  if (text === '@reboot') return undefined;
  try {
    const cron = new Cron(text.replace('$', 'L'), { timezone: 'UTC', paused: true });
    return cron.nextRun(new Date(afterMs))?.getTime();
  } catch {
    return undefined;
  }
}
