import { GLOSSARY } from '../../../functions/api/contract/glossary.ts';
import { SENTENCES } from '../../../functions/api/contract/reasons.ts';
import type { MarketExplanation } from './frames.ts';

// Reason codes of the service as sentences.

type Gate = MarketExplanation['gates'][number];

export const gateNames: Record<Gate['gate'], string> = {
  band: 'Both venues ask the same question',
  parity: 'Settled pairs of this rule agreed',
  risk: 'No high or critical settlement risk',
  priced: 'Both venues have a price for every outcome',
};

const risks: Readonly<Record<string, string>> = GLOSSARY.risks;

function sentenceOf(code: string): string {
  const known = SENTENCES[code] ?? SENTENCES[code.replace(/^priced\./, '')];
  if (known) return known;
  const risk = /^risk\.(.*)$/.exec(code)?.[1];
  if (risk?.startsWith('cancel_')) return 'High or critical risk: a cancellation pays differently.';
  if (risk && risks[risk])
    return `High or critical risk: ${risks[risk].charAt(0).toLowerCase()}${risks[risk].slice(1)}`;
  return `${code.replace(/[._]/g, ' ')}.`;
}

/** The codes of a closed gate as sentences. A code without a sentence is written with spaces. */
export const reasonText = (reason: string | null): string =>
  reason ? reason.split(', ').map(sentenceOf).join(' ') : '';

/** A code such as `postponement_window` as a heading. */
export function codeText(code: string): string {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
