import { inject } from 'vitest';
import { databaseUrl } from '../../local/platform/postgres/postgres.ts';
import { cloneDatabase, connectAdmin, dropDatabase } from '../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { TEST_TEMPLATE } from '../support/names.ts';

/**
 * The Postgres server of the tests as a TemporaryPostgres. `template_db` is the template of the
 * test databases. Other names are databases that this object created.
 */
export function scratchOfTests(file: string): TemporaryPostgres {
  const { port, password, cluster } = inject('postgres');
  const admin = connectAdmin(cluster, 'postgres');
  const created: string[] = [];
  const nameOf = (name: string) => `bench_${file}_${name}`;
  return {
    cluster,
    password,
    admin,
    async create(name, from = 'template_db') {
      const database = nameOf(name);
      await cloneDatabase(admin, database, from === 'template_db' ? TEST_TEMPLATE : nameOf(from));
      created.push(database);
      return databaseUrl(port, 'postgres', password, database);
    },
    async stop() {
      for (const name of created) await dropDatabase(admin, name);
      await admin.end({ timeout: 2 });
    },
  };
}
