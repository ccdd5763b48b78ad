import { afterAll, beforeAll } from 'vitest';
import { accountLayoutSuite } from './account_layout.suite.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { describeInChromium } from './support/page.ts';

describeInChromium('in Chromium', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  });
  afterAll(() => site?.close());

  // layout.slow.test.ts opens the pages in every width and theme.
  accountLayoutSuite('some', () => site);
});
