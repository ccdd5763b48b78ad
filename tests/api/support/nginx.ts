import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { freePort } from '../../../local/platform/postgres/postgres.ts';
import { temporaryFolder } from '../../support/temporary_folder.ts';
import { waitUntil } from '../../support/wait_until.ts';

const PROGRAM = '/usr/sbin/nginx';

/** Whether nginx is here. Without it, prints that `file` is skipped. */
export function hasNginx(file: string): boolean {
  if (existsSync(PROGRAM)) return true;
  console.warn(`${file} is skipped: nginx is missing (apt-get install nginx)`);
  return false;
}

/**
 * nginx with docs/nginx.conf in front of the API at `apiPort`, and a second cache in front of the
 * same API that keeps all that the headers allow, on every path and for every method.
 */
export class Nginx {
  readonly #folder = temporaryFolder('nginx');
  readonly #child: ChildProcess;
  #output = '';
  /** The addresses of both. */
  readonly base: string;
  readonly obedientBase: string;

  private constructor(apiPort: number, port: number, obedientPort: number) {
    this.base = `http://127.0.0.1:${port}`;
    this.obedientBase = `http://127.0.0.1:${obedientPort}`;
    for (const folder of ['cache', 'obedient', 'temporary']) mkdirSync(join(this.#folder, folder));
    writeFileSync(join(this.#folder, 'example.conf'), this.#example(apiPort, port));
    writeFileSync(join(this.#folder, 'nginx.conf'), this.#main(obedientPort));
    this.#child = spawn(PROGRAM, ['-p', this.#folder, '-c', join(this.#folder, 'nginx.conf'), '-e', 'stderr'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.#output += piece.toString();
      });
  }

  static async start(apiPort: number): Promise<Nginx> {
    const nginx = new Nginx(apiPort, await freePort(), await freePort());
    await waitUntil(async () => (await fetch(`${nginx.base}/functions/v1/api/health`)).ok, {
      what: 'nginx answers',
      failed: () => nginx.#child.exitCode !== null && 'nginx ended',
      evidence: () => nginx.#output,
    });
    return nginx;
  }

  /** The entries of the cache of docs/nginx.conf. */
  entries(): string[] {
    return this.#filesOf('cache');
  }

  /** The entries of the other cache. */
  obedientEntries(): string[] {
    return this.#filesOf('obedient');
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null) {
      const gone = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #filesOf(cache: string): string[] {
    return readdirSync(join(this.#folder, cache), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  }

  /** docs/nginx.conf with the ports and the folder of this test. */
  #example(apiPort: number, port: number): string {
    const changes = {
      '/var/cache/nginx/parallax ': `${join(this.#folder, 'cache')} `,
      'server 127.0.0.1:8000;': `server 127.0.0.1:${apiPort};`,
      'listen 127.0.0.1:8080;': `listen 127.0.0.1:${port};`,
    };
    return Object.entries(changes).reduce(
      (text, [from, to]) => {
        if (text.split(from).length !== 2) throw new Error(`docs/nginx.conf must have "${from}" once`);
        return text.replace(from, to);
      },
      readFileSync(join(repository, 'docs/nginx.conf'), 'utf8'),
    );
  }

  #main(obedientPort: number): string {
    const folder = (name: string) => join(this.#folder, name);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder(`temporary/${name}`)};`)
      .join('\n  ');
    return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder('nginx.pid')};
events { worker_connections 512; }
http {
  access_log off;
  ${temporary}
  include ${folder('example.conf')};
  proxy_cache_path ${folder('obedient')} keys_zone=obedient:1m use_temp_path=off;
  server {
    listen 127.0.0.1:${obedientPort};
    location / {
      proxy_pass http://parallax_api;
      proxy_set_header Host $host;
      proxy_cache obedient;
      proxy_cache_methods GET HEAD POST;
      proxy_ignore_headers Vary;
      add_header X-Cache-Status $upstream_cache_status always;
    }
  }
}
`;
  }
}
