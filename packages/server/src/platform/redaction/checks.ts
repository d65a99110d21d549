import { endOfAssigned, endOfHanded } from './assigned-value.ts'
import { beginningOf, type Candidate } from './candidate.ts'
import { looksRandom } from './random-text.ts'

/** The checks a rule may name. Each answers where the secret ends, or nothing when it is none. */
export const checks = {
  /** The value has no words in it. For patterns that ordinary identifiers could meet. */
  random: (candidate) => (looksRandom(beginningOf(candidate)) ? candidate.secretEnd : undefined),
  /** A digit or a sign somewhere. For what follows an unmistakable introduction, which prose uses too. */
  opaque: (candidate) => {
    const value = beginningOf(candidate)
    return /[^A-Za-z.,:_-]/.test(value) || looksRandom(value) ? candidate.secretEnd : undefined
  },
  /** Base64 of `user:password`. */
  userAndPassword: ({ text, secretStart, secretEnd }) => {
    const decoded = Buffer.from(text.slice(secretStart, secretEnd), 'base64').toString('utf8')
    return decoded.length >= 5 && /^[^\p{Cc}\ufffd:]*:[^\p{Cc}\ufffd]*$/u.test(decoded) ? secretEnd : undefined
  },
  /** At least one of the cookies is long and random; `theme=dark` is nobody's secret. */
  cookies: (candidate) => {
    const values = beginningOf(candidate, longestCookies).split(/; |=/)
    return values.some((value) => value.length >= 12 && looksRandom(value)) ? candidate.secretEnd : undefined
  },
  /** The name before it is a secret's, and the value looks like one. */
  assigned: endOfAssigned,
  /** The same with only a blank in between: `--token value`. */
  handed: endOfHanded,
} satisfies Record<string, (candidate: Candidate) => number | undefined>

export type Check = keyof typeof checks

const longestCookies = 300
