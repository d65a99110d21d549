import { createHash } from 'node:crypto'
import type { App } from '../../../domain/app.ts'
import { writeJson } from '../../../platform/exact-json.ts'
import type { Field } from '../../../platform/html/parts.ts'
import type { Endpoint } from '../../../platform/http/endpoint.ts'
import { valueFor } from '../../../platform/http/form-body.ts'
import { readExactObject } from '../../../platform/http/json-body.ts'
import { acceptedTypes, inputSchemaOf, type JsonSchema } from '../../../platform/http/openapi.ts'
import { attributeName } from '../../../platform/http/validation.ts'
import { refuse } from '../../../platform/refusal.ts'
import type { Filled } from '../operator-route.ts'
import type { StoredRecord } from './record-store.ts'
import type { RecordForm } from './resources.ts'

/** A form of the table with the operation that it calls and the schemas of its fields. */
export type BoundForm = RecordForm & { endpoint: Endpoint<App>; schemas: Readonly<Record<string, JsonSchema>> }

export function bindForm(form: RecordForm, endpoints: readonly Endpoint<App>[]): BoundForm {
  const endpoint = endpoints.find(({ name }) => name === form.operation)
  if (!endpoint) throw new Error(`table of resources: no operation ${form.operation}`)
  const body = endpoint.body ? inputSchemaOf(endpoint.body) : {}
  const properties = propertiesOf(form.entryOf === undefined ? body : itemsOf(propertiesOf(body)[form.entryOf]))
  const schemas = (form.fields ?? []).map((name) => {
    const schema = properties[name]
    if (!schema) throw new Error(`table of resources: ${form.operation} takes no ${name}`)
    return [name, schema] as const
  })
  return { ...form, endpoint, schemas: Object.fromEntries(schemas) }
}

function propertiesOf(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  return (schema?.properties ?? {}) as Record<string, JsonSchema> // as JSON Schema defines them
}

function itemsOf(schema: JsonSchema | undefined): JsonSchema | undefined {
  const alternatives = [schema, ...((schema?.anyOf ?? []) as JsonSchema[])] // as JSON Schema defines them
  return alternatives.map((each) => each?.items as JsonSchema | undefined).find(Boolean)
}

/** The fields with the stored values or, after a refusal, with what was filled in and the sentences about it. */
export function fieldsOf(
  { schemas }: BoundForm,
  record: StoredRecord,
  { filled = {}, problems = {} }: { filled?: Filled; problems?: Readonly<Record<string, string>> },
): Field[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const stored = textOf(Object.hasOwn(record, name) ? record[name] : schema.default)
    // A secret is not sent back, also not to the person who wrote it.
    const value = isSecret(schema) ? '' : isChanged(name, filled) ? (filled[name] ?? '') : stored
    const choices = choicesOf(schema)
    const problem = problems[name]
    return {
      name,
      label: attributeName([name]),
      value,
      ...(typeof schema.description === 'string' && { hint: schema.description }),
      ...(choices ? { choices } : { type: typeOf(schema, value) }),
      ...(problem !== undefined && { problem }),
    }
  })
}

/** For each field a digest of the stored value, by which a change is told from a value that was only sent back. */
export function digestsOf({ schemas }: BoundForm, record: StoredRecord): Filled {
  return Object.fromEntries(Object.keys(schemas).map((name) => [`was_${name}`, digest(textOf(record[name]))]))
}

/**
 * The body with the fields that a person changed. A field that someone else changed meanwhile is refused, so that no form
 * writes over what its author has not seen.
 */
export function readChanges({ schemas }: BoundForm, record: StoredRecord, filled: Filled): Record<string, unknown> {
  const changed = Object.entries(schemas).filter(([name]) => isChanged(name, filled))
  const overtaken = changed.filter(([name]) => digest(textOf(record[name])) !== filled[`was_${name}`])
  if (overtaken.length > 0) {
    const sentences = overtaken.map(
      ([name]) => `${attributeName([name])} was changed meanwhile; save again to replace it`,
    )
    refuse('validation_failed', sentences)
  }
  return Object.fromEntries(changed.map(([name, schema]) => [name, readValue(name, schema, filled[name] ?? '')]))
}

function isChanged(name: string, filled: Filled): boolean {
  const text = filled[name]
  return text !== undefined && digest(text) !== filled[`was_${name}`]
}

function readValue(name: string, schema: JsonSchema, text: string): unknown {
  const types = acceptedTypes(schema) ?? []
  if (text === '' && types.includes('null')) return null
  return types.includes('object') ? readExactObject(text, attributeName([name])) : valueFor(text, schema)
}

/** As a browser sends it back. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? writeJson(value, 2) : String(value)
  return text.replace(/\r\n?/g, '\n')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function choicesOf(schema: JsonSchema): (readonly [string, string])[] | undefined {
  const types = acceptedTypes(schema) ?? []
  const values = types.includes('boolean') ? ['true', 'false'] : enumOf(schema)
  if (!values) return undefined
  const none = types.includes('null') ? [['', 'none'] as const] : []
  return [...none, ...values.map((value) => [value, value] as const)]
}

function enumOf({ enum: values, anyOf }: JsonSchema): string[] | undefined {
  if (Array.isArray(values)) return values.filter((value) => value !== null).map(String)
  return Array.isArray(anyOf) ? anyOf.map((each: JsonSchema) => enumOf(each)).find(Boolean) : undefined
}

const longText = 300

function isSecret({ format }: JsonSchema): boolean {
  return format === 'password'
}

function typeOf(schema: JsonSchema, value: string): NonNullable<Field['type']> {
  if (isSecret(schema)) return 'password'
  const types = acceptedTypes(schema) ?? []
  if (types.includes('integer') || types.includes('number')) return types.includes('string') ? 'text' : 'number'
  return types.includes('object') || value.includes('\n') || maxLengthOf(schema) > longText ? 'area' : 'text'
}

function maxLengthOf({ maxLength, anyOf }: JsonSchema): number {
  if (typeof maxLength === 'number') return maxLength
  return Array.isArray(anyOf) ? Math.max(...anyOf.map((each: JsonSchema) => maxLengthOf(each)), 0) : 0
}
