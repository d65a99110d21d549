// Runs before the first paint, so that a chosen theme does not flash in the other one. The policy forbids inline scripts.
try {
  for (const name of ['theme', 'times']) {
    const chosen = localStorage.getItem(`yardmaster.${name}`)
    if (chosen) document.documentElement.dataset[name] = chosen
  }
} catch {
  // Storage can be disabled; the defaults apply then.
}
