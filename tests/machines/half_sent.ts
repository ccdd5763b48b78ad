import pg from 'pg';

/**
 * A program: sends a flush, which locks the lease of a shard, but not the message that ends it
 * (Sync), as when the network is cut between two packets of it. `DATABASE_URL`, `LEASE_NAME`.
 */
const client = new pg.Client({ connectionString: process.env.DATABASE_URL ?? '' });
client.on('error', () => {});
await client.connect();
const { connection } = client as unknown as { connection: Record<string, (message?: object) => void> };
connection.parse?.({ text: `select pipeline.apply_books($1::text::jsonb, '[]'::jsonb)`, types: [] });
connection.bind?.({ values: [JSON.stringify({ [process.env.LEASE_NAME ?? '']: 1 })] });
connection.execute?.({ portal: '', rows: 0 });
setInterval(() => {}, 60_000);
