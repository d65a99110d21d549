/**
 * Prints the step that begins and returns a function that ends the line with the outcome and the duration. Prints to
 * stderr, because stdout belongs to the program that is started next.
 *
 * @param {string} step
 * @returns {(outcome: string) => void}
 */
export function announce(step) {
  const startedMs = performance.now()
  process.stderr.write(`${step} ... `)
  return (outcome) => process.stderr.write(`${outcome} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
}
