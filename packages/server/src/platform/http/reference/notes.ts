import { type Html, html } from '../../html/html.ts'
import { code, jsonCode, listed } from './markup.ts'
import type { Facts, Shape } from './shape.ts'

/** The constraints of a schema as short sentences. */
export function notesOn(shape: Shape, { withExamples }: { withExamples: boolean }): Html[] {
  const { pattern, format, examples } = shape
  const notes: (Html | undefined)[] = [
    valuesNote(shape),
    range(shape.minimum, shape.maximum, ''),
    lengthNote(shape),
    range(shape.minItems, shape.maxItems, ' items'),
    pattern !== undefined && format === undefined ? html`Matches ${code(pattern)}.` : undefined,
    shape.default === undefined ? undefined : html`Default ${jsonCode(shape.default)}.`,
    withExamples && examples.length > 0 ? html`For example ${listed(examples.map(valueCode), 'or')}.` : undefined,
  ]
  return notes.filter((note) => note !== undefined)
}

function valuesNote(shape: Shape): Html | undefined {
  const allowed = shape.kind === 'list' ? shape.items.allowed : shape.allowed
  if (allowed === undefined || namesAll(shape.description ?? '', allowed)) return undefined
  if (allowed.length === 1) return html`Always ${jsonCode(allowed[0])}.`
  return html`${shape.kind === 'list' ? 'Each one' : 'One'} of ${listed(allowed.map(valueCode), 'or')}.`
}

/** True if the description already lists the values. */
function namesAll(description: string, values: readonly unknown[]): boolean {
  return values.every((value) => description.includes(`\`${value}\``))
}

function lengthNote({ minLength, maxLength }: Facts): Html | undefined {
  if (minLength === 1 && maxLength === undefined) return html`Not empty.`
  return range(minLength, maxLength, ' characters')
}

function range(min: number | undefined, max: number | undefined, unit: string): Html | undefined {
  if (min !== undefined && max !== undefined) return html`${grouped(min)} to ${grouped(max)}${unit}.`
  if (min !== undefined) return html`At least ${grouped(min)}${unit}.`
  if (max !== undefined) return html`At most ${grouped(max)}${unit}.`
  return undefined
}

function grouped(quantity: number): string {
  return quantity.toLocaleString('en-US')
}

/** Strings without quotes; other values as JSON. */
function valueCode(value: unknown): Html {
  return typeof value === 'string' ? code(value) : jsonCode(value)
}
