import type { Page } from 'playwright-core';
import { press } from './page.ts';

const fill = async (page: Page, email: string, password: string): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: /^Password/ }).fill(password);
};

/** Creates an account on the sign-in page. */
export async function signUp(page: Page, email: string, password: string): Promise<void> {
  await press(page, 'New account');
  await fill(page, email, password);
  await press(page, 'Create account');
}

/** Signs in on the sign-in page. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await fill(page, email, password);
  await page.keyboard.press('Enter');
}
