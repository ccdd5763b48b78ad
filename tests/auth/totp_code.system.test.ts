import { expect, test } from 'vitest';
import { totpCode } from '../support/totp.ts';

// RFC 6238, appendix B, the last six of eight digits.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [20_000_000_000, '353130'],
])('the code of the tests at second %i is that of the RFC', (seconds, code) => {
  expect(totpCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', seconds * 1000)).toBe(code);
});
