import { describeInChromium } from '../dashboard/support/page.ts';
import { liveLayoutSuite } from './layout.suite.ts';
import { legsSuite } from './legs.suite.ts';
import { servedHarness } from './support/browser.ts';

// pages.system.test.ts and legs.system.test.ts look at some of these layouts.

describeInChromium('the live pages in every width and theme', () => {
  const live = servedHarness();
  liveLayoutSuite('all', () => live.base);
  legsSuite('all', () => live.base);
});
