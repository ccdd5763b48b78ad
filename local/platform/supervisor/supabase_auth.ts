import { join } from 'node:path';
import { admitToAuth, admitToDataApi, type ProjectKeys } from '../auth/gotrue/admission.ts';
import { type AuthBinary, requireAuthBinary } from '../auth/gotrue/binary.ts';
import { admitAuthRole, createAuthSchema, migrateAuth } from '../auth/gotrue/database.ts';
import { type MailCatcher, startMailCatcher } from '../auth/gotrue/mail_catcher.ts';
import { spawnAuth, untilAuthServes } from '../auth/gotrue/process.ts';
import type { AuthSettings } from '../auth/gotrue/settings.ts';
import { publicKeys } from '../auth/gotrue/signing_keys.ts';
import type { Backend } from '../gateway/gateway.ts';
import { type Cluster, databaseUrl, freePort } from '../postgres/postgres.ts';
import { connectAdmin, type TemplateOptions } from '../postgres/template.ts';
import type { DataFolder } from './data_folder.ts';
import { Service } from './service.ts';
import { backendOf, restService, type ServiceContext } from './services.ts';

/** Supabase Auth of a stack (`--auth gotrue`): its program, its port and its mails. */
export class SupabaseAuth {
  readonly #binary: AuthBinary;
  readonly #data: DataFolder;
  readonly #siteUrl: string;
  readonly #port: number;
  readonly #mails: MailCatcher;

  private constructor(data: DataFolder, siteUrl: string, port: number, mails: MailCatcher) {
    this.#binary = requireAuthBinary();
    this.#data = data;
    this.#siteUrl = siteUrl;
    this.#port = port;
    this.#mails = mails;
  }

  static async prepare(data: DataFolder, siteUrl: string, printLine: (line: string) => void): Promise<SupabaseAuth> {
    const mails = await startMailCatcher(join(data.path, 'mails'), (path) => printLine(`mail               ${path}`));
    return new SupabaseAuth(data, siteUrl, await freePort(), mails);
  }

  /** The JWKS document of the sessions, for Realtime. */
  get jwks(): string {
    return JSON.stringify(publicKeys(this.#data.signingKeys()));
  }

  /** Schema `auth` of the template: Auth's own tables. */
  templateOptions(cluster: Cluster): TemplateOptions {
    return {
      makeAuth: async (admin, name) => {
        await createAuthSchema(admin);
        await this.migrate(cluster, name);
      },
    };
  }

  /** Applies the migrations that the tables lack, such as those of a newer program. */
  async migrate(cluster: Cluster, database: string): Promise<void> {
    const admin = connectAdmin(cluster, database);
    try {
      await admitAuthRole(admin, database, this.#data.secrets.supabase_auth_admin);
    } finally {
      await admin.end();
    }
    await migrateAuth(this.#binary, this.#settings(cluster, database));
  }

  /** Auth itself, and lite as the Data API. */
  services(context: ServiceContext, database: string): { auth: Service; rest: Service; backends: AuthBackends } {
    const { secrets } = context.data;
    const settings = this.#settings(context.cluster, database);
    const keys: ProjectKeys = {
      jwtSecret: secrets.jwt,
      signingKeys: settings.signingKeys,
      roles: new Map([
        [secrets.publishable, 'anon'],
        [secrets.secret, 'service_role'],
      ]),
    };
    const auth = new Service(
      {
        name: 'auth',
        spawn: () => context.log('auth').collect(spawnAuth(this.#binary, settings, 'pipe')),
        ready: async (child) => {
          await untilAuthServes(child, this.#port);
          return `/auth/v1 (Supabase Auth ${this.#binary.version})`;
        },
      },
      context.events,
    );
    const rest = restService(context);
    const address = { host: '127.0.0.1', port: this.#port };
    return {
      auth,
      rest: rest.service,
      backends: {
        auth: {
          name: 'Auth',
          address,
          untilUp: (milliseconds) => auth.untilUp(milliseconds),
          admit: admitToAuth(keys),
        },
        rest: { ...backendOf('REST', rest), admit: admitToDataApi(keys) },
      },
    };
  }

  stop(): Promise<void> {
    return this.#mails.stop();
  }

  #settings(cluster: Cluster, database: string): AuthSettings {
    const { secrets } = this.#data;
    return {
      databaseUrl: databaseUrl(cluster.port, 'supabase_auth_admin', secrets.supabase_auth_admin, database),
      port: this.#port,
      siteUrl: this.#siteUrl,
      jwtSecret: secrets.jwt,
      signingKeys: this.#data.signingKeys(),
      smtpPort: this.#mails.port,
      confirmsEmail: false,
    };
  }
}

export type AuthBackends = { auth: Backend; rest: Backend };
