/** What a rule's pattern has found, before anybody believes it. */
export type Candidate = {
  text: string
  /** Where the keyword stands. */
  start: number
  secretStart: number
  secretEnd: number
}

/** A hundred characters tell; more would let a text of nothing but keywords cost its square. */
export const longestLook = 100

export function beginningOf({ text, secretStart, secretEnd }: Candidate, length = longestLook): string {
  return text.slice(secretStart, Math.min(secretEnd, secretStart + length))
}
