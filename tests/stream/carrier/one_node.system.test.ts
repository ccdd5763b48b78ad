import { afterAll, beforeAll, describe } from 'vitest';
import { connectSuite } from '../function/connect.suite.ts';
import { docsSuite } from '../function/docs.suite.ts';
import { type StreamWorld, startStream } from '../function/fixture.ts';
import { stateSuite } from '../function/state.suite.ts';
import { missingCentrifugo } from './nodes.ts';

// Suites of the stream function, over a node of Centrifugo with its PostgreSQL broker.

if (missingCentrifugo) console.log(`skipped over Centrifugo: ${missingCentrifugo}`);

describe.skipIf(missingCentrifugo)('over Centrifugo', () => {
  let world: StreamWorld;
  beforeAll(async () => {
    const fixture = await startStream('centrifugo');
    world = { fixture, isolate: await fixture.startIsolate() };
  });
  afterAll(() => world?.fixture.stop());

  connectSuite(() => world);
  stateSuite(() => world);
  docsSuite(() => world);
});
