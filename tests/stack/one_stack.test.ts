import { afterAll, beforeAll, describe } from 'vitest';
import { keysSuite } from '../dashboard/keys.suite.ts';
import { findChromium } from '../dashboard/support/chromium.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { livePage } from './live_page.suite.ts';
import { mainJob } from './main_job.suite.ts';

// One started stack serves all suites that neither stop nor break it. Each suite uses accounts and
// organizations of its own. The delay is short, so that no suite waits until the quickly played
// minutes have left the snapshot.

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack({ env: { REST_DELAY_SECONDS: '10' } });
}, 150_000);
afterAll(() => stack?.stop());

if (!findChromium()) console.log('The pages on the real stack are skipped: no Chromium on the PATH or in $CHROMIUM.');

describe('on one started stack', () => {
  mainJob(() => stack);
  livePage(() => stack);
  keysSuite(() => stack);
});
