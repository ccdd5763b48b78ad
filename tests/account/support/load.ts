// A process that asks for admission as fast as it can: load.ts URL KEY_HASH TIMES CONNECTIONS. It
// waits for a line on stdin, so that several processes begin together. At the end it prints
// window_used of each admitted request and the number of rejected requests.
import postgres from 'postgres';

const [url = '', hash = '', times = '0', connections = '4'] = process.argv.slice(2);
const sql = postgres(url, {
  max: Number(connections),
  prepare: false,
  fetch_types: false,
  onnotice: () => {},
});
await sql`select 1`;
console.log('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();

type Answer = { code: string | null; window_used: number };
const answers = await Promise.all(
  Array.from({ length: Number(times) }, async () => {
    const rows = await sql.unsafe<Answer[]>(
      `select code, window_used from account.admit(decode('${hash}', 'hex'), true, 1, 1)`,
    );
    return rows[0] ?? { code: 'nothing', window_used: 0 };
  }),
);
await sql.end();
const passed = answers.filter((answer) => answer.code === null).map((answer) => answer.window_used);
const rejected = answers.filter((answer) => answer.code === 'rate.window').length;
console.log(JSON.stringify({ passed, rejected }));
