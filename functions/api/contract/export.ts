import { z } from 'zod';
import { EXPORT_DATASETS, EXPORT_FORMATS } from '../vocabulary.ts';
import { count, named, time } from './fields.ts';

const file = named(
  'ExportFile',
  z
    .strictObject({
      dataset: z.enum(EXPORT_DATASETS).describe('The data set of its rows.'),
      format: z.enum(EXPORT_FORMATS).describe('`ndjson`: gzipped, one JSON object a line. `parquet`: with Snappy.'),
      name: z.string().describe('Its name, unique within the day: `updates-05-0001.parquet`.'),
      rows: count.describe('Its rows. The files of one name have the same rows in both formats.'),
      bytes: count.describe('Its size.'),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe('SHA-256 of its bytes, in hex.'),
      url: z.url().describe('Where to download it until `expires_at`, without a key. Keep it secret.'),
    })
    .describe('One file: a part of a data set.'),
);

export const exportedDay = named(
  'ExportedDay',
  z
    .strictObject({
      day: z.iso.date().describe('The UTC day.'),
      published_at: time.describe('When the last file was stored. The files do not change after it.'),
      purged_hours: z
        .array(z.int().min(0).max(23))
        .describe('Hours whose price updates were partly or wholly deleted before they were exported. Normally empty.'),
      expires_at: time.describe('Until when the addresses work, an hour. Ask again for new ones.'),
      files: z.array(file).describe('By data set, format and name. Read all files of a data set together.'),
    })
    .describe('The exported files of one day.'),
);
