import { secretNameKind } from './secret-names.ts'
import { isSecretValue, looksRandom } from './secret-value.ts'

/** What a rule's pattern has found, before anybody believes it. */
export type Candidate = {
  text: string
  /** Where the keyword stands. */
  start: number
  secretStart: number
  secretEnd: number
}

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
    const decoded = Buffer.from(text.slice(secretStart, secretEnd), 'base64').toString('latin1')
    return /^[\x20-\x7e\x80-\xff]*:[\x20-\x7e\x80-\xff]*$/.test(decoded) ? secretEnd : undefined
  },
  /** At least one of the cookies is long and random; `theme=dark` is nobody's secret. */
  cookies: (candidate) => {
    const values = beginningOf(candidate, longestCookies).split(/; |=/)
    return values.some((value) => value.length >= 12 && looksRandom(value)) ? candidate.secretEnd : undefined
  },
  assigned,
  /** `--token value` and `ENV TOKEN value`: only a blank in between, so what is before the name has to tell. */
  handed: (candidate) => {
    const { text, start } = candidate
    const nameStart = startOfName(text, start)
    const isHanded =
      text[nameStart] === '-' ||
      /(?:^|[\n+&;|] {0,4})(?:ENV|ARG|setx|set -[a-zA-Z]+) $/.test(text.slice(Math.max(0, nameStart - 24), nameStart))
    return isHanded ? assigned(candidate) : undefined
  },
} satisfies Record<string, (candidate: Candidate) => number | undefined>

export type Check = keyof typeof checks

/** A hundred characters tell; more would let a text of nothing but keywords cost its square. */
export const longestLook = 100
const longestCookies = 300

function beginningOf({ text, secretStart, secretEnd }: Candidate, length = longestLook): string {
  return text.slice(secretStart, Math.min(secretEnd, secretStart + length))
}

/** A value that is given to a name: the name must be a secret's, and the value look like one. */
function assigned({ text, start, secretStart, secretEnd }: Candidate): number | undefined {
  const nameStart = startOfName(text, start)
  const name = text.slice(nameStart, endOfName(text, start))
  const kind = secretNameKind(name) ?? secretNameKind(text.slice(startOfWordBefore(text, nameStart), nameStart) + name)
  if (kind === undefined) return undefined
  if (isPartOfAddress(text, nameStart, nameStart + name.length)) return undefined
  const isQuoted = '"\'`>'.includes(text[secretStart - 1] ?? ' ')
  const isEnvironment =
    text[secretStart - 1] === '>' || /^[A-Z][A-Z0-9_]*=["']?$/.test(text.slice(nameStart, secretStart))
  const value = text.slice(secretStart, Math.min(secretEnd, secretStart + longestLook))
  if (!isQuoted && isCode(value, text[secretEnd])) return undefined
  if (!isSecretValue(value, kind, { isQuoted, isEnvironment })) return undefined
  return isEnvironment && !isQuoted ? endOfEnvironmentValue(text, secretEnd) : secretEnd
}

/** `arn:...:secret:name` and `https://x-access-token:...@host`. */
function isPartOfAddress(text: string, nameStart: number, nameEnd: number): boolean {
  return /[:/]/.test(text[nameStart - 1] ?? '') && text[nameEnd] === ':' && /\S/.test(text[nameEnd + 1] ?? '')
}

const longestName = 64

function startOfName(text: string, start: number): number {
  let at = start
  while (at > 0 && start - at < longestName && isNamePart(text.charCodeAt(at - 1))) at--
  return at + lengthOfSequenceEnd(text, at, start)
}

/** The last letters of a colour code or of an escape stand before a name as if they were part of it. */
function lengthOfSequenceEnd(text: string, at: number, end: number): number {
  const ending = sequenceEnd.exec(text.slice(Math.max(0, at - 8), at))?.groups
  if (ending === undefined) return 0
  const rest = ending.colour !== undefined ? /^\d*[A-Za-z]/ : ending.escape !== undefined ? /^[nrt]/ : /^[0-9a-fA-F]{2}/
  return rest.exec(text.slice(at, end))?.[0].length ?? 0
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
const sequenceEnd = /(?:(?<colour>\x1b\[[0-9;]*)|(?<escape>\\)|(?<octet>%))$/

function endOfName(text: string, start: number): number {
  let at = start
  while (at < text.length && at - start < longestName && isNamePart(text.charCodeAt(at)) && text[at] !== '.') at++
  return at
}

/** A letter, a digit, or one of `_.-`. */
function isNamePart(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2e ||
    code === 0x2d
  )
}

/** `API key: ...`: what kind of key is said a blank earlier. */
function startOfWordBefore(text: string, nameStart: number): number {
  if (text[nameStart - 1] !== ' ') return nameStart
  let at = nameStart - 1
  while (at > 0 && nameStart - at < 16 && /[A-Za-z]/.test(text[at - 1] ?? '')) at--
  return at + lengthOfSequenceEnd(text, at, nameStart)
}

/** `getPassword()`, `input["token"]`, `user.password,`. */
function isCode(value: string, following: string | undefined): boolean {
  return (following === '(' || following === '[') && /^[\w$.?!]+$/.test(value) && !/\d.*\d.*\d/.test(value)
}

/** A line of an .env file ends at a blank: brackets, commas and semicolons belong to the password. */
function endOfEnvironmentValue(text: string, from: number): number {
  let at = from
  while (at < text.length && at - from < 256 && /[^\s"'`\\&|<>]/.test(text[at] ?? '')) at++
  return at
}
