type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [value: string, name: string])[];
  /** The text of the empty value. Null: one of the options always holds. */
  all?: string | null;
  onChange(value: string): void;
};

/** A filter with a list of values. */
export function Choice({ label, value, options, all = `${label}: all`, onChange }: ChoiceProps) {
  // A link may name a value that no row has. It stays selected, so that the empty list is
  // explained.
  const known: ChoiceProps['options'] =
    value === '' || options.some(([one]) => one === value) ? options : [[value, value], ...options];
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {all !== null && <option value="">{all}</option>}
      {known.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}
