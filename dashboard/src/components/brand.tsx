/** Logo and name, linked to `/`. */
export function Brand() {
  return (
    <a class="brand" href="/">
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <path d="M4 26 16 6l4 7-8 13z" fill="var(--venue-a)" />
        <path d="M28 26 20 13l-4 7 4 6z" fill="var(--venue-b)" />
      </svg>
      <span>Parallax</span>
    </a>
  );
}
