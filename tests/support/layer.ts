export type Layer = 'unit' | 'db' | 'system' | 'slow';

/** The layer of a test file, by its name (tests/README.md). */
export const layerOf = (file: string): Layer =>
  (/\.(db|system|slow)\.test\.ts$/.exec(file)?.[1] as Layer | undefined) ?? 'unit';
