/** A match of a rule, before it is verified. */
export type Candidate = {
  text: string
  /** The position of the keyword. */
  start: number
  secretStart: number
  secretEnd: number
}

/** 100 characters suffice. More would make a text of nothing but keywords cost quadratic time. */
export const maxInspectedLength = 100

export function beginningOf({ text, secretStart, secretEnd }: Candidate, length = maxInspectedLength): string {
  return text.slice(secretStart, Math.min(secretEnd, secretStart + length))
}
