import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GLOSSARY } from '../../functions/api/contract/glossary.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase } from '../support/database.ts';

// A code that an agent meets and cannot look up is a risk that it cannot weigh.
test('every risk code that SQL can give is in the glossary, and none that it cannot', async () => {
  const db = await createDatabase();
  try {
    const graded = await db.sql<{ event: string }[]>`select distinct event from catalog.risk_grades()`;
    const known = new Set(graded.map((row) => row.event));
    const text = readFileSync(join(repository, 'sql/337_catalog_risks.sql'), 'utf8');
    // select 'rules_unread', 'high', … and the one whose severity is decided in place.
    const written = /select '([a-z_]+)',\s+(?:'(?:low|medium|high|critical)'|case\s+when)/g;
    for (const [, event = ''] of text.matchAll(written)) known.add(event);
    const shown = [...known].filter((event) => !event.startsWith('cancel_'));
    expect(Object.keys(GLOSSARY.risks).sort()).toEqual(shown.sort());
  } finally {
    await db.close();
  }
});
