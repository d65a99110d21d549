import { readable } from '../../shared/kit/readable.ts'

/** A field of the form that a question asks for. */
export type FormField = {
  name: string
  label: string
  hint: string | undefined
  isRequired: boolean
  kind: 'text' | 'number' | 'switch' | 'choice' | 'choices' | 'json'
  /** Of a text: the browser's own kind of input, which helps on a phone. */
  inputType: 'text' | 'email' | 'url' | 'date' | 'datetime-local'
  choices: readonly { value: string; label: string }[]
  initial: FormValue
}

/** What a person filled in: text, a switch, or the marked choices. */
export type FormValue = string | boolean | readonly string[]

type Json = Readonly<Record<string, unknown>>

const inputTypes: Readonly<Record<string, FormField['inputType']>> = { email: 'email', uri: 'url', date: 'date' }

/** Reads what forms can ask for: strings, numbers, booleans and choices. Anything else is typed as JSON. */
export function fieldsOf(schema: Json | null): readonly FormField[] {
  const required = listOf(schema?.required)
  return Object.entries(objectOf(schema?.properties)).map(([name, given]) => {
    const field = objectOf(given)
    const choices = choicesOf(field.type === 'array' ? objectOf(field.items) : field)
    const kind = kindOf(field, choices)
    return {
      name,
      label: textOf(field.title) ?? name,
      hint: textOf(field.description),
      isRequired: required.includes(name),
      kind,
      inputType: inputTypes[String(field.format)] ?? 'text',
      choices,
      initial: initialOf(kind, field.default),
    }
  })
}

/** The answer as the API takes it. A field that was left empty is left out. */
export function contentOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, FormValue>>,
): Record<string, unknown> {
  const filled = fields.flatMap((field): [string, unknown][] => {
    const value = values[field.name] ?? field.initial
    return value === '' || (Array.isArray(value) && value.length === 0 && !field.isRequired)
      ? []
      : [[field.name, answerOf(field, value)]]
  })
  return Object.fromEntries(filled)
}

/** The sentence of the API about each field, which begins with the field's name; and those about none. */
export function sentencesByField(
  fields: readonly FormField[],
  sentences: readonly string[],
): { byField: ReadonlyMap<string, string>; others: readonly string[] } {
  const longestFirst = [...fields].sort((a, b) => b.name.length - a.name.length)
  const byField = new Map<string, string>()
  const others: string[] = []
  for (const sentence of sentences) {
    const field = longestFirst.find(({ name }) => sentence.startsWith(`${name} `))
    if (field && !byField.has(field.name)) byField.set(field.name, sentence)
    else others.push(sentence)
  }
  return { byField, others }
}

function kindOf({ type }: Json, choices: FormField['choices']): FormField['kind'] {
  if (choices.length > 0) return type === 'array' ? 'choices' : 'choice'
  if (type === 'boolean') return 'switch'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'string' || type === undefined ? 'text' : 'json'
}

/** As `enum` with or without `enumNames`, or as `oneOf` or `anyOf` with titles. */
function choicesOf(field: Json): FormField['choices'] {
  const names = listOf(field.enumNames)
  const plain = listOf(field.enum).map((value, index) => ({ value, label: textOf(names[index]) }))
  const titled = [...listOf(field.oneOf), ...listOf(field.anyOf)]
    .map(objectOf)
    .filter((choice) => Object.hasOwn(choice, 'const'))
    .map((choice) => ({ value: choice.const, label: textOf(choice.title) }))
  return [...plain, ...titled].map(({ value, label }) => ({
    value: JSON.stringify(value),
    label: readable(label ?? (typeof value === 'string' ? value : JSON.stringify(value))),
  }))
}

function initialOf(kind: FormField['kind'], given: unknown): FormValue {
  if (kind === 'switch') return given === true
  if (kind === 'choices') return listOf(given).map((one) => JSON.stringify(one))
  if (given === undefined || given === null) return ''
  return kind === 'choice' || kind === 'json' ? JSON.stringify(given) : String(given)
}

function answerOf({ kind }: FormField, value: FormValue): unknown {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return value.map((one) => JSON.parse(one) as unknown)
  // What is no number goes as it was typed: the API says what it expects.
  if (kind === 'number') return Number.isNaN(Number(value)) ? value : Number(value)
  return kind === 'choice' || kind === 'json' ? parsed(value) : value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? readable(value) : undefined
}
