import { test } from 'vitest';
import { missingCentrifugo } from './nodes.ts';

// The tests of tests/stream/function/connect.system.test.ts, over Centrifugo with its PostgreSQL
// broker.

if (missingCentrifugo) {
  console.log(`skipped over Centrifugo: ${missingCentrifugo}`);
  test.skip('the tests run over Centrifugo', () => {});
} else {
  process.env.STREAM_CARRIER = 'centrifugo';
  await import('../function/connect.system.test.ts');
}
