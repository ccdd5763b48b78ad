export const themes = ['System', 'Light', 'Dark'] as const;
export type Theme = (typeof themes)[number];

const STORAGE_KEY = 'parallax.theme';

/** The theme chosen on this device. public/theme.js applies it before the first paint. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === 'light' ? 'Light' : stored === 'dark' ? 'Dark' : 'System';
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'System') {
    localStorage.removeItem(STORAGE_KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(STORAGE_KEY, theme.toLowerCase());
    document.documentElement.dataset.theme = theme.toLowerCase();
  }
}
