type TypedConfirmationProps = { expected: string; value: string; onInput(text: string): void };

/** The field of a dialog that asks for a text before something is deleted for good. */
export function TypedConfirmation({ expected, value, onInput }: TypedConfirmationProps) {
  return (
    <label class="field">
      <span>
        Type <strong>{expected}</strong> to confirm
      </span>
      <input
        class="input"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
