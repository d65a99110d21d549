import { limits } from '@yardmaster/contract/limits'
import { endOfString, mayHaveLargeIntegers, parseJson } from '../exact-json.ts'
import { refuse } from '../refusal.ts'

/**
 * Parses a request body. A value that passes can be stored and sent back: PostgreSQL accepts neither NUL nor a lone
 * surrogate, and a value nested too deeply breaks every later `JSON.stringify`. An empty body is `{}`, because real
 * clients send a JSON content type without a body.
 */
export function readJsonBody(bytes: Buffer): unknown {
  const text = utf8Text(bytes, 'invalid_json')
  return text.trim() === '' ? {} : readObject(text, 'The body')
}

/** For a field that takes its object as JSON text too. `what` begins the sentences of the refusals. */
export function readExactObject(text: string, what: string): object {
  return exactly(readObject(text, what))
}

function readObject(text: string, what: string): object {
  refuseCostlyStructure(text, what)
  const value = parse(text, what)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse('invalid_json', `${what} must be a JSON object`)
  }
  refuseUnstorable(value, what)
  if (mayHaveLargeIntegers(text)) rememberExact(value, parseJson(text))
  return value
}

/** The copy with exact integers of each object in a body. Only an object that a caller owns is read in this form. */
const exactCopies = new WeakMap<object, object>()

export function exactly(value: object): object {
  return exactCopies.get(value) ?? value
}

function rememberExact(value: unknown, exact: unknown): void {
  if (typeof value !== 'object' || value === null || typeof exact !== 'object' || exact === null) return
  exactCopies.set(value, exact)
  for (const key of Object.keys(value)) rememberExact(Reflect.get(value, key), Reflect.get(exact, key))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export function utf8Text(bytes: Buffer, refusal: 'invalid_json' | 'invalid_form'): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return refuse(refusal, 'The body is not valid UTF-8')
  }
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('invalid_json', `${what} is not valid JSON`)
  }
}

const structure = /["[\]{},]/g

/** A value has at most a name, a text, and a bracket at either end. More of them are no JSON, which is not read to the end either. */
const signsPerValue = 5

/** Counts on the text: the parser itself takes seconds for a million brackets. */
function refuseCostlyStructure(text: string, what: string): void {
  let depth = 0
  let values = 0
  let signs = 0
  structure.lastIndex = 0
  for (let match = structure.exec(text); match; match = structure.exec(text)) {
    const [sign] = match
    signs += 1
    if (sign === '"') structure.lastIndex = endOfString(text, structure.lastIndex)
    else if (sign === ']' || sign === '}') depth -= 1
    else {
      values += 1
      if (sign !== ',') depth += 1
    }
    if (values > limits.jsonValues || signs > limits.jsonValues * signsPerValue)
      refuse('invalid_json', `${what} holds more than ${limits.jsonValues} values`)
    if (depth > limits.jsonDepth) {
      refuse('invalid_json', `${what} is nested more than ${limits.jsonDepth} levels deep`)
    }
  }
}

function refuseUnstorable(value: unknown, what: string): void {
  if (typeof value === 'string') refuseUnstorableText(value, what)
  else if (typeof value === 'number' && !Number.isFinite(value))
    refuse('invalid_json', `${what} holds a number out of range`)
  else if (Array.isArray(value)) for (const each of value) refuseUnstorable(each, what)
  else if (typeof value === 'object' && value !== null) {
    for (const key of Object.keys(value)) {
      refuseUnstorableText(key, what)
      refuseUnstorable(Reflect.get(value, key), what)
    }
  }
}

function refuseUnstorableText(text: string, what: string): void {
  if (text.includes('\0')) refuse('invalid_json', `${what} holds a NUL character`)
  if (!text.isWellFormed()) refuse('invalid_json', `${what} holds half of a surrogate pair`)
}
