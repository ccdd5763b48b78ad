import { z } from 'zod';
import { named } from './fields.ts';

export const reportReceipt = named(
  'Received',
  z.strictObject({ status: z.literal('received').describe('Always `received`.') }).describe('The report is stored.'),
);
