type CodeFieldProps = { value: string; onInput(code: string): void; focus?: boolean };

/** The field for the six digits of an authenticator app. */
export function CodeField({ value, onInput, focus = false }: CodeFieldProps) {
  return (
    <label class="field code-field">
      <span>Code of your authenticator app</span>
      <input
        class="input mono"
        name="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="[0-9]{6}"
        title="Six digits"
        maxLength={6}
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        {...(focus ? { autofocus: true } : {})}
      />
    </label>
  );
}
