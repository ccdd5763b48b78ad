type EmailFieldProps = { value: string; onInput(email: string): void };

/** The e-mail address of an account, by which password managers know it. */
export function EmailField({ value, onInput }: EmailFieldProps) {
  return (
    <label class="field">
      <span>E-mail</span>
      <input
        class="input"
        type="email"
        name="email"
        autocomplete="username"
        required
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
