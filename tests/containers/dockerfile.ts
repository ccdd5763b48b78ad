import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import {
  Cmd,
  Copy,
  DockerfileParser,
  Entrypoint,
  Env,
  From,
  Healthcheck,
  type JSONInstruction,
  Run,
  User,
  Workdir,
} from 'dockerfile-ast';

/** A Dockerfile of one stage, as this project has it. Other instructions are refused. */
export type Image = {
  base: string;
  user: string;
  workdir: string;
  env: Record<string, string>;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
  steps: Step[];
};

/** What a build does to the file system, in order. `env` is the environment so far. */
export type Step =
  | { do: 'copy'; from: string[]; to: string }
  | { do: 'run'; argv: string[]; env: Record<string, string> };

const WITHOUT_EFFECT_HERE = ['LABEL', 'EXPOSE', 'STOPSIGNAL'];

export function readImage(text: string): Image {
  const image: Image = {
    ...{ base: '', user: '', workdir: '/', env: {}, steps: [] },
    ...{ entrypoint: [], command: [], healthcheck: [] },
  };
  for (const one of DockerfileParser.parse(text).getInstructions()) {
    if (one instanceof From) image.base = one.getImage() ?? '';
    else if (one instanceof Workdir) image.workdir = one.getArgumentsContent() ?? '';
    else if (one instanceof User) image.user = one.getArgumentsContent() ?? '';
    else if (one instanceof Env)
      for (const property of one.getProperties()) image.env[property.getName()] = property.getValue() ?? '';
    else if (one instanceof Copy) {
      const paths = one.getArguments().map((argument) => argument.getValue());
      image.steps.push({ do: 'copy', from: paths.slice(0, -1), to: paths.at(-1) ?? '' });
    } else if (one instanceof Run) image.steps.push({ do: 'run', argv: argvOf(one), env: { ...image.env } });
    else if (one instanceof Entrypoint) image.entrypoint = argvOf(one);
    else if (one instanceof Healthcheck) image.healthcheck = jsonAfter(one.getRawArgumentsContent() ?? '', 'CMD');
    else if (one instanceof Cmd) image.command = argvOf(one);
    else if (!WITHOUT_EFFECT_HERE.includes(one.getKeyword()))
      throw new Error(`The test cannot execute ${one.getKeyword()}.`);
  }
  return image;
}

/** The JSON form as it is written, the other form as Docker passes it to the shell. */
function argvOf(instruction: JSONInstruction): string[] {
  const strings = instruction.getJSONStrings();
  if (strings.length > 0) return strings.map((one) => one.getJSONValue());
  return ['/bin/sh', '-c', instruction.getRawArgumentsContent()?.replace(/\\\n/g, '') ?? ''];
}

const jsonAfter = (text: string, keyword: string): string[] =>
  JSON.parse(text.slice(text.indexOf(keyword) + keyword.length)) as string[];

/** The paths of a build context that .dockerignore leaves: the test knows `*` and `!name` only. */
export function contextOf(dockerignore: string): string[] {
  const lines = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = lines;
  if (first !== '*' || others.some((line) => !/^![\w./]+$/.test(line)))
    throw new Error('The test understands a .dockerignore of "*" and lines of "!name" only.');
  return others.map((line) => line.slice(1));
}

export type Build = {
  context: string;
  /** The folder that is the root of the image's file system. */
  root: string;
  /** The folder with the base image's `deno`. */
  bin: string;
  /** Wraps a command, for another user. */
  as(argv: readonly string[]): string[];
  /** Called after each COPY. */
  afterCopy(): void;
  /** Environment of this machine's network, which a build in Docker has as well. */
  env: Readonly<Record<string, string>>;
};

/** Executes the steps of the image in `root`. Returns the output of each RUN. */
export function build(image: Image, dockerignore: string, options: Build): string[] {
  const allowed = contextOf(dockerignore);
  const outputs: string[] = [];
  mkdirSync(join(options.root, image.workdir), { recursive: true });
  options.afterCopy();
  for (const step of image.steps) {
    if (step.do === 'copy') {
      for (const from of step.from) copy(from, step.to, image, allowed, options);
      options.afterCopy();
    } else outputs.push(run(step, image, options));
  }
  return outputs;
}

function copy(from: string, to: string, image: Image, allowed: readonly string[], { context, root }: Build): void {
  if (!allowed.some((path) => from === path || from.startsWith(`${path}/`)))
    throw new Error(`COPY ${from} fails: .dockerignore leaves it out of the build.`);
  const target = join(root, isAbsolute(to) ? '' : image.workdir, to, to.endsWith('/') ? from : '');
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(context, from), target, { recursive: true });
}

function run(step: Extract<Step, { do: 'run' }>, image: Image, options: Build): string {
  const [program = '', ...args] = options.as(step.argv);
  const result = spawnSync(program, args, {
    cwd: join(options.root, image.workdir),
    env: { ...options.env, PATH: pathOf(options), ...inside(step.env, image, options.root) },
    encoding: 'utf8',
    timeout: 120_000,
  });
  const output = `${result.stdout}${result.stderr}`;
  if (result.status !== 0) throw new Error(`RUN ${step.argv.join(' ')} ended with ${result.status}:\n${output}`);
  return output;
}

export const pathOf = ({ bin }: Pick<Build, 'bin'>): string => `${bin}:/usr/bin:/bin`;

/** Paths of the image as paths of this machine. */
export function inside(env: Readonly<Record<string, string>>, image: Image, root: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.startsWith(`${image.workdir}/`) ? join(root, value) : value,
    ]),
  );
}

export const readText = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
