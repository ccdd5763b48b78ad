import type { Reference } from './document.ts';
import type { GuideEntry } from './guide.ts';
import { guidePath, REFERENCE_PATH } from './paths.ts';

export type Entry = {
  href: string;
  title: string;
  /** HTTP method, of an endpoint. */
  method?: string;
  /** A section of the guide above it. */
  isNested?: boolean;
  isCurrent?: boolean;
};

export type Group = { title: string; entries: Entry[] };

type Location = {
  guide: GuideEntry | undefined;
  /** Id of the section at the scroll position. */
  current: string;
};

/**
 * All guides with the sections of the open one, then the chapters and endpoints of the reference.
 */
export function contentsOf(
  guides: readonly GuideEntry[],
  reference: Reference | undefined,
  { guide, current }: Location,
): Group[] {
  const entries = guides.flatMap((one): Entry[] => {
    const page = { href: guidePath(one.slug), title: one.title, isCurrent: one.slug === guide?.slug };
    if (one.slug !== guide?.slug) return [page];
    const sections = one.sections.filter(({ level }) => level === 2);
    return [
      page,
      ...sections.map(({ id, title }) => ({ href: `#${id}`, title, isNested: true, isCurrent: id === current })),
    ];
  });
  return [{ title: 'Guides', entries }, ...referenceGroups(reference, guide === undefined, current)];
}

function referenceGroups(reference: Reference | undefined, isOpen: boolean, current: string): Group[] {
  if (!reference)
    return isOpen ? [] : [{ title: 'API reference', entries: [{ href: REFERENCE_PATH, title: 'API reference' }] }];
  // On the page itself a link is an anchor, so that the browser does not leave the page.
  const base = isOpen ? '' : REFERENCE_PATH;
  const { chapters, sections } = reference;
  const groups: { title: string; items: { id: string; title: string; method?: string }[] }[] = [
    { title: 'API reference', items: chapters },
    ...sections.map((section) => ({
      title: section.title,
      items: section.endpoints.map(({ id, method, operation }) => ({ id, title: operation.summary, method })),
    })),
  ];
  return groups
    .map(({ title, items }) => ({
      title,
      entries: items.map(({ id, title: name, method }) => ({
        href: `${base}#${id}`,
        title: name,
        ...(method && { method }),
        isCurrent: isOpen && id === current,
      })),
    }))
    .filter(({ entries }) => entries.length > 0);
}
