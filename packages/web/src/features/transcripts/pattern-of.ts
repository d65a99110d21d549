/** A pattern of a longer text may be refused. */
const maxLength = 5_000

/** Finds a phrase in any case, at its places in the text itself: a lower-case copy may have another length, as that of `İ` has. */
export function patternOf(phrase: string): RegExp {
  return new RegExp(phrase.slice(0, maxLength).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu')
}
