import type { RunQuery } from './database.ts';
import type { Broadcast } from './frames.ts';
import { envelopeOf } from './frames.ts';
import { bodyOf } from './hub.ts';
import type { Row } from './replication.ts';

export type Replayed = { id: string; broadcast: Broadcast };

const MAX_REPLAYED = 25;

/** The newest private messages of a topic since `sinceMs` (epoch ms), oldest first, at most 25. */
export async function readReplay(ask: RunQuery, topic: string, sinceMs: number, limit: number): Promise<Replayed[]> {
  const rows = await ask<Row>(
    `select m.id::text, m.event, m.payload::text, m.binary_payload::text
     from realtime.messages m
     where m.topic = $1
       and m.private is true
       and m.extension = 'broadcast'
       and m.inserted_at >= to_timestamp($2::double precision / 1000) at time zone 'UTC'
     order by m.inserted_at desc
     limit $3::integer`,
    [topic, sinceMs, Math.min(Math.max(limit, 1), MAX_REPLAYED)],
  );
  return rows.reverse().flatMap((row) => {
    const body = bodyOf(row);
    if (!row.id || !row.event || !body) return [];
    const head = { topic, event: row.event, meta: { id: row.id, replayed: true as const } };
    // Replayed JSON is a text frame, unlike live JSON.
    const broadcast: Broadcast =
      'json' in body ? { kind: 'whole', topic, json: envelopeOf(head, body) } : { kind: 'user', ...head, body };
    return [{ id: row.id, broadcast }];
  });
}
