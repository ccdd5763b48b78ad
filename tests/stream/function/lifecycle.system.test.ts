import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { docsSuite } from './docs.suite.ts';
import { type StreamWorld, startStream } from './fixture.ts';
import { lifecycleSuite } from './lifecycle.suite.ts';

let world: StreamWorld & { inspectPort: number };
beforeAll(async () => {
  const fixture = await startStream();
  const inspectPort = await freePort();
  // A short interval, so that the process soon notices a plan or a key that changed.
  const isolate = await fixture.startIsolate({ STREAM_RECHECK_SECONDS: '1' }, inspectPort);
  world = { fixture, isolate, inspectPort };
});
afterAll(() => world?.fixture.stop());

lifecycleSuite(() => world);
docsSuite(() => world);
