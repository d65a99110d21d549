/**
 * One line that says what is under way and, at its end, how it went and how long it took. Goes to stderr: stdout
 * belongs to what comes after.
 *
 * @param {string} what
 * @returns {(how: string) => void}
 */
export function announce(what) {
  const startedMs = performance.now()
  process.stderr.write(`${what} ... `)
  return (how) => process.stderr.write(`${how} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
}
