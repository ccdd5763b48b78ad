import { afterAll, beforeAll, describe } from 'vitest';
import { connectSuite } from '../function/connect.suite.ts';
import { docsSuite } from '../function/docs.suite.ts';
import { type StreamWorld, startStream } from '../function/fixture.ts';
import { stateSuite } from '../function/state.suite.ts';
import { carrierLifecycleSuite, type Nodes } from './lifecycle.suite.ts';
import { missingCentrifugo } from './nodes.ts';

// Suites of the stream function, and what Centrifugo does otherwise, over two nodes of it with the
// PostgreSQL broker.

if (missingCentrifugo) console.log(`skipped over Centrifugo: ${missingCentrifugo}`);

describe.skipIf(missingCentrifugo)('over Centrifugo', () => {
  let world: StreamWorld;
  let nodes: Nodes;
  beforeAll(async () => {
    const fixture = await startStream('centrifugo');
    world = { fixture, isolate: await fixture.startIsolate() };
    nodes = { sql: fixture.sql, first: world.isolate, second: await fixture.startIsolate() };
  });
  afterAll(() => world?.fixture.stop());

  connectSuite(() => world);
  carrierLifecycleSuite(() => nodes, { slow: false });
  stateSuite(() => world);
  docsSuite(() => world);
});
