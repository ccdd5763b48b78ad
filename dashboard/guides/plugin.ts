import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import type { Guide } from '../src/docs/guide.ts';
import { parseGuide, titleOf } from './parse.ts';
import { guideFiles } from './table.ts';

const INDEX = 'virtual:guides';
const TEXTS = 'virtual:guide_texts';
const GUIDE = 'virtual:guide_';

const guidesFolder = resolve(import.meta.dirname, '../../docs');
export function readGuides(): Guide[] {
  const sources = guideFiles.map(({ slug, file }) => ({
    slug,
    file,
    markdown: readFileSync(join(guidesFolder, file), 'utf8'),
  }));
  const links = new Map(
    sources.map(({ slug, file, markdown }) => [file, { path: `/docs/${slug}/`, title: titleOf(markdown) }]),
  );
  return sources.map(({ slug, markdown }) => parseGuide(slug, markdown, links));
}

/**
 * Provides the guides as modules: `virtual:guides` has titles and sections of all guides, and loads
 * the blocks of one guide from a chunk of its own. `virtual:guide_texts` has the texts of all
 * guides for the search.
 */
export function guidesPlugin(): Plugin {
  let guides: Guide[] = [];
  return {
    name: 'guides',
    buildStart() {
      guides = readGuides();
      for (const { file } of guideFiles) this.addWatchFile(join(guidesFolder, file));
    },
    resolveId: (id) => (id === INDEX || id.startsWith(GUIDE) ? id : undefined),
    load(id) {
      if (id === INDEX) return indexModule(guides);
      if (id === TEXTS) return `export const texts = ${JSON.stringify(guides.flatMap(({ texts }) => texts))};`;
      const guide = id.startsWith(GUIDE) && guides.find(({ slug }) => id === GUIDE + slug);
      return guide ? `export const blocks = ${JSON.stringify(guide.blocks)};` : undefined;
    },
  };
}

function indexModule(guides: readonly Guide[]): string {
  const entries = guides.map(({ slug, title, sections }) => {
    const entry = { slug, title, sections };
    const load = `load: async () => (await import(${JSON.stringify(GUIDE + entry.slug)})).blocks`;
    return `{ ...${JSON.stringify(entry)}, ${load} }`;
  });
  return `export const guides = [${entries.join(',\n')}];`;
}

/** Copies the documentation to the path of each guide, with the guide's title. */
export function copyToGuides(folder: string): void {
  const document = join(folder, 'docs', 'index.html');
  const html = readFileSync(document, 'utf8');
  for (const { slug, title } of readGuides()) {
    mkdirSync(join(folder, 'docs', slug), { recursive: true });
    writeFileSync(
      join(folder, 'docs', slug, 'index.html'),
      html.replace(/<title>[^<]*/, `<title>${escapeHtml(title)} · Parallax`),
    );
  }
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
