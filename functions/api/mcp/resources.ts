import { type Chapter, glossary } from '../contract/glossary.ts';

const chapters: Record<Chapter, { title: string; description: string }> = {
  signals: { title: 'Signals and gates', description: 'What arb and spread mean, and the four gates between them.' },
  bands: { title: 'Bands, relations and severities', description: 'How sure a match is, and how bad a risk.' },
  risks: { title: 'Settlement risk codes', description: 'Each code in settlement.risks, a sentence each.' },
};

const scheme = 'parallax://glossary/';
const mimeType = 'text/markdown';

export const resources = (Object.keys(chapters) as Chapter[]).map((name) => ({
  uri: scheme + name,
  name: `glossary_${name}`,
  ...chapters[name],
  mimeType,
  annotations: { audience: ['assistant' as const], priority: 0.5 },
}));

/** The text of a resource; undefined where there is none. */
export function readResource(uri: string): { uri: string; mimeType: string; text: string } | undefined {
  const found = resources.find((resource) => resource.uri === uri);
  if (!found) return undefined;
  const words = glossary[uri.slice(scheme.length) as Chapter];
  const lines = Object.entries(words).map(([word, meaning]) => `- \`${word}\`: ${meaning}`);
  return { uri, mimeType, text: [`# ${found.title}`, ...lines].join('\n') };
}
