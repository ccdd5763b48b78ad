import { pause } from '../../support/wait_until.ts';
import { callTool } from '../load/tool_call.ts';
import { serveAttack } from './attacker.ts';

// One key of the Free tier that calls `watch_markets` 120 times at once, again and again.

const CALLS = 120;
/** An admitted call lasts this long. The tier allows 600 requests a minute. */
const WATCH_SECONDS = 20;
const PAUSE_MS = 1_000;

serveAttack(({ base, key, markets }, count) => {
  const end = new AbortController();

  async function callOne(): Promise<void> {
    const args = { market_ids: markets.slice(0, 1), seconds: WATCH_SECONDS };
    const { status, code } = await callTool({ base, key, tool: 'watch_markets', args, signal: end.signal });
    if (end.signal.aborted) return;
    count(`watch_markets: ${code || status || 'no answer'}`);
  }

  async function callAll(): Promise<void> {
    while (!end.signal.aborted) {
      const startedAt = Date.now();
      await Promise.all(Array.from({ length: CALLS }, callOne));
      // 120 calls in 13 s stay within the requests that the tier allows.
      await pause(Math.max(PAUSE_MS, 13_000 - (Date.now() - startedAt)));
    }
  }
  void callAll();
  return { hold: () => end.abort() };
});
