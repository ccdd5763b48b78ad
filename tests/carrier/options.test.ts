import { expect, test } from 'vitest';
import { permissionsOf } from '../../local/platform/functions/environment.ts';
import { readOptions } from '../../local/platform/supervisor/options.ts';

const carrierOf = (...args: string[]) => {
  const options = readOptions(args, {});
  return options === 'help' ? undefined : options.carrier;
};

test('npm start carries the stream by the function stream, or by Centrifugo with two nodes on Postgres', () => {
  expect(carrierOf()).toEqual({ kind: 'embedded' });
  expect(carrierOf('--carrier', 'embedded')).toEqual({ kind: 'embedded' });
  expect(carrierOf('--carrier', 'centrifugo')).toEqual({ kind: 'centrifugo', nodes: 2, broker: 'postgres' });
  expect(carrierOf('--carrier', 'centrifugo', '--nodes', '8', '--broker', 'redis')).toEqual({
    kind: 'centrifugo',
    nodes: 8,
    broker: 'redis',
  });
});

test.each<[args: string[], sentence: RegExp]>([
  [['--carrier', 'nats'], /--carrier takes embedded or centrifugo, not "nats"/],
  [['--nodes', '2'], /--nodes applies to --carrier centrifugo only/],
  [['--broker', 'redis'], /--broker applies to --carrier centrifugo only/],
  [['--carrier', 'embedded', '--nodes', '2'], /--nodes applies to --carrier centrifugo only/],
  [['--carrier', 'centrifugo', '--nodes', '0'], /--nodes must be a whole number from 1 to 8, not "0"/],
  [['--carrier', 'centrifugo', '--nodes', '9'], /--nodes must be a whole number from 1 to 8, not "9"/],
  [['--carrier', 'centrifugo', '--nodes', '1.5'], /--nodes must be a whole number/],
  [['--carrier', 'centrifugo', '--broker', 'nats'], /--broker takes postgres or redis, not "nats"/],
  [['--carrier', 'centrifugo', '--hosted-limits'], /--carrier centrifugo and --hosted-limits exclude each other/],
])('npm start refuses %j', (args, sentence) => {
  expect(() => readOptions(args, {})).toThrow(sentence);
});

test('functions/api may reach the server API of every node', () => {
  const env = { CENTRIFUGO_NODES: 'node-1=http://127.0.0.1:9001,node-2=http://10.0.0.2:9000', CRON_KEY: 'a,b' };
  expect(permissionsOf('api', env).net).toEqual(['127.0.0.1:9001', '10.0.0.2:9000']);
});
