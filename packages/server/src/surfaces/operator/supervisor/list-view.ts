import { type Html, html, type Interpolated } from '../../../platform/html/html.ts'
import { type Field, foreignText, moment, queryForm, table } from '../../../platform/html/parts.ts'
import { attributeName } from '../../../platform/http/validation.ts'
import type { StoredRecord } from './record-store.ts'
import { type Resource, references } from './resources.ts'

export type Listing = {
  resource: Resource
  records: readonly StoredRecord[]
  /** As they were given, also if they match nothing. */
  filters: Readonly<Record<string, string>>
  isFirst: boolean
  /** The key after which the next page begins. */
  next: string | undefined
  now: Date
}

export function listView({ resource, records, filters, isFirst, next, now }: Listing): Html {
  const path = `/supervisor/${resource.name}`
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
  const address = (more: Record<string, string>) => `${path}?${new URLSearchParams({ ...given, ...more }).toString()}`
  return html`
    ${filterForm(resource, filters)}
    ${
      records.length === 0
        ? html`<p class="soft">No record matches.</p>`
        : table(
            resource.listed.map((column) => attributeName([column])),
            records.map((record) => resource.listed.map((column) => cell(resource, record, column, now))),
          )
    }
    <p class="near">
      ${!isFirst && html`<a rel="first" href="${address({})}">First page</a>`}
      ${next !== undefined && html`<a rel="next" href="${address({ after: next })}">Next page</a>`}
    </p>`
}

function filterForm({ name, filters }: Resource, given: Listing['filters']): Html | undefined {
  const fields = Object.entries(filters).map(([column, values]): Field => {
    const field = { name: column, label: attributeName([column]), value: given[column] ?? '' }
    if (values instanceof RegExp) return field
    return { ...field, choices: [['', 'any'], ...values.map((value) => [value, value] as const)] }
  })
  return fields.length === 0 ? undefined : queryForm({ action: `/supervisor/${name}`, button: 'Show', fields })
}

function cell(resource: Resource, record: StoredRecord, column: string, now: Date): Interpolated {
  const value = record[column]
  if (column === resource.key)
    return html`<a href="${pathOf(resource, String(value))}">${foreignText(String(value))}</a>`
  return shortValue(column, value, now)
}

export function pathOf({ name }: Pick<Resource, 'name'>, key: string): string {
  return `/supervisor/${name}/${encodeURIComponent(key)}`
}

const cellLength = 120

/** A value in one line. A number in a column that refers to another record is a link. */
export function shortValue(column: string, value: unknown, now: Date): Interpolated {
  if (value === null || value === undefined || value === '') return html`<span class="soft">none</span>`
  if (value instanceof Date) return moment(value, now)
  // What has entries stands below the other values, as a text of several lines.
  if (typeof value === 'object') return html`<span class="soft">none</span>`
  const other = references[column]
  if (other !== undefined && typeof value === 'number')
    return html`<a href="${pathOf({ name: other }, String(value))}">${value}</a>`
  return foreignText(String(value), cellLength)
}
