// Runs before the first paint, so that a chosen theme does not flash in the other one. The policy forbids inline scripts.
try {
  const theme = localStorage.getItem('yardmaster.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage can be disabled; the system's theme applies then.
}
