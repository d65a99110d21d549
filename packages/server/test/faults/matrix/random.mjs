/** A linear congruential generator: the same seed gives the same numbers. */
export function seededRandom(seed) {
  let state = (seed * 2_654_435_761) >>> 0
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  // Neighbouring seeds give similar first numbers, so the first four are dropped.
  for (let step = 0; step < 4; step += 1) next()
  return {
    /** A whole number from `from` up to, not including, `to`. */
    between: (from, to) => from + Math.floor(next() * (to - from)),
    pick: (choices) => choices[Math.floor(next() * choices.length)],
  }
}
