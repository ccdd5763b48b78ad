import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AddressObject, simpleParser } from 'mailparser';
import { waitUntil } from './wait_until.ts';

export type Mail = { to: string; subject: string; text: string; link: string };

/** The mails in the folder of a mail catcher to that address, oldest first. */
export async function readMails(folder: string, to: string): Promise<Mail[]> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  const mails = await Promise.all(names.sort().map((name) => parse(join(folder, name))));
  return mails.filter((mail) => mail.to === to);
}

/** The newest mail to that address, once there are `count` of them. */
export async function untilMail(folder: string, to: string, count = 1): Promise<Mail> {
  await waitUntil(async () => (await readMails(folder, to)).length >= count, {
    what: `mail ${count} to ${to} has arrived`,
    timeoutMs: 10_000,
  });
  return (await readMails(folder, to)).at(-1) as Mail;
}

async function parse(path: string): Promise<Mail> {
  const mail = await simpleParser(readFileSync(path));
  const html = typeof mail.html === 'string' ? mail.html : '';
  const [, link = ''] = /href="([^"]+)"/.exec(html) ?? [];
  return {
    to: (mail.to as AddressObject | undefined)?.text ?? '',
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    link: link.replaceAll('&amp;', '&'),
  };
}
