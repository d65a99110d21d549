import { beginningOf, type Candidate } from './candidate.ts'
import { looksRandom } from './random-text.ts'
import { type NameKind, secretNameKind } from './secret-names.ts'
import { isCodePath, isSecretValue, type Writing } from './secret-value.ts'

/** The end of a value assigned to a name, if the name is that of a secret and the value looks like one. */
export function endOfAssigned(candidate: Candidate): number | undefined {
  const { text, start, secretStart } = candidate
  const written = beginningOf(candidate)
  if (isPlainWord(written) && !isMaybeVariable(text, start, secretStart)) return undefined
  const nameStart = startOfName(text, start)
  const nameEnd = endOfName(text, start)
  const kind = kindOfName(text, nameStart, nameEnd)
  if (kind === undefined || isPartOfAddress(text, nameStart, nameEnd)) return undefined
  const between = text.slice(nameEnd, secretStart)
  if (between.includes(',') && (kind === 'key' || isInList(text, nameStart, nameEnd))) return undefined

  const isQuoted = /["'`>]$/.test(between)
  if (!isQuoted && isCall(written, text[candidate.secretEnd])) return undefined
  const isEnvironment = between === '>' || (/^=["']?$/.test(between) && isVariable(text, nameStart, nameEnd))
  const isOwnLine = !isQuoted && !isEnvironment && isFirstInLine(text, nameStart)
  const writing = { isQuoted, isEnvironment, isOwnLine }
  const secretEnd = endOfValue(candidate, written, writing)
  const value = beginningOf({ ...candidate, secretEnd })
  if (isFolder(text.slice(nameStart, nameEnd), value)) return undefined
  return isSecretValue(value, kind, writing) ? secretEnd : undefined
}

/** `PWD` is a password in a connection string, and the working directory in a shell. */
function isFolder(name: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(name) && value.startsWith('/')
}

/** `--token value` and `ENV TOKEN value`: only a blank separates them, so the text before the name decides. */
export function endOfArgument(candidate: Candidate): number | undefined {
  const { text, start } = candidate
  const nameStart = startOfName(text, start)
  const before = text.slice(Math.max(0, nameStart - 24), nameStart)
  const isHanded = text[nameStart] === '-' || /(?:^|[\n+&;|] {0,4})(?:ENV|ARG|setx|set -[a-zA-Z]+) $/.test(before)
  return isHanded ? endOfAssigned(candidate) : undefined
}

/**
 * Quick check for the most common values: `string`, `required`, `user.password`. Passphrases contain blanks or symbols.
 */
function isPlainWord(value: string): boolean {
  return /^[A-Za-z.,:_/]*$/.test(value) && !looksRandom(value)
}

/** Only after `NAME=` and `<name>` can an ordinary word be the secret. */
function isMaybeVariable(text: string, start: number, secretStart: number): boolean {
  return text[secretStart - 1] === '>' || /[A-Z_]/.test(text[start] ?? '')
}

const longestName = 64

function startOfName(text: string, start: number): number {
  let at = start
  while (at > 0 && start - at < longestName && isNamePart(text.charCodeAt(at - 1))) at--
  return at + lengthOfSequenceEnd(text, at, start)
}

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

/** The last letters of a colour code or of an escape directly precede a name, as if they were part of it. */
function lengthOfSequenceEnd(text: string, at: number, end: number): number {
  const ending = sequenceEnd.exec(text.slice(Math.max(0, at - 8), at))?.groups
  if (ending === undefined) return 0
  const rest = ending.colour !== undefined ? /^\d*[A-Za-z]/ : ending.escape !== undefined ? /^[nrt]/ : /^[0-9a-fA-F]{2}/
  return rest.exec(text.slice(at, end))?.[0].length ?? 0
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
const sequenceEnd = /(?:(?<colour>\x1b\[[0-9;]*)|(?<escape>\\)|(?<octet>%))$/

/** In `API key` the word before the blank gives the kind of key. Before other names a word has no meaning. */
function kindOfName(text: string, nameStart: number, nameEnd: number): NameKind | undefined {
  const name = text.slice(nameStart, nameEnd)
  const kind = secretNameKind(name)
  if (kind !== undefined || text[nameStart - 1] !== ' ' || name.toLowerCase() !== 'key') return kind
  const owner = /[A-Za-z]{1,16} $/.exec(text.slice(Math.max(0, nameStart - 17), nameStart))?.[0] ?? ''
  return secretNameKind(owner + name) === 'secret' ? 'secret' : undefined
}

/** `arn:...:secret:name` and `https://x-access-token:...@host`. */
function isPartOfAddress(text: string, nameStart: number, nameEnd: number): boolean {
  return /[:/]/.test(text[nameStart - 1] ?? '') && text[nameEnd] === ':' && /\S/.test(text[nameEnd + 1] ?? '')
}

/** `set("password", "...")` assigns a value to a name; `['user.password', '*.token']` does not. */
function isInList(text: string, nameStart: number, nameEnd: number): boolean {
  return !/["'`]/.test(text[nameStart - 1] ?? '') || text.slice(nameStart, nameEnd).includes('.')
}

function isVariable(text: string, nameStart: number, nameEnd: number): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text.slice(nameStart, nameEnd))
}

/** Only indentation, a line number, or the sign of a list or a diff precedes it. */
function isFirstInLine(text: string, nameStart: number): boolean {
  return /(?:^|\n)[ \t]{0,20}(?:\d{1,6}[→:|\t])?[ \t]{0,20}[-+]?[ \t]{0,20}["']?$/.test(
    text.slice(Math.max(0, nameStart - 50), nameStart),
  )
}

/** `getPassword()`, `input["token"]`. */
function isCall(value: string, following: string | undefined): boolean {
  return (following === '(' || following === '[') && isCodePath(value) && !looksRandom(value.split('.', 1)[0] ?? '')
}

/**
 * On a line of its own a value ends at a blank, and may contain characters that end it elsewhere. An `&` starts the
 * next query parameter or command only if a name or another `&` follows.
 */
function endOfValue({ text, secretEnd }: Candidate, written: string, writing: Writing): number {
  if (writing.isQuoted) return secretEnd
  const isLine = writing.isEnvironment || (writing.isOwnLine && !isCodePath(written))
  const rest = isLine ? restOfLine : restOfWord
  rest.lastIndex = secretEnd
  return rest.test(text) ? rest.lastIndex : secretEnd
}

const restOfLine = /(?:[^\0-\x20"'`\\|<>&]|&(?!&|[\w.-]{1,40}=)){1,256}/y
const restOfWord = /&(?!&|[\w.-]{1,40}=)[^\0-\x20"'`\\,;&|<>(){}[\]]{1,64}/y
