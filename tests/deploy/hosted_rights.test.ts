import { expect, test } from 'vitest';
import { ownerStatements } from '../../local/deploy/hosted_rights.ts';

test('a comment on the policy of realtime.messages is reported with its line, in a function body as well', () => {
  const sql = `create function stream.install() returns void language plpgsql as $$
begin
  create policy "read" on realtime.messages for select to authenticated using (true);
  comment on policy "read" on realtime.messages is 'Who may read.';
end
$$;`;
  expect(ownerStatements(sql)).toEqual(['line 4: comment on policy']);
});

test('statements that a hosted project lets postgres run in the schema realtime are accepted', () => {
  const sql = `drop policy if exists "read" on realtime.messages;
create policy "read" on realtime.messages for select to authenticated using (true);
-- comment on policy "read" on realtime.messages is '…' needs supautils 3.4.0
comment on policy "own" on stream.channels is 'Not of the platform.';
delete from realtime.messages where inserted_at < now();
select realtime.send('{}', 'event', 'topic', true);`;
  expect(ownerStatements(sql)).toEqual([]);
});

test.each(['alter table realtime.messages enable row level security;', 'create index on realtime.messages (topic);'])(
  'a statement that needs the owner (%s) is reported',
  (sql) => expect(ownerStatements(sql)).toHaveLength(1),
);
