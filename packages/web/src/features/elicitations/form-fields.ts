import { readable } from '../../shared/kit/readable.ts'
import { viewerZone } from '../../shared/kit/time.tsx'

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

const inputTypes: Readonly<Record<string, FormField['inputType']>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
}

/** Reads what forms can ask for: strings, numbers, booleans and choices. Anything else is typed as JSON. */
export function fieldsOf(schema: Json | null): readonly FormField[] {
  const required = listOf(schema?.required)
  return Object.entries(objectOf(schema?.properties)).map(([name, given]) => {
    const field = objectOf(given)
    const choices = choicesOf(field.type === 'array' ? objectOf(field.items) : field)
    const kind = kindOf(field, choices)
    const inputType = (kind === 'text' && inputTypes[String(field.format)]) || 'text'
    return {
      name,
      label: textOf(field.title) ?? name,
      hint: [textOf(field.description), limitsOf(field, kind, inputType)].filter(Boolean).join(' · ') || undefined,
      isRequired: required.includes(name),
      kind,
      inputType,
      choices,
      initial: initialOf(kind, inputType, field.default),
    }
  })
}

/** What the person filled in, or else the default. An agent may call a field `constructor`, which every object has. */
export function filledIn({ name, initial }: FormField, values: Readonly<Record<string, FormValue>>): FormValue {
  return (Object.hasOwn(values, name) ? values[name] : undefined) ?? initial
}

/** The answer as the API takes it. A field that was left empty is left out. */
export function contentOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, FormValue>>,
): Record<string, unknown> {
  const filled = fields.flatMap((field): [string, unknown][] => {
    const value = filledIn(field, values)
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

/** What the API will check, so that a person need not be refused to learn it. */
function limitsOf(field: Json, kind: FormField['kind'], inputType: FormField['inputType']): string | undefined {
  if (inputType === 'datetime-local') return `In the time of ${viewerZone}`
  if (kind === 'number') return rangeOf(field.minimum, field.maximum, String)
  if (kind !== 'text') return undefined
  return rangeOf(field.minLength, field.maxLength, (length) => `${length} character${length === 1 ? '' : 's'}`)
}

function rangeOf(least: unknown, most: unknown, inWords: (limit: number) => string): string | undefined {
  if (typeof least === 'number' && least === most) return `Exactly ${inWords(least)}`
  if (typeof least === 'number' && typeof most === 'number') return `${least} to ${inWords(most)}`
  if (typeof least === 'number') return `At least ${inWords(least)}`
  return typeof most === 'number' ? `At most ${inWords(most)}` : undefined
}

function initialOf(kind: FormField['kind'], inputType: FormField['inputType'], given: unknown): FormValue {
  if (kind === 'switch') return given === true
  if (kind === 'choices') return listOf(given).map((one) => JSON.stringify(one))
  if (given === undefined || given === null) return ''
  if (inputType === 'datetime-local') return localTimeOf(String(given))
  return kind === 'choice' || kind === 'json' ? JSON.stringify(given) : String(given)
}

/** The time in the viewer's zone, as a field of the browser takes it: `2026-03-04T10:30`. */
function localTimeOf(given: string): string {
  const at = new Date(given)
  if (Number.isNaN(at.getTime())) return ''
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace(/:00$/, '')
}

/** What such a field holds, with the offset of the viewer's zone on that day: `2026-03-04T10:30:00+01:00`. */
function zonedTimeOf(local: string): string {
  const offset = -new Date(local).getTimezoneOffset()
  // What is no time goes as it was typed: the API says what it expects.
  if (Number.isNaN(offset)) return local
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const padded = (number: number) => String(number).padStart(2, '0')
  const seconds = /T\d\d:\d\d$/.test(local) ? ':00' : ''
  return `${local}${seconds}${offset < 0 ? '-' : '+'}${padded(hours)}:${padded(minutes)}`
}

function answerOf({ kind, inputType }: FormField, value: FormValue): unknown {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return value.map((one) => JSON.parse(one) as unknown)
  // What is no number goes as it was typed: the API says what it expects.
  if (kind === 'number') return Number.isNaN(Number(value)) ? value : Number(value)
  if (inputType === 'datetime-local') return zonedTimeOf(value)
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
