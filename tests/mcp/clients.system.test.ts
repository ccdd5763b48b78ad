import { afterAll, beforeAll } from 'vitest';
import type { ApiFixture } from '../api/support/fixture.ts';
import { clientSuite } from './clients.suite.ts';
import { newAgent, oldAgent } from './support/clients.ts';
import { createMcpFixture } from './support/fixture.ts';

// A client of each revision. The slow layer has more of them.

let world: ApiFixture;
let bearer: { Authorization: string };
beforeAll(async () => {
  world = await createMcpFixture();
  bearer = { Authorization: `Bearer ${await world.key('pro')}` };
});
afterAll(() => world.close());

clientSuite('@modelcontextprotocol/client that knows 2025-06-18 only', '2025-06-18', () =>
  newAgent(world, bearer, 'legacy', ['2025-06-18']),
);
clientSuite('@modelcontextprotocol/sdk', '2025-11-25', () => oldAgent(world, bearer));
clientSuite('@modelcontextprotocol/client with automatic negotiation', '2026-07-28', () =>
  newAgent(world, bearer, 'auto'),
);
