import type { JsonObject } from '@yardmaster/contract/json'
import { ExactInteger, writeJson } from '../../platform/exact-json.ts'
import { truncate } from '../../platform/truncate.ts'

/**
 * What does not fit in an answer, a sentence each. Checks what forms can ask for: an object of strings, numbers, booleans and
 * choices. A keyword outside of that is not checked, `pattern` on purpose: a hostile expression could block the host.
 */
export function problemsWith(content: JsonObject | null, schema: JsonObject | null): string[] {
  if (schema === null) return []
  const values = content ?? {}
  const properties = objectOf(schema.properties)
  const required = listOf(schema.required).filter((name) => typeof name === 'string')
  const missing = required.filter((name) => !Object.hasOwn(values, name)).map((name) => `${name} can't be blank`)
  const unknown =
    schema.additionalProperties === false ? Object.keys(values).filter((name) => !Object.hasOwn(properties, name)) : []
  const wrong = Object.entries(values).flatMap(([name, value]) => {
    const problem = Object.hasOwn(properties, name) ? checkOf(objectOf(properties[name]))(value) : undefined
    return problem === undefined ? [] : `${name} ${problem}`
  })
  return [...missing, ...unknown.map((name) => `${name} is not a field of the form`), ...wrong]
}

type Check = (value: unknown) => string | undefined

/** Reads the field once: the entries of a list share one check, so that a long list of choices is not read for each of them. */
function checkOf(field: JsonObject): Check {
  const types = [field.type].flat()
  const isOffered = choiceCheck(field)
  const problemOfNumber = numberCheck(field)
  const problemOfList = listCheck(field)
  return (value) => {
    if (field.type !== undefined && !types.some((type) => isOfType(value, type)))
      return `must be ${types.map((type) => typeNames[written(type)] ?? written(type)).join(' or ')}`
    const notOffered = isOffered?.(value)
    if (notOffered !== undefined) return notOffered
    if (typeof value === 'string') return problemOfText(value, field)
    if (typeof value === 'number' || value instanceof ExactInteger) return problemOfNumber(value)
    if (Array.isArray(value)) return problemOfList(value)
    return undefined
  }
}

/** As text for a sentence. JSON instead of `String`: a schema is written by the asker and may hold a hostile `toString`. */
function written(value: unknown): string {
  return typeof value === 'string' ? value : writeJson(value)
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** A type that is not known is not checked. */
function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number' || value instanceof ExactInteger
    case 'integer':
      return Number.isInteger(value) || value instanceof ExactInteger
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'null':
      return value === null
    default:
      return true
  }
}

/** How many choices a sentence lists. */
const maxListed = 20

/** Compares values as they are written in JSON. */
function choiceCheck(field: JsonObject): Check | undefined {
  const choices = choicesOf(field)
  if (!choices) return undefined
  const offered = new Set(choices.map(writeJson))
  return (value) => {
    if (offered.has(writeJson(value))) return undefined
    const listed = choices.slice(0, maxListed).map((choice) => truncate(written(choice), 100, '…'))
    return `must be one of: ${[...listed, ...(choices.length > maxListed ? ['…'] : [])].join(', ')}`
  }
}

/** As `enum`, or as `oneOf` or `anyOf` with titles. */
function choicesOf(field: JsonObject): unknown[] | undefined {
  if (Array.isArray(field.enum)) return field.enum
  if (Object.hasOwn(field, 'const')) return [field.const]
  const titled = [...listOf(field.oneOf), ...listOf(field.anyOf)].map(objectOf)
  return titled.length > 0 && titled.every((choice) => Object.hasOwn(choice, 'const'))
    ? titled.map((choice) => choice.const)
    : undefined
}

function problemOfText(value: string, { minLength, maxLength, format }: JsonObject): string | undefined {
  const length = Array.from(value).length
  if (typeof minLength === 'number' && length < minLength) return `is too short (minimum is ${minLength} characters)`
  if (typeof maxLength === 'number' && length > maxLength) return `is too long (maximum is ${maxLength} characters)`
  const isFitting = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  return isFitting && !isFitting(value) ? `must be a valid ${format}` : undefined
}

const formats: Record<string, (value: string) => boolean> = {
  email: (value) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(value),
  uri: (value) => URL.canParse(value),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && isTime(value),
  'date-time': (value) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d/.test(value) && isTime(value),
}

function isTime(value: string): boolean {
  return !Number.isNaN(Date.parse(value))
}

/** Integers beyond 2^53 are compared by their digits. */
function numberCheck({ minimum, maximum }: JsonObject): (value: number | ExactInteger) => string | undefined {
  const [least, most] = [amountOf(minimum), amountOf(maximum)]
  return (value) => {
    const amount = amountOf(value) ?? 0
    if (least !== undefined && amount < least) return `must be greater than or equal to ${least}`
    if (most !== undefined && amount > most) return `must be less than or equal to ${most}`
    return undefined
  }
}

function amountOf(value: unknown): number | bigint | undefined {
  if (value instanceof ExactInteger) return BigInt(value.digits)
  return typeof value === 'number' ? value : undefined
}

function listCheck({ items, minItems, maxItems }: JsonObject): (value: readonly unknown[]) => string | undefined {
  const problemOf = items === undefined ? undefined : checkOf(objectOf(items))
  return (value) => {
    if (typeof minItems === 'number' && value.length < minItems) return `has too few entries (minimum is ${minItems})`
    if (typeof maxItems === 'number' && value.length > maxItems) return `has too many entries (maximum is ${maxItems})`
    if (!problemOf) return undefined
    for (const item of value) {
      const problem = problemOf(item)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // it came as JSON
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
