import type { Route, Services } from '../app_types.ts';
import { sampleDocs } from '../contract/docs.ts';
import { respondPublic } from '../respond_public.ts';
import { SampleReader, sampleCacheControl } from '../sample.ts';

const readers = new WeakMap<Services, SampleReader>();

/** At most 20 markets at the REST snapshot, the same for everyone, without a key. */
export const getSample: Route = {
  method: 'GET',
  path: '/v2/sample',
  isPublic: true,
  docs: sampleDocs,
  async handle(c) {
    const { cached, asOf, expiresAt } = await readerOf(c.var.services).read(c.var.requestId);
    const cacheControl = sampleCacheControl(expiresAt - performance.now());
    return await respondPublic(c, cached, cacheControl, { 'X-As-Of': asOf });
  },
};

function readerOf(services: Services): SampleReader {
  const reader = readers.get(services) ?? new SampleReader(services.queries);
  readers.set(services, reader);
  return reader;
}
