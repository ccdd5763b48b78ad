import type { Amendment, WireFields } from '../universe/question.ts';

/** A listing's fields at `t`, after its amendment. */
export function fieldsAt(fields: WireFields, amended: Amendment | undefined, t: number): WireFields {
  return amended && t >= amended.at ? { ...fields, ...amended.fields } : fields;
}
