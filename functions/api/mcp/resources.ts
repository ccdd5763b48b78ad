import { GLOSSARY, type GlossaryTopic } from '../contract/glossary.ts';

const TOPICS: Record<GlossaryTopic, { title: string; description: string }> = {
  signals: { title: 'Signals and gates', description: 'Meaning of arb and spread, and the four gates between them.' },
  bands: { title: 'Bands, relations and severities', description: 'Certainty of a match, and severity of a risk.' },
  risks: { title: 'Settlement risk codes', description: 'Each code in settlement.risks, one sentence each.' },
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

/** The text of a resource; undefined for an unknown URI. */
export function readResource(uri: string): { uri: string; mimeType: string; text: string } | undefined {
  const found = resources.find((resource) => resource.uri === uri);
  if (!found) return undefined;
  const entries = GLOSSARY[uri.slice(GLOSSARY_URI.length) as GlossaryTopic];
  const lines = Object.entries(entries).map(([term, meaning]) => `- \`${term}\`: ${meaning}`);
  return { uri, mimeType: MIME_TYPE, text: [`# ${found.title}`, ...lines].join('\n') };
}
