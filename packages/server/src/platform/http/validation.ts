import type { RefusalKind } from '@yardmaster/contract/problem'
import { refusalOf } from '@yardmaster/contract/sent'
import { z } from 'zod'
import { Refusal, refuse, refuseMissing } from '../refusal.ts'
import { exactly } from './json-body.ts'

/** The body of the request is wrong, whatever its path names. */
export class BodyRefusal extends Refusal {}

export function parseBody(schema: z.ZodType, body: unknown, label: RefusalKind = 'validation_failed'): unknown {
  const result = schema.safeParse(body)
  return result.success ? withExactObjects(result.data, body) : refuseBody(result.error, body, label)
}

/** An object that the schema passed on as it was sent is the caller's own: its integers stay as they were written. */
function withExactObjects(data: unknown, body: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const own = Object.entries(data).filter(
    ([key, value]) => typeof value === 'object' && value !== null && value === valueAt(body, [key]),
  )
  return own.length === 0 ? data : { ...data, ...Object.fromEntries(own.map(([key, value]) => [key, exactly(value)])) }
}

/** All ordinary problems together, or else the first value that a field refuses under a label of its own. */
function refuseBody({ issues }: z.ZodError, body: unknown, label: RefusalKind): never {
  const ordinary = issues.filter((issue) => refusalOf(issue) === undefined)
  const [first] = issues
  const kind = first && refusalOf(first)
  if (ordinary.length > 0 || !kind) throw new BodyRefusal(label, sentences(ordinary, body))
  throw new BodyRefusal(kind, [first.message])
}

export function parseQuery(schema: z.ZodType, query: unknown, label: RefusalKind = 'invalid_parameter'): unknown {
  const nested = namesWithBrackets(schema, query)
  if (nested.length > 0)
    return refuse(
      label,
      nested.map((name) => `${attributeName([name])} must be one value, without brackets`),
    )
  const result = schema.safeParse(query)
  if (!result.success) return refuse(label, sentences(result.error.issues, query))
  const unstorable = namesWithNul(query, result.data)
  if (unstorable.length === 0) return result.data
  const problems = unstorable.map((name) => `${attributeName([name])} must not hold a NUL character`)
  return refuse(label, problems)
}

/** The parameters of the schema that were sent as `page[]=1` or `page[a]=1`. Brackets in other names are the caller's own. */
function namesWithBrackets(schema: z.ZodType, query: unknown): string[] {
  const names = Object.keys(Object(query)).flatMap((name) => /^([^[\]]+)\[/.exec(name)?.[1] ?? [])
  return schema instanceof z.ZodObject ? names.filter((name) => Object.hasOwn(schema.shape, name)) : []
}

/** A path that does not match its schema answers 404. */
export function parseParams(schema: z.ZodType, params: unknown): unknown {
  const result = schema.safeParse(params)
  return result.success && namesWithNul(params, result.data).length === 0 ? result.data : refuseMissing()
}

/** PostgreSQL accepts no NUL in a text. Checks only keys the schema knows: the others are dropped. */
function namesWithNul(input: unknown, parsed: unknown): string[] {
  return Object.keys(Object(parsed)).filter((name) => String(valueAt(input, [name])).includes('\0'))
}

/** `Git root can't be blank`: the attribute's name, then its problem. */
function sentences(issues: readonly z.core.$ZodIssue[], input: unknown): string[] {
  return [...new Set(issues.map((issue) => `${attributeName(issue.path)} ${problemOf(issue, input)}`))]
}

/** `parent_session_id` reads as `Parent session`; an element of a list is named by its list. */
export function attributeName(path: readonly PropertyKey[]): string {
  const words = path
    .filter((part) => typeof part === 'string')
    .join(' ')
    .replace(/_id$/, '')
    .replaceAll('_', ' ')
  return words === '' ? 'Body' : words[0]?.toUpperCase() + words.slice(1)
}

function problemOf(issue: z.core.$ZodIssue, input: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined ? "can't be blank" : wrongType(issue.expected)
    case 'too_small':
      if (issue.origin === 'array') return `has too few entries (minimum is ${issue.minimum})`
      if (issue.origin !== 'string') return `must be greater than or equal to ${issue.minimum}`
      if (!isGeneric(issue.message)) return issue.message
      return issue.minimum === 1 ? "can't be blank" : `is too short (minimum is ${issue.minimum} characters)`
    case 'too_big':
      if (issue.origin === 'array') return `has too many entries (maximum is ${issue.maximum})`
      if (issue.origin !== 'string') return `must be less than or equal to ${issue.maximum}`
      return isGeneric(issue.message) ? `is too long (maximum is ${issue.maximum} characters)` : issue.message
    case 'invalid_value':
      return `must be one of: ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `has unknown keys: ${issue.keys.join(', ')}`
    default:
      return issue.message
  }
}

/** Whether the schema gave no sentence of its own, and this is the one of the library. */
function isGeneric(message: string): boolean {
  return /^Too (small|big): /.test(message)
}

const wrongTypes: Record<string, string> = {
  string: 'must be a string',
  number: 'is not a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  record: 'must be an object',
}

function wrongType(expected: string): string {
  return wrongTypes[expected] ?? `must be ${expected}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined),
    input,
  )
}
