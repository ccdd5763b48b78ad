// A process with several clients of the API: client.ts KEY CLIENTS TIMES BASE [BASE …]. It waits
// for a line on stdin, so that several processes begin together. At the end it prints the number of
// answers of each status.
const [key = '', clients = '1', times = '1', ...bases] = process.argv.slice(2);
console.log('ready');
await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.destroy();

const statuses: Record<number, number> = {};
async function client(place: number): Promise<void> {
  for (let time = 0; time < Number(times); time += 1) {
    const base = bases[(place + time) % bases.length];
    const answer = await fetch(`${base}/v2/markets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
    await answer.arrayBuffer();
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  }
}
await Promise.all(Array.from({ length: Number(clients) }, (_, place) => client(place)));
console.log(JSON.stringify(statuses));
