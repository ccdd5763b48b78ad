import { Agent, get } from 'node:http';
import { randomKey } from '../../support/random_secrets.ts';
import { pause } from '../../support/wait_until.ts';
import { serveAttack } from './attacker.ts';

// Strangers at REST: 300 connections, each with a new well-formed key for each request.

const CONNECTIONS = 300;
const ADDRESS = '127.0.5.1';
/** All connections send at once, and again this long after the last answer. */
const PAUSE_MS = 1_000;

serveAttack(({ base }, count) => {
  let isHolding = false;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });

  const sendOne = (): Promise<void> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${randomKey()}` };
      const request = get(`${base}/v2/markets?limit=50`, { agent, localAddress: ADDRESS, headers, timeout: 20_000 });
      request.on('response', (response) => {
        count(`random keys: ${response.statusCode}`);
        response.resume().on('close', resolve);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => {
        count('random keys: no answer');
        resolve();
      });
    });

  async function sendBursts(): Promise<void> {
    while (!isHolding) {
      await Promise.all(Array.from({ length: CONNECTIONS }, sendOne));
      await pause(PAUSE_MS);
    }
  }
  void sendBursts();
  return {
    // The gateway keeps idle connections for a minute, as it does for clients that pay.
    hold() {
      isHolding = true;
      agent.destroy();
    },
  };
});
