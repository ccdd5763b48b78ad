import { inject } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin, dropDatabase } from '../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { testTemplate } from '../support/names.ts';

/** The server of all tests in place of one of its own: `house` is the template of every test, other names are databases made here. */
export function scratchOfTests(file: string): TemporaryPostgres {
  const { port, password, cluster } = inject('postgres');
  const admin = connectAdmin(cluster, 'postgres');
  const made: string[] = [];
  const nameOf = (name: string) => `bench_${file}_${name}`;
  return {
    cluster,
    password,
    admin,
    async create(name, from = 'house') {
      const own = nameOf(name);
      await cloneDatabase(admin, own, from === 'house' ? testTemplate : nameOf(from));
      made.push(own);
      return databaseUrl(port, 'postgres', password, own);
    },
    async stop() {
      for (const name of made) await dropDatabase(admin, name);
      await admin.end({ timeout: 2 });
    },
  };
}
