import { afterAll, beforeAll, describe } from 'vitest';
import { keysSuite } from '../dashboard/keys.suite.ts';
import { findChromium } from '../dashboard/support/chromium.ts';
import { type RunningStack, startStack } from '../support/stack.ts';
import { clientSuite } from './client.suite.ts';
import { clientPythonSuite } from './client_python.suite.ts';
import { deployVerifySuite } from './deploy_verify.suite.ts';
import { inboxSuite } from './inbox.suite.ts';
import { livePageSuite } from './live_page.suite.ts';
import { mainJobSuite } from './main_job.suite.ts';
import { reviewSuite } from './review.suite.ts';

// One started stack serves all suites that neither stop nor break it. Each suite has its own
// accounts and organizations. The REST delay is short, so that the snapshot is soon past the
// fast-forward at the start.

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack({ env: { REST_DELAY_SECONDS: '10' } });
}, 150_000);
afterAll(() => stack?.stop());

if (!findChromium()) console.log('The pages on the real stack are skipped: no Chromium on the PATH or in $CHROMIUM.');

describe('on one started stack', () => {
  mainJobSuite(() => stack);
  livePageSuite(() => stack);
  keysSuite(() => stack);
  reviewSuite(() => stack);
  inboxSuite(() => stack);
  deployVerifySuite(() => stack);
  clientSuite(() => stack);
  clientPythonSuite(() => stack);
});
