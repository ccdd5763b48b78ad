import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { as, expectRpcError, organization, type Person, person, RpcError, rpc } from './support/people.ts';

// Guarantee: a name reads as what it is. It has no character that nothing displays or that turns
// the text around.

let db: TestDatabase;
let owner: Person;
let org: string;
beforeAll(async () => {
  db = await createDatabase();
  ({ owner, org } = await organization(db.sql));
});
afterAll(() => db.close());

const HIDDEN: [what: string, text: string][] = [
  ['a right-to-left override', 'invoice\u202Egpj.exe'],
  ['an isolate', '\u2067abc\u2069'],
  ['a right-to-left mark', 'abc\u200F'],
  ['an Arabic letter mark', 'a\u061Cb'],
  ['a zero-width space', 'Ac\u200Bme'],
  ['a zero-width non-joiner', 'Ac\u200Cme'],
  ['a zero-width joiner', 'Ac\u200Dme'],
  ['an emoji that is joined', '👩\u200D💻'],
  ['a word joiner', 'Ac\u2060me'],
  ['a byte order mark', '\uFEFFAcme'],
  ['a soft hyphen', 'Ac\u00ADme'],
  ['a tag', 'Acme\u{E0041}'],
  ['a filler only', '\u3164'],
  ['a line separator', 'Ac\u2028me'],
  ['a control', 'Ac\u0085me'],
];
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

describe('the name of an organization or a key', () => {
  test.each(HIDDEN)('is refused with %s by each RPC that takes one', async (_, text) => {
    const minted = await rpc<{ key_id: string }>(db.sql, owner, `mint_key('${org}', 'plain')`);
    await expectRpcError(rpc(db.sql, owner, `mint_key('${org}', ${literal(text)})`), 400, 'key.name');
    await expectRpcError(rpc(db.sql, owner, `rename_key('${minted.key_id}', ${literal(text)})`), 400, 'key.name');
    const renamed = rpc(db.sql, owner, `rename_organization('${org}', ${literal(text)})`);
    await expectRpcError(renamed, 400, 'organization.name');
    const started = rpc(db.sql, await person(db.sql), `start_session(${literal(text)})`);
    await expectRpcError(started, 400, 'organization.name');
    await expect(db.sql`select account.mint_key(${text}, 'pro')`).rejects.toThrow(/invisible characters|needs a name/);
    await expect(db.sql`select account.mint_key('plain', 'pro', ${text})`).rejects.toThrow(/invisible|needs a name/);
  });

  test.each(['Acme GmbH', 'Ångström & Söhne', '東京デスク', 'مكتب', 'ג׳ירף', 'हिन्दी', '🚀 Desk', '❤️', 'a 👍🏽'])(
    'may be %s',
    async (name) => {
      await rpc(db.sql, owner, `rename_organization('${org}', ${literal(name)})`);
      const [row] = await as(db.sql, owner, 'select name from api.my_organizations');
      expect(row?.name).toBe(name.normalize('NFC'));
    },
  );

  test('is stored trimmed and composed, so that equal names are equal', async () => {
    await rpc(db.sql, owner, `rename_organization('${org}', '  Ange\u0301le  ')`);
    const [row] = await as(db.sql, owner, 'select name from api.my_organizations');
    expect(row?.name).toBe('Ang\u00E9le');
  });

  test('is made from an e-mail address without the characters that a name may not have', async () => {
    const who = await person(db.sql);
    await db.sql`update auth.users set email = ${'de\u202Esk\u200B@example.com'} where id = ${who.id}`;
    expect(await rpc(db.sql, who, 'start_session()')).toMatchObject({ name: 'desk' });
  });

  test('keeps what was stored before', async () => {
    await db.sql`update account.organizations set name = ${'old\u202Ename'} where org_id = ${org}`;
    const [row] = await as(db.sql, owner, 'select name from api.my_organizations');
    expect(row?.name).toBe('old\u202Ename');
    await expect(rpc(db.sql, owner, `rename_organization('${org}', 'old\u202Ename')`)).rejects.toThrow(RpcError);
  });
});

test('base.strip_invisible removes every control, format character and separator of lines, and keeps all letters', async () => {
  const rows = await db.sql<{ code: number; kept: boolean }[]>`
    select c as code, base.strip_invisible(chr(c)) <> '' as kept
    from generate_series(1, 1114111) c
    where c not between 55296 and 57343`;
  // Fillers and selectors, which Unicode counts as letters and marks. U+2065 is not assigned.
  const also = new Set([0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x2065, 0x3164, 0xffa0]);
  const wrong = rows.filter(({ code, kept }) => {
    const character = String.fromCodePoint(code);
    return kept === (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character) || also.has(code));
  });
  expect(wrong.map(({ code }) => code.toString(16))).toEqual([]);
});
