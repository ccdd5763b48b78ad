import { GLOSSARY, type GlossaryTopic } from '../contract/glossary.ts';

const TOPICS: Record<GlossaryTopic, { title: string; description: string }> = {
  signals: { title: 'Signals and gates', description: 'What arb and spread mean, and the four gates between them.' },
  bands: { title: 'Bands, relations and severities', description: 'How sure a match is, and how bad a risk.' },
  risks: { title: 'Settlement risk codes', description: 'Each code in settlement.risks, a sentence each.' },
};

const GLOSSARY_URI = 'parallax://glossary/';
const MIME_TYPE = 'text/markdown';

export const resources = (Object.keys(TOPICS) as GlossaryTopic[]).map((name) => ({
  uri: GLOSSARY_URI + name,
  name: `glossary_${name}`,
  ...TOPICS[name],
  mimeType: MIME_TYPE,
  annotations: { audience: ['assistant' as const], priority: 0.5 },
}));

/** The text of a resource; undefined where there is none. */
export function readResource(uri: string): { uri: string; mimeType: string; text: string } | undefined {
  const found = resources.find((resource) => resource.uri === uri);
  if (!found) return undefined;
  const words = GLOSSARY[uri.slice(GLOSSARY_URI.length) as GlossaryTopic];
  const lines = Object.entries(words).map(([word, meaning]) => `- \`${word}\`: ${meaning}`);
  return { uri, mimeType: MIME_TYPE, text: [`# ${found.title}`, ...lines].join('\n') };
}
