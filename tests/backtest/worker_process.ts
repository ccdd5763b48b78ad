// Runs the backtest in a process of its own until it is killed: tsx worker_process.ts DATABASE_URL
// LISTENING_JSON. The test kills it with SIGKILL.
import type { ListeningInfo } from '../../local/venue_simulator/serve.ts';
import { openBacktester } from './fixture.ts';

const [url = '', listening = ''] = process.argv.slice(2);
const tester = await openBacktester({ listening: JSON.parse(listening) as ListeningInfo }, { url: () => url });
const { role } = await tester.start();
setInterval(() => process.stdout.write(`${role.pages}\n`), 20);
