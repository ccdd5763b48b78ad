import { afterAll, beforeAll, describe } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { carrierLifecycleSuite, type Nodes } from './lifecycle.suite.ts';
import { type Carrier, missingCentrifugo, startCarrier } from './nodes.ts';

if (missingCentrifugo) console.log(`skipped over Centrifugo: ${missingCentrifugo}`);

describe.skipIf(missingCentrifugo)('over Centrifugo', () => {
  let db: TestDatabase;
  let carrier: Carrier;
  let nodes: Nodes;
  beforeAll(async () => {
    db = await createDatabase();
    carrier = await startCarrier({ sql: db.sql, broker: 'postgres', url: (role) => db.url(role) });
    nodes = { sql: db.sql, first: await carrier.startNode(), second: await carrier.startNode() };
  });
  afterAll(async () => {
    await carrier?.stop();
    await db?.close();
  });

  carrierLifecycleSuite(() => nodes, { slow: true });
});
