import { afterAll, beforeAll, describe } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { accountLayoutSuite } from './account_layout.suite.ts';
import { coverageLayoutSuite } from './coverage_layout.suite.ts';
import { guidesLayoutSuite } from './guides_layout.suite.ts';
import { recordLayoutSuite } from './record_layout.suite.ts';
import { reviewLayoutSuite } from './review_layout.suite.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { coverageAnswers } from './support/coverage_world.ts';
import { describeInChromium } from './support/page.ts';
import { ruleAnswers } from './support/rule_world.ts';
import { defaultAnswers } from './support/stub_api.ts';
import { serveTrackRecord, storeRecords } from './support/track_record_world.ts';
import { trackRecordLayoutSuite } from './track_record_layout.suite.ts';

// The system files of these pages look at some of their layouts.

describeInChromium('the pages in every width and theme', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  });
  afterAll(() => site?.close());
  const answered = (answers: () => Promise<AccountSite['api']['answers']>) =>
    beforeAll(async () => {
      site.api.answers = { ...defaultAnswers(), ...(await answers()) };
    });

  accountLayoutSuite('all', () => site);
  describe('Review', () => void reviewLayoutSuite('all', () => site));
  describe('Coverage', () => {
    answered(() => coverageAnswers());
    coverageLayoutSuite('all', () => site);
  });
  describe('Record', () => {
    answered(() => ruleAnswers());
    recordLayoutSuite('all', () => site);
  });

  describe('without a session', () => {
    let db: TestDatabase;
    let open: Awaited<ReturnType<typeof serveTrackRecord>>;
    beforeAll(async () => {
      db = await createDatabase();
      await storeRecords(db.sql);
      open = await serveTrackRecord(db);
    });
    afterAll(async () => {
      await open?.close();
      await db?.close();
    });

    describe('Track record', () => void trackRecordLayoutSuite('all', () => open.base));
    describe('the guides', () => void guidesLayoutSuite('all', () => open.base));
  });
});
