// The command line behind the npm scripts: `tsx local/cli.ts NAME [options]`.
import { type Command, runCommand } from './command.ts';

/** Each command is loaded only when it is called, so `key` does not load what `check` imports. */
const commands: Record<string, () => Promise<Command>> = {
  start: () => import('./commands/start.ts'),
  key: () => import('./commands/key.ts'),
  plan: () => import('./commands/set_plan.ts'),
  match: () => import('./commands/match.ts'),
  backtest: () => import('./commands/backtest.ts'),
  why: () => import('./commands/explain.ts'),
  review: () => import('./commands/review.ts'),
  probe: () => import('./commands/probe.ts'),
  deploy: () => import('./commands/deploy.ts'),
  'cli-stack': () => import('./commands/cli_stack.ts'),
  check: () => import('./commands/check.ts'),
  'format:sql': () => import('./commands/format_sql.ts'),
  'lint:sql': () => import('./commands/lint_sql.ts'),
  migration: () => import('./commands/migration.ts'),
  manifest: () => import('./commands/rights_manifest.ts'),
  licences: () => import('./commands/licences.ts'),
  registry: () => import('./commands/registry.ts'),
  client: () => import('./commands/client_types.ts'),
  examples: () => import('./commands/examples.ts'),
  'eval:matching': () => import('./commands/eval_matching.ts'),
};

async function run(name: string, args: readonly string[]): Promise<number> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load) return await runCommand(await load(), args, console);
  console.error(`Unknown command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
  return 2;
}

const [name = '', ...args] = process.argv.slice(2);
const code = await run(name, args);
// A failed start exits at once, even with open handles.
if (name === 'start' && code !== 0) process.exit(code);
process.exitCode = code;
