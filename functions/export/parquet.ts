import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { COLUMNS, type ColumnType, type Dataset } from './columns.ts';

type Row = Record<string, unknown>;

/** How a type is stored, and the stored value of a JSON value that is not null. */
const STORED: Record<ColumnType, { element: Omit<SchemaElement, 'name'>; of(value: unknown): unknown }> = {
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, of: (value) => value },
  time: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    of: (value) => BigInt(Date.parse(String(value))) * 1_000n,
  },
  integer: { element: { type: 'INT64' }, of: (value) => BigInt(value as number) },
  number: { element: { type: 'DOUBLE' }, of: (value) => value },
  flag: { element: { type: 'BOOLEAN' }, of: (value) => value },
  json: { element: { type: 'BYTE_ARRAY', converted_type: 'JSON' }, of: (value) => value },
};

/** The rows of a part as a Parquet file. Every column may hold nulls. */
export function toParquet(dataset: Dataset, lines: string): ArrayBuffer {
  const rows = lines.split('\n').flatMap((line): Row[] => (line === '' ? [] : [JSON.parse(line)]));
  const columns = Object.entries(COLUMNS[dataset]);
  return parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(([name, type]) => ({ name, repetition_type: 'OPTIONAL' as const, ...STORED[type].element })),
    ],
    columnData: columns.map(([name, type]) => ({
      name,
      data: rows.map((row) => (row[name] == null ? null : STORED[type].of(row[name]))),
    })),
    createdBy: 'parallax',
  });
}
