import type { Problem } from '@yardmaster/contract/problem'
import { type Html, html } from '../../html/html.ts'
import { code } from './markup.ts'
import type { Operation } from './operations.ts'

export type ShownRefusal = { status: string; kind: string; label: string; example: unknown }

export function refusalsOf({ responses }: Operation): ShownRefusal[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description, content = {} }]) => {
      const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}))
      if (examples.length === 0) return [{ status, kind: '', label: description, example: undefined }]
      return examples.map(([kind, { value }]) => ({ status, kind, label: labelOf(value) ?? kind, example: value }))
    })
}

/** Refusals that all endpoints share. The page lists them once, so that the others stand out. */
export function commonRefusals(operations: readonly Operation[]): ShownRefusal[] {
  const [first, ...others] = operations.map(refusalsOf)
  return (first ?? []).filter((refusal) => others.every((refusals) => refusals.some(isSame(refusal))))
}

export function refusalList(refusals: readonly ShownRefusal[]): Html {
  return html`<ul class="refusals">
    ${refusals.map((refusal) => html`<li>${refusalItem(refusal)}</li>\n`)}
  </ul>`
}

export function ownRefusals(operation: Operation, common: readonly ShownRefusal[]): ShownRefusal[] {
  return refusalsOf(operation).filter((refusal) => !common.some(isSame(refusal)))
}

function refusalItem({ status, label, example }: ShownRefusal): Html {
  const name = html`<b class="status refused">${status}</b> ${label}`
  if (example === undefined) return html`<p>${name}</p>`
  return html`<details><summary>${name}</summary><pre>${code(JSON.stringify(example, null, 2))}</pre></details>`
}

function isSame(one: ShownRefusal): (other: ShownRefusal) => boolean {
  return (other) => other.status === one.status && other.kind === one.kind
}

function labelOf(example: unknown): string | undefined {
  const { error } = (example ?? {}) as Partial<Problem> // anything else simply has no such key
  return typeof error === 'string' ? error : undefined
}
