declare module 'virtual:guides' {
  type Guide = import('./guide.ts').GuideEntry & { load(): Promise<import('./guide.ts').Block[]> };

  /** All guides in navigation order. `load` fetches the blocks of one guide. */
  export const guides: readonly Guide[];
}

declare module 'virtual:guide_texts' {
  /** The texts of all guides by section. */
  export const texts: readonly import('./guide.ts').SectionText[];
}
