import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { brokers, centrifugoConfig, nodeEnvironment, nodeOptions } from '../../local/platform/carrier/config.ts';
import { writeConfig } from '../../local/platform/carrier/nodes.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { centrifugoOrSkip } from '../support/centrifugo.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

// The configuration of Centrifugo against its own check, which knows every key.

const binary = centrifugoOrSkip('tests/carrier/config.system.test.ts');
const folder = temporaryFolder('centrifugo');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const node = { name: 'node-1' };
const cluster = (broker: string) => ({
  databaseUrl: 'postgres://parallax_carrier:secret-1@127.0.0.1:5432/postgres',
  proxySecret: 'secret-2',
  apiKey: 'secret-3',
  redis: broker === 'redis' ? { url: 'redis://127.0.0.1:6379', password: 'secret-4' } : undefined,
});
const options = (broker: (typeof brokers)[number]) => ({ broker, apiUrl: 'http://api:8000/api' });

const check = (file: string, env: Record<string, string>) => {
  const run = spawnSync(binary?.path ?? '', ['checkconfig', '--strict', '--config', file], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  return { status: run.status, output: run.stdout + run.stderr };
};

test.skipIf(!binary).each(brokers)(
  'Centrifugo accepts the configuration with the broker %s, and knows every key',
  (broker) => {
    const file = writeConfig(join(folder, broker), options(broker));
    expect(check(file, nodeEnvironment(node, cluster(broker)))).toEqual({ status: 0, output: '' });
    // The check fails for a key that it does not know, and where a secret is missing.
    const wrong = { ...centrifugoConfig(options(broker)), clients: { limit: 1 } };
    writeFileSync(join(folder, 'wrong.json'), JSON.stringify(wrong));
    expect(check(join(folder, 'wrong.json'), nodeEnvironment(node, cluster(broker))).status).toBe(1);
    expect(check(file, {}).output).toContain('CENTRIFUGO_VAR_STREAM_PROXY_SECRET');
  },
);

test.skipIf(!binary)('Centrifugo accepts the example for operators', () => {
  const file = join(repository, 'docs/centrifugo.json');
  expect(check(file, nodeEnvironment(node, cluster('postgres')))).toEqual({ status: 0, output: '' });
});

test('the example for operators is what npm start runs, with another address of the API', () => {
  expect(JSON.parse(readFileSync(join(repository, 'docs/centrifugo.json'), 'utf8'))).toEqual(
    centrifugoConfig(options('postgres')),
  );
});

test.each(brokers)(
  'the configuration with the broker %s has no secret, and lets clients do nothing but connect',
  (broker) => {
    const text = JSON.stringify(centrifugoConfig(options(broker)));
    expect(
      Object.values(nodeEnvironment(node, cluster(broker))).filter((value) => value.includes('secret-')),
    ).not.toEqual([]);
    expect(text).not.toMatch(/secret-|dsn|password|"key":"(?!X-Stream-(Proxy|Node)")/);
    expect(text).not.toMatch(/"(allow_(?!ed_origins)|insecure|http_headers|emulated_headers|admin)/);
  },
);

test('each node has its own name and ports, and a database connection of its own schema', () => {
  const env = nodeEnvironment(node, cluster('postgres'));
  expect(env).toMatchObject({
    CENTRIFUGO_NODE_NAME: 'node-1',
    CENTRIFUGO_VAR_NODE_NAME: 'node-1',
  });
  expect(nodeOptions({ name: 'node-1', wsPort: 8_001, internalPort: 9_001 })).toEqual([
    '--http_server.address=127.0.0.1',
    '--http_server.port=8001',
    '--http_server.internal_port=9001',
  ]);
  expect(new URL(env.CENTRIFUGO_BROKER_POSTGRES_DSN ?? '').searchParams.get('search_path')).toBe('centrifugo');
  expect(nodeEnvironment(node, cluster('redis')).CENTRIFUGO_BROKER_POSTGRES_DSN).toBeUndefined();
});
