import { afterAll, beforeAll } from 'vitest';
import { badInputSuite } from './bad_input.suite.ts';
import { connectSuite } from './connect.suite.ts';
import { type StreamWorld, startStream } from './fixture.ts';
import { realtimeTokenSuite } from './realtime_token.suite.ts';
import { stateSuite } from './state.suite.ts';

// One process of the function, one Realtime and one database for suites that break none of them.
// Each has its own organizations.

let world: StreamWorld;
beforeAll(async () => {
  const fixture = await startStream();
  world = { fixture, isolate: await fixture.startIsolate() };
});
afterAll(() => world?.fixture.stop());

connectSuite(() => world);
badInputSuite(() => world);
realtimeTokenSuite(() => world);
// It kills the process, which starts again at once.
stateSuite(() => world);
