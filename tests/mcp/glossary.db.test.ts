import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GLOSSARY } from '../../functions/api/contract/glossary.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase } from '../support/database.ts';

// An agent cannot assess a risk whose code it cannot look up.
test('the glossary has exactly the risk codes that SQL can return', async () => {
  const db = await createDatabase();
  try {
    const graded = await db.sql<{ event: string }[]>`
      select event from catalog.risk_grades() union select event from catalog.contest_risk_grades()`;
    const known = new Set(graded.map((row) => row.event));
    const text = readFileSync(join(repository, 'sql/337_catalog_risks.sql'), 'utf8');
    // Matches `select 'rules_unread', 'high'`, and the code whose severity is a case expression.
    const codes = /select '([a-z_]+)',\s+(?:'(?:low|medium|high|critical)'|case\s+when)/g;
    for (const [, event = ''] of text.matchAll(codes)) known.add(event);
    const listed = [...known].filter((event) => !event.startsWith('cancel_'));
    expect(Object.keys(GLOSSARY.risks).sort()).toEqual(listed.sort());
  } finally {
    await db.close();
  }
});
