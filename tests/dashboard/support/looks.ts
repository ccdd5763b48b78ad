import type { Locator } from 'playwright-core';
import { axeViolations } from './axe.ts';
import { forgetLayoutShifts, layoutShifts } from './layout_shift.ts';
import { resize, settle, type Viewport, type WatchedPage } from './page.ts';

/** The widths of a page. */
export type Widths = { wide: Viewport; narrow: Viewport; others: readonly Viewport[] };

/** A page is opened in one view, and drawn again in others, of which axe looks at some. */
export type Look = {
  opened: Viewport;
  again: readonly { viewport: Viewport; axe?: 'all' | 'colours' }[];
};

/** A pass over some places, with the look at each of them by its number. */
export type Pass = [name: string, lookAt: (place?: number) => Look];

/**
 * `some`, for `npm test`: one place is opened wide and light and drawn again narrow and dark, the
 * next one is opened narrow and dark and drawn again wide and light. Both are drawn again at the
 * other widths, without axe. `all`: each place is opened in each view too, and drawn again wide and
 * dark, in which axe looks at the colours.
 */
export type Scope = 'some' | 'all';

export function passesOf(scope: Scope, { wide, narrow, others }: Widths): Pass[] {
  const dark = (viewport: Viewport): Viewport => ({ ...viewport, dark: true });
  // A low window is painted soon, and a page is as wide in it.
  const rest = others.map(({ width }) => ({ viewport: { width, height: 300 } }));
  const colours = scope === 'all' ? [{ viewport: dark(wide), axe: 'colours' } as const] : [];
  const looks: [Look, Look] = [
    { opened: wide, again: [...colours, { viewport: dark(narrow), axe: 'all' }, ...rest] },
    { opened: dark(narrow), again: [{ viewport: wide, axe: 'all' }, ...colours, ...rest] },
  ];
  const inTurn: Pass = ['wide and narrow in turn', (place = 0) => (place % 2 === 0 ? looks[0] : looks[1])];
  const each = [wide, dark(wide), narrow, dark(narrow), ...others].map(
    (opened): Pass => [nameOf(opened), () => ({ opened, again: [] })],
  );
  return scope === 'all' ? [inTurn, ...each] : [inTurn];
}

const nameOf = ({ width, dark }: Viewport): string => `${width}${dark ? '-dark' : ''}`;

/**
 * What is wrong with a page that was opened for this look, by view: what axe finds, a cumulative
 * layout shift of more than `shift` since it was opened or last looked at, and a page that is wider
 * than its viewport. `part` is at the top of the window: what is outside of it is not laid out.
 */
export async function faultsOf(
  page: WatchedPage,
  look: Look,
  { shift = 0.02, part }: { shift?: number; part?: Locator } = {},
): Promise<Record<string, unknown>> {
  const faults: Record<string, unknown> = {};
  await settle(page);
  const shifts = await layoutShifts(page);
  if (shifts.largest > shift) faults.shifts = shifts;
  for (const { viewport, axe } of [{ viewport: look.opened, axe: 'all' } as const, ...look.again]) {
    if (viewport !== look.opened) await draw(page, viewport);
    await part?.evaluate((element) => element.scrollIntoView());
    const width = await page.evaluate('document.documentElement.scrollWidth');
    const violations = axe ? await axeViolations(page, ':root', axe) : [];
    if (width !== viewport.width || violations.length > 0) faults[nameOf(viewport)] = { width, violations };
  }
  if (look.again.length > 0) {
    await draw(page, look.opened);
    await forgetLayoutShifts(page);
  }
  return faults;
}

async function draw(page: WatchedPage, viewport: Viewport): Promise<void> {
  await resize(page, viewport);
  await settle(page);
}
