/** Where a channel stands with us. `refused` is the server's word: this session may not hear it. */
export type Hearing = 'connecting' | 'listening' | 'lost' | 'refused';

export type Ears = {
  /** A broadcast, as it came. */
  heard(message: unknown): void;
  /** After each `listening` something may have been missed: nothing is kept for those who were away. */
  changed(hearing: Hearing, why?: string): void;
};

/** Whatever brings broadcasts: Realtime's socket, or a recording in the tests. */
export interface Listener {
  /** Listens until the answer is called. */
  listen(channel: string, ears: Ears): () => void;
}
