import { writeJson } from '../../../platform/exact-json.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { facts, foreignText, notice } from '../../../platform/html/parts.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import { attributeName } from '../../../platform/http/validation.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import { type Filled, guardedForm } from '../operator-route.ts'
import { type BoundForm, digestsOf, fieldsOf } from './form-fields.ts'
import { pathOf, shortValue } from './list-view.ts'
import type { StoredRecord } from './record-store.ts'
import type { Resource } from './resources.ts'

/** A form that was refused, as it was filled in. */
export type Refused = { form: BoundForm; filled: Filled; refusal: Refusal }

export type ShownRecord = {
  resource: Resource
  record: StoredRecord
  forms: readonly BoundForm[]
  refused: Refused | undefined
  tokens: FormTokens
  now: Date
}

/** All columns that may be shown, then what can be done with the record. */
export function recordView(shown: ShownRecord): Html {
  const { resource, record, forms, refused, now } = shown
  const columns = [...resource.listed, ...resource.shown]
  const long = columns.filter((column) => isLong(record[column]))
  const short = columns.filter((column) => !isLong(record[column]))
  const edits = forms.filter(({ fields = [] }) => fields.length > 0)
  const buttons = forms.filter(({ fields = [] }) => fields.length === 0)
  return html`
    ${refused && buttons.includes(refused.form) && notice(refused.refusal.messages.join(' '), 'bad')}
    ${facts(short.map((column) => [attributeName([column]), shortValue(column, record[column], now)]))}
    ${long.map((column) => html`<h3>${attributeName([column])}</h3><pre>${foreignText(textOf(record[column]))}</pre>`)}
    ${forms.length === 0 ? html`<p class="soft">This record is read-only.</p>` : html`<h2>Change</h2>`}
    ${edits.map((form) => html`<section class="action">${editForm(shownFor(shown, form), form)}</section>`)}
    ${buttons.length > 0 && html`<section class="action buttons">${buttons.map((form) => renderForm(shownFor(shown, form), form, {}))}</section>`}`
}

/** Below the list: how a record is made. */
export function creationForm(
  { name }: Resource,
  form: BoundForm | undefined,
  { refused, tokens }: Pick<ShownRecord, 'refused' | 'tokens'>,
): Html | undefined {
  if (!form) return undefined
  const shown = { action: `/supervisor/${name}`, record: {}, refused, tokens }
  return html`<h2>New</h2><section class="action">${editForm(shown, form)}</section>`
}

/** What a form needs of the page that it is on. */
type Shown = Pick<ShownRecord, 'record' | 'refused' | 'tokens'> & { action: string }

function shownFor({ resource, record, refused, tokens }: ShownRecord, { operation }: BoundForm): Shown {
  return { action: `${pathOf(resource, String(record[resource.key]))}/${operation}`, record, refused, tokens }
}

/** Sentences stand beside the fields that they begin with; the others above the form. */
function editForm(shown: Shown, form: BoundForm): Html {
  if (shown.refused?.form !== form) return renderForm(shown, form, {})
  const { refusal, filled } = shown.refused
  const fields = form.fields ?? []
  const about = refusal.messages.map((sentence) => ({ sentence, field: fieldIn(sentence, form, fields) }))
  const named = about.flatMap(({ sentence, field }) => (field === undefined ? [] : [[field, sentence] as const]))
  const others = about.flatMap(({ sentence, field }) => (field === undefined ? [sentence] : []))
  return html`${others.length > 0 && notice(others.join(' '), 'bad')}
    ${renderForm(shown, form, { filled, problems: Object.fromEntries(named) })}`
}

function fieldIn(sentence: string, { entryOf }: BoundForm, fields: readonly string[]): string | undefined {
  const entry = entryOf === undefined ? '' : `${attributeName([entryOf]).replace(/ attributes$/, '')} `
  const said = (sentence.startsWith(entry) ? sentence.slice(entry.length) : sentence).toLowerCase()
  const byLength = fields.toSorted((one, other) => other.length - one.length)
  return byLength.find((field) => said.startsWith(`${attributeName([field]).toLowerCase()} `))
}

function renderForm(
  { action, record, tokens }: Shown,
  form: BoundForm,
  filledIn: Parameters<typeof fieldsOf>[2],
): Html {
  const { button, isDangerous = false } = form
  const fields = fieldsOf(form, record, filledIn)
  return guardedForm(tokens, { action, button, isDangerous, fields }, digestsOf(form, record))
}

const longText = 120

function isLong(value: unknown): boolean {
  if (value instanceof Date || value === null) return false
  if (typeof value === 'object') return Object.keys(Object(value)).length > 0
  return typeof value === 'string' && (value.length > longText || value.includes('\n'))
}

function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) return value.join('\n')
  return typeof value === 'object' ? writeJson(value, 2) : String(value)
}
