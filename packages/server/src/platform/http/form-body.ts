import { limits } from '@yardmaster/contract/limits'
import { readBoolean } from '@yardmaster/contract/query'
import type { z } from 'zod'
import { refuse } from '../refusal.ts'
import { utf8Text } from './json-body.ts'
import { acceptedTypes, inputSchemaOf, type JsonSchema } from './openapi.ts'

/** The fields of a form, as text. Only the endpoint knows their types. */
export class Form {
  readonly fields: ReadonlyMap<string, string | readonly string[]>
  constructor(fields: ReadonlyMap<string, string | readonly string[]>) {
    this.fields = fields
  }
}

/** Reads a flat form: `name=value`, and `name[]=value` for each element of a list. A form cannot say `[]` or an object. */
export function readForm(bytes: Buffer): Form {
  const fields = new Map<string, string | string[]>()
  const text = utf8Text(bytes, 'invalid_form')
  refuseCostlyForm(text)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    const [name, value] = [decode(pair.slice(0, end)), decode(pair.slice(end + 1))]
    const known = fields.get(name)
    if (typeof known === 'object') known.push(value)
    else if (name.endsWith('[]')) fields.set(name, [value])
    else if (/[[\]]/.test(name)) refuse('invalid_form', `A form has flat fields only; send ${name} as JSON`)
    else if (known !== undefined) refuse('invalid_form', `The form has ${name} more than once`)
    else fields.set(name, value)
  }
  return new Form(new Map([...fields].map(([name, value]) => [name.replace(/\[\]$/, ''), value])))
}

/** Each pair takes far more memory than its text, and millions of them take seconds to read. */
function refuseCostlyForm(text: string): void {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    pairs += 1
    if (pairs > limits.jsonValues) refuse('invalid_form', `The form holds more than ${limits.jsonValues} fields`)
  }
}

/** The form as the JSON body that the schema describes. A text that is not of the declared type is left for the schema to refuse. */
export function asJsonBody({ fields }: Form, schema: z.ZodType | undefined): Record<string, unknown> {
  const { properties = {} } = (schema ? inputSchemaOf(schema) : {}) as { properties?: Record<string, JsonSchema> } // as JSON Schema defines them
  return Object.fromEntries(
    [...fields].map(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, property ? valueFor(value, property) : value]
    }),
  )
}

/** The text as a value of the schema's type, or as it is if it cannot be one. */
export function valueFor(value: string | readonly string[], schema: JsonSchema): unknown {
  if (typeof value !== 'string') {
    const items = schema.items as JsonSchema | undefined // as JSON Schema defines it
    return value.map((item) => (items ? valueFor(item, items) : item))
  }
  const types = acceptedTypes(schema)
  if (!types || types.includes('string')) return value
  if (value === '' && types.includes('null')) return null
  if (types.includes('boolean')) return readBoolean(value) ?? value
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value
}

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return refuse('invalid_form', 'The form is not valid: a percent sign must begin a character in UTF-8')
  }
  if (decoded.includes('\0')) refuse('invalid_form', 'The form holds a NUL character')
  return decoded
}
