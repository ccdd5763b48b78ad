import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from '../../support/wait_until.ts';
import { serveAttack } from './attacker.ts';

// A hostile venue: now and then an answer without end, with brackets without end, a redirect to
// another host, or a socket frame that is too long. Its other answers go on.

const EVERY_MS = 4_000;
/** The host of the redirects. Nothing of the stack has a reason to connect to it. */
const OTHER_HOST = '127.0.6.1';

serveAttack(({ simulator }, count) => {
  let isHolding = false;
  const other = createServer((request, response) => {
    count('redirects: followed');
    if (Object.keys(request.headers).some((name) => /access-(key|signature)/.test(name)))
      count('redirects: followed with a signature');
    response.end('{}');
  });

  async function inject(fault: object): Promise<boolean> {
    const response = await fetch(`${simulator}/_sim/fault`, { method: 'POST', body: JSON.stringify(fault) });
    await response.arrayBuffer();
    return response.ok;
  }

  async function attack(redirect: string): Promise<void> {
    const answers = ['redirect', 'brackets', 'endless', 'long frame'] as const;
    for (let n = 0; !isHolding; n += 1) {
      const answer = answers[n % answers.length] ?? 'redirect';
      // Each venue gets each answer.
      const venue = (n + Math.floor(n / answers.length)) % 2 === 0 ? 'a' : 'b';
      const how = answer === 'redirect' ? redirect : answer;
      const fault = answer === 'long frame' ? { fault: 'long_frame', venue } : { fault: 'hostile_answer', venue, how };
      // The simulator does not answer while it restarts, and a socket may be reconnecting.
      if (await inject(fault).catch(() => false)) count(`hostile answers: ${answer}`);
      await pause(EVERY_MS);
    }
    other.close();
  }
  other.listen(0, OTHER_HOST, () => {
    void attack(`http://${OTHER_HOST}:${(other.address() as AddressInfo).port}/trade-api/v2/exchange/status`);
  });
  return {
    hold() {
      isHolding = true;
    },
  };
});
