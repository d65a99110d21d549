import { looksRandom } from './random-text.ts'
import type { NameKind } from './secret-names.ts'

/** How a value is written, which decides how much it must look like a secret. */
export type Writing = {
  /** In quotes, or a JSON string of its own. */
  isQuoted: boolean
  /** `NAME=value`: only a value can be there, so an ordinary word suffices. */
  isEnvironment: boolean
  /** The name starts its line, as in YAML. */
  isOwnLine: boolean
}

/**
 * Whether the value assigned to the name of a secret is the secret itself. Names such as `token` and `password` occur
 * in ordinary code and prose far more often than secrets do, so the value must look like one: the vaguer the name and
 * the more code-like the place, the more. Placeholders are excluded before.
 */
export function isSecretValue(value: string, kind: NameKind, writing: Writing): boolean {
  const { isQuoted, isEnvironment, isOwnLine } = writing
  if (value.length < shortest[kind] || isElsewhere(value)) return false
  if (/\s/.test(value)) return kind === 'passphrase' && isQuoted && /^[a-z]+(?: [a-z]+){3,}$/.test(value)
  if (kind === 'key' && !(value.length >= 16 && hasDigit(value) && looksRandom(value))) return false
  const isPassword = kind === 'password' || kind === 'passphrase'
  if (!hasLetter(value)) return isPassword ? isQuoted || isEnvironment : /^\d{20,}$/.test(value)
  if (isEnvironment && isPassword) return value.length >= 8 || hasDigit(value) || hasSymbol(value)
  if (!isQuoted && isCodePath(value)) {
    const isWordWithNumber = isOwnLine ? /^\w*\d\w*!?$/ : /^\w+\d{2}!?$/
    if (looksRandom(value.split(/[.?:!>-]/, 1)[0] ?? '')) return true
    return isPassword && isWordWithNumber.test(value) && !/pass|pwd/i.test(value)
  }
  if (kind === 'passphrase' && /^[a-z]+(?:[-_.][a-z]+){3,}$/.test(value)) return true
  if (isPassword) return (hasDigit(value) && hasLetter(value)) || hasSymbol(value) || looksRandom(value)
  if (isWordy(value)) return false
  if (isEnvironment) return hasDigit(value) || hasSymbol(value) || looksRandom(value)
  return looksRandom(value) || (value.length >= 16 && /\d.*\d.*\d/.test(value))
}

const shortest: Record<NameKind, number> = { password: 6, passphrase: 8, secret: 8, token: 10, key: 16 }

/** An address, a path or a handle: the secret is stored elsewhere. */
function isElsewhere(value: string): boolean {
  return (
    /^(?:\/[*/]|:|[a-z][a-z0-9+.-]{1,20}:\/\/|arn:aws|vault:|ssm:|sops:|env[:.]|file:|secrets?[/.:]|projects\/|ref\+|process\.env|os\.environ|import\.meta|sha(?:1|256|384|512)[-:]|urn:)/i.test(
      value,
    ) ||
    (/^(?:~|\.{0,2})\/[\w.@-]+(?:\/[\w.@-]*)*$/.test(value) && !hasLongRandomPiece(value))
  )
}

/** Standard base64 can start with a slash, like a path. */
function hasLongRandomPiece(value: string): boolean {
  return value.split('/').some((piece) => piece.length >= 16 && looksRandom(piece))
}

/** `user.password`, `getToken`, `config?.apiKey`. */
export function isCodePath(value: string): boolean {
  return codePath.test(value)
}

const codePath = /^[A-Za-z_$@&*!][\w$]*(?:(?:\.|\?\.|::|->|!\.)[A-Za-z_$][\w$]*)*[?!.]{0,2}$/

/** `db-credentials`, `my_token_v2`, `token/user/list`: words, and numbers short enough to count something. */
function isWordy(value: string): boolean {
  return (
    value
      .split(/[-_./: ]/)
      .every((piece) => /^(?:[A-Za-z]?[a-z]*|[A-Z]+|v?\d{1,4}|[A-Za-z]{2,}\d{1,2})$/.test(piece)) && !isHexGroups(value)
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

/** Characters that join names and words do not count. */
function hasSymbol(value: string): boolean {
  return /[^\w\s.:/,-]/.test(value)
}
