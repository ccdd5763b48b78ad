/** Inline content of a guide. A string is text; no value is markup. */
export type Inline =
  | string
  | { type: 'code'; text: string }
  | { type: 'strong' | 'em' | 'del'; content: Inline[] }
  | { type: 'link'; href: string; content: Inline[] }
  | { type: 'break' };

export type CodeBlock = { type: 'code'; language: string; text: string };

export type Block =
  | { type: 'paragraph'; content: Inline[] }
  | { type: 'heading'; level: number; id: string; content: Inline[] }
  | CodeBlock
  /** The same example in several languages, shown as tabs. */
  | { type: 'samples'; samples: CodeBlock[] }
  | { type: 'list'; start: number | null; items: Block[][] }
  | { type: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { type: 'quote'; content: Block[] }
  | { type: 'rule' };

/** A section of a guide, for the navigation. */
export type GuideSection = { id: string; title: string; level: number };

/** The text of a section, a line for each paragraph, item and row, for the search. */
export type SectionText = { slug: string; guide: string; id: string; title: string; lines: string[] };

export type GuideEntry = { slug: string; title: string; sections: GuideSection[] };

/** A parsed guide. `blocks` do not include the title. */
export type Guide = GuideEntry & { blocks: Block[]; texts: SectionText[] };
