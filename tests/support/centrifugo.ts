import { type CentrifugoBinary, findCentrifugo } from '../../local/platform/carrier/binary.ts';
import { findRedis, type RedisBinary } from '../../local/platform/carrier/redis.ts';

/** The Centrifugo program, or undefined after logging that `file` is skipped. */
export function centrifugoOrSkip(file: string): CentrifugoBinary | undefined {
  const found = findCentrifugo();
  if (!('missing' in found)) return found;
  console.log(`${file} is skipped: ${found.missing} (.ci/centrifugo builds it).`);
  return undefined;
}

/** The Redis server, or undefined after logging that tests of `file` are skipped. */
export function redisOrSkip(file: string): RedisBinary | undefined {
  const found = findRedis();
  if (!('missing' in found)) return found;
  console.log(`${file} is skipped in part: ${found.missing} (Debian package redis-server).`);
  return undefined;
}
