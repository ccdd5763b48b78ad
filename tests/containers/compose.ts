import { parse } from 'yaml';

export type ComposeService = {
  command: string[];
  environment: Record<string, string>;
  env_file: string;
  healthcheck: { test: string[] };
  stop_grace_period: string;
  ports?: string[];
} & Record<string, unknown>;

/** The services of compose.yaml. Variables are replaced by their default. */
export function readCompose(text: string): Record<string, ComposeService> {
  const { services } = parse(text.replace(/\$\{\w+:-([^}]*)\}/g, "'$1'"), { merge: true }) as {
    services: Record<string, ComposeService>;
  };
  return services;
}

export const secondsOf = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1]);
