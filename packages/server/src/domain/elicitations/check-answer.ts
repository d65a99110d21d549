import type { JsonObject } from '@yardmaster/contract/json'
import { ExactInteger } from '../../platform/exact-json.ts'

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
    const problem = Object.hasOwn(properties, name) ? problemOf(value, objectOf(properties[name])) : undefined
    return problem === undefined ? [] : `${name} ${problem}`
  })
  return [...missing, ...unknown.map((name) => `${name} is not a field of the form`), ...wrong]
}

function problemOf(value: unknown, field: JsonObject): string | undefined {
  const types = [field.type].flat()
  if (field.type !== undefined && !types.some((type) => isOfType(value, type)))
    return `must be ${types.map((type) => typeNames[String(type)] ?? String(type)).join(' or ')}`
  const choices = choicesOf(field)
  if (choices && !choices.includes(value)) return `must be one of: ${choices.map(String).join(', ')}`
  if (typeof value === 'string') return problemOfText(value, field)
  if (typeof value === 'number') return problemOfNumber(value, field)
  if (Array.isArray(value)) return problemOfList(value, field)
  return undefined
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

function problemOfNumber(value: number, { minimum, maximum }: JsonObject): string | undefined {
  if (typeof minimum === 'number' && value < minimum) return `must be greater than or equal to ${minimum}`
  if (typeof maximum === 'number' && value > maximum) return `must be less than or equal to ${maximum}`
  return undefined
}

function problemOfList(value: readonly unknown[], { items, minItems, maxItems }: JsonObject): string | undefined {
  if (typeof minItems === 'number' && value.length < minItems) return `has too few entries (minimum is ${minItems})`
  if (typeof maxItems === 'number' && value.length > maxItems) return `has too many entries (maximum is ${maxItems})`
  return value.map((item) => problemOf(item, objectOf(items))).find((problem) => problem !== undefined)
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {} // it came as JSON
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
