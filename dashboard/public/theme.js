// Applies the chosen theme before the first paint, so that the other theme does not flash.
try {
  const chosen = localStorage.getItem('parallax.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the system setting applies.
}
