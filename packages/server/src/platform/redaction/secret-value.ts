import type { NameKind } from './secret-names.ts'

/** How a value is written down, which says how much it must look like a secret to be one. */
export type Writing = {
  /** Between quotes, or a JSON string of its own. */
  isQuoted: boolean
  /** `NAME=value`: nothing but a value stands there, so an ordinary word will do. */
  isEnvironment: boolean
}

/**
 * Whether the value given to a secret's name is the secret itself. Names such as `token` and `password` stand in
 * ordinary code and prose far more often than a secret does, so the value has to look the part: more so the vaguer the
 * name and the more code-like the place. Placeholders are sorted out before.
 */
export function isSecretValue(value: string, kind: NameKind, { isQuoted, isEnvironment }: Writing): boolean {
  if (value.length < shortest[kind] || isElsewhere(value)) return false
  if (/\s/.test(value)) return kind === 'passphrase' && isQuoted && /^[a-z]+(?: [a-z]+){3,}$/.test(value)
  if (kind === 'key') return value.length >= 16 && hasDigit(value) && looksRandom(value)
  const isPassword = kind === 'password' || kind === 'passphrase'
  if (/^\d+$/.test(value)) return isPassword ? isQuoted || isEnvironment : value.length >= 20
  if (isEnvironment && isPassword) return value.length >= 8 || hasDigit(value) || hasSymbol(value)
  if (!isQuoted && isCodePath.test(value)) return looksRandom(value) || (isPassword && /\d{2}!?$/.test(value))
  if (kind === 'passphrase' && /^[a-z]+(?:[-_.][a-z]+){3,}$/.test(value)) return true
  if (isPassword) return (hasDigit(value) && hasLetter(value)) || hasSymbol(value) || looksRandom(value)
  if (isWordy(value)) return false
  if (isEnvironment) return hasDigit(value) || hasSymbol(value) || looksRandom(value)
  return looksRandom(value) || (value.length >= 16 && hasDigit(value) && hasLetter(value))
}

const shortest: Record<NameKind, number> = { password: 6, passphrase: 8, secret: 8, token: 10, key: 16 }

/**
 * Random text changes its kind of character all the time: capitals, small letters and digits come in pieces of one to
 * three, few of which can be spoken. Words, also in `camelCase2` and `kebab-case-9`, come in longer ones.
 */
export function looksRandom(value: string): boolean {
  if (value.length < 8) return false
  let pieces = 0
  let spoken = 0
  let digits = 0
  let start = 0
  for (let at = 1; at <= value.length; at++) {
    const kind = kindOf(value.charCodeAt(at - 1))
    if (kind === 'digit') digits++
    if (at < value.length && isOnePiece(kind, kindOf(value.charCodeAt(at)), at - start)) continue
    pieces++
    if (isSpoken(value, start, at)) spoken += at - start
    start = at
  }
  return value.length / pieces <= (digits > 0 ? 3 : 2.4) || spoken * 2 < value.length
}

type Kind = 'small' | 'capital' | 'digit' | 'sign'

function kindOf(code: number): Kind {
  if (code >= 0x61 && code <= 0x7a) return 'small'
  if (code >= 0x41 && code <= 0x5a) return 'capital'
  return code >= 0x30 && code <= 0x39 ? 'digit' : 'sign'
}

/** A word may begin with a capital. */
function isOnePiece(kind: Kind, next: Kind, length: number): boolean {
  return kind === next || (kind === 'capital' && next === 'small' && length === 1)
}

/** Three letters and more, with a vowel among them and never five consonants in a row. */
function isSpoken(value: string, start: number, end: number): boolean {
  if (end - start < 3) return false
  let vowels = 0
  let consonants = 0
  for (let at = start; at < end; at++) {
    const letter = value.charCodeAt(at) | 0x20
    if (letter < 0x61 || letter > 0x7a) return false
    if (
      letter === 0x61 ||
      letter === 0x65 ||
      letter === 0x69 ||
      letter === 0x6f ||
      letter === 0x75 ||
      letter === 0x79
    ) {
      vowels++
      consonants = 0
    } else if (++consonants === 5) return false
  }
  return vowels > 0
}

/** An address, a path or a handle: the secret is kept somewhere else. */
function isElsewhere(value: string): boolean {
  return (
    /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|arn:aws|vault:|ssm:|sops:|env[:.]|file:|secrets?[/.:]|projects\/|ref\+|process\.env|os\.environ|import\.meta|sha(?:1|256|384|512)[-:]|urn:)/i.test(
      value,
    ) ||
    (/^(?:~|\.{0,2})\/[\w.@-]+(?:\/[\w.@-]*)*$/.test(value) && !hasLongRandomPiece(value))
  )
}

/** Standard base64 can begin with a slash, as a path does. */
function hasLongRandomPiece(value: string): boolean {
  return value.split('/').some((piece) => piece.length >= 16 && looksRandom(piece))
}

/** `user.password`, `getToken`, `config?.apiKey`. */
const isCodePath = /^[A-Za-z_$@&*!][\w$]*(?:(?:\.|\?\.|::|->|!\.)[A-Za-z_$][\w$]*)*[?!]?$/

/** `db-credentials`, `my_token_v2`, `token/user/list`: words, and numbers short enough to count something. */
function isWordy(value: string): boolean {
  return (
    value.split(/[-_./: ]/).every((piece) => /^(?:[A-Za-z]?[a-z]*|[A-Z]+|v?\d{1,4}|[a-z]{2,}\d{1,2})$/.test(piece)) &&
    !isHexGroups(value)
  )
}

/** A UUID can consist of pieces that look like short words and numbers. */
function isHexGroups(value: string): boolean {
  return /^[0-9a-fA-F-]{20,}$/.test(value)
}

function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

function hasLetter(value: string): boolean {
  return /[A-Za-z]/.test(value)
}

/** What names and words are joined by does not count. */
function hasSymbol(value: string): boolean {
  return /[^\w\s.:/,-]/.test(value)
}
