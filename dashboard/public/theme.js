// Before anything is drawn: a reader who chose light or dark against the system does not see the other first.
try {
  const chosen = localStorage.getItem('parallax.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the system decides.
}
