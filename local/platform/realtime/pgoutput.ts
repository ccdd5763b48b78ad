// What the plugin pgoutput (protocol 1, text) says of a change, as far as it is needed here: the tables' columns, and inserted rows.
// https://www.postgresql.org/docs/17/protocol-logicalrep-message-formats.html

/** Columns by name, as Postgres prints them; null for null. */
export type Row = Record<string, string | null>;

type Relation = { schema: string; table: string; columns: string[] };

/** Reads a walk through one buffer. */
class Cursor {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  number16(): number {
    this.#at += 2;
    return this.#bytes.readUInt16BE(this.#at - 2);
  }

  number32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  /** Up to a zero byte. */
  name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const found = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return found;
  }

  text(length: number): string {
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }
}

/** Follows one stream of changes: a table is described once, before its first row. */
export class ChangeReader {
  readonly #relations = new Map<number, Relation>();

  /** The inserted row and its table, or undefined for any other message. */
  read(message: Buffer): { schema: string; table: string; row: Row } | undefined {
    const kind = String.fromCharCode(message[0] ?? 0);
    if (kind === 'R') this.#describe(new Cursor(message, 1));
    return kind === 'I' ? this.#inserted(new Cursor(message, 1)) : undefined;
  }

  #describe(cursor: Cursor): void {
    const id = cursor.number32();
    const relation: Relation = { schema: cursor.name(), table: cursor.name(), columns: [] };
    // How old rows are identified: there are none here.
    cursor.byte();
    for (let left = cursor.number16(); left > 0; left--) {
      cursor.byte();
      relation.columns.push(cursor.name());
      // Type and its modifier.
      cursor.number32();
      cursor.number32();
    }
    this.#relations.set(id, relation);
  }

  #inserted(cursor: Cursor): { schema: string; table: string; row: Row } | undefined {
    const relation = this.#relations.get(cursor.number32());
    if (!relation) return undefined;
    // 'N': a new row follows.
    cursor.byte();
    const row: Row = {};
    const count = cursor.number16();
    for (let index = 0; index < count; index++) {
      const name = relation.columns[index] ?? '';
      row[name] = String.fromCharCode(cursor.byte()) === 't' ? cursor.text(cursor.number32()) : null;
    }
    return { schema: relation.schema, table: relation.table, row };
  }
}
