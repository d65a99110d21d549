import { endOfArgument, endOfAssigned } from './assigned-value.ts'
import { beginningOf, type Candidate } from './candidate.ts'
import { looksRandom } from './random-text.ts'

/** The checks a rule may name. Each returns the end of the secret, or undefined if there is none. */
export const checks = {
  /** The value contains no words. For patterns that ordinary identifiers could match. */
  random: (candidate) => (looksRandom(beginningOf(candidate)) ? candidate.secretEnd : undefined),
  /** The value contains a digit or a symbol. For values after an unambiguous introduction that prose uses too. */
  opaque: (candidate) => {
    const value = beginningOf(candidate)
    return /[^A-Za-z.,:_-]/.test(value) || looksRandom(value) ? candidate.secretEnd : undefined
  },
  /** A list of keys that an operator chose. One may be made of words, but not of code: `keys.map` and `string[]`. */
  keyList: (candidate) => {
    const value = beginningOf(candidate)
    return /\d/.test(value) || (/[-_,]/.test(value) && !/[.]/.test(value)) || looksRandom(value)
      ? candidate.secretEnd
      : undefined
  },
  /** Base64 of `user:password`. */
  userAndPassword: ({ text, secretStart, secretEnd }) => {
    const decoded = Buffer.from(text.slice(secretStart, secretEnd), 'base64').toString('utf8')
    return decoded.length >= 5 && /^[^\p{Cc}\ufffd:]*:[^\p{Cc}\ufffd]*$/u.test(decoded) ? secretEnd : undefined
  },
  /** At least one of the cookies is long and random; `theme=dark` is not a secret. */
  cookies: (candidate) => {
    const values = beginningOf(candidate, longestCookies).split(/; |=/)
    return values.some((value) => value.length >= 12 && looksRandom(value)) ? candidate.secretEnd : undefined
  },
  /** The name before it is that of a secret, and the value looks like one. */
  assigned: endOfAssigned,
  /** The same with only a blank as the separator: `--token value`. */
  handed: endOfArgument,
} satisfies Record<string, (candidate: Candidate) => number | undefined>

export type Check = keyof typeof checks

const longestCookies = 300
