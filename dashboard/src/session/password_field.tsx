type PasswordFieldProps = {
  label: string;
  /** A new password has a least length, and password managers offer one. */
  isNew?: boolean;
  value: string;
  onInput(password: string): void;
};

export function PasswordField({ label, isNew = false, value, onInput }: PasswordFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        type="password"
        name={isNew ? 'new-password' : 'password'}
        autocomplete={isNew ? 'new-password' : 'current-password'}
        required
        minLength={isNew ? 8 : undefined}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {isNew && <small>At least 8 characters.</small>}
    </label>
  );
}
