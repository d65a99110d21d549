import type { FastifyInstance } from 'fastify'
import type { App } from '../../../domain/app.ts'
import { html } from '../../../platform/html/html.ts'
import { link, type Page } from '../../../platform/html/page.ts'
import { notice } from '../../../platform/html/parts.ts'
import type { Endpoint } from '../../../platform/http/endpoint.ts'
import { readRequest } from '../../../platform/http/endpoint-request.ts'
import type { FormTokens } from '../../../platform/http/form-tokens.ts'
import { refuseMissing } from '../../../platform/refusal.ts'
import { type Address, type Filled, serveAction, servePage } from '../operator-route.ts'
import { type BoundForm, bindForm, readChanges } from './form-fields.ts'
import { listView, pathOf } from './list-view.ts'
import { type StoredRecord, selectRecord, selectRecords } from './record-store.ts'
import { creationForm, type Refused, recordView } from './record-view.ts'
import { type Resource, resources } from './resources.ts'

type Parts = { endpoints: readonly Endpoint<App>[]; tokens: FormTokens }

const perPage = 20

/**
 * Every stored resource as a list and a page, from one table. A form calls the operation of the API with the same checks: no
 * page writes a row.
 */
export function registerSupervisorPages(server: FastifyInstance, app: App, { endpoints, tokens }: Parts): void {
  const formsOf = new Map(
    resources.map((resource) => [resource, resource.forms.map((form) => bindForm(form, endpoints))] as const),
  )

  const creating = new Map(
    resources.flatMap((resource) =>
      resource.creates ? [[resource, { ...bindForm(resource.creates, endpoints), ...resource.creates }] as const] : [],
    ),
  )

  const list = async (resource: Resource, query: Filled, refused?: Refused): Promise<Page> => {
    const names = Object.keys(resource.filters)
    const filters = Object.fromEntries(names.map((name) => [name, query[name]?.trim() ?? '']))
    const after = query.after !== undefined && resource.keyPattern.test(query.after) ? query.after : undefined
    const records = canMatch(resource, filters)
      ? await selectRecords(app.db, resource, { after, filters: given(filters), limit: perPage + 1 })
      : []
    const page = records.slice(0, perPage)
    const next = records.length > perPage ? String(page.at(-1)?.[resource.key]) : undefined
    const isFirst = after === undefined
    const view = listView({ resource, records: page, filters, isFirst, next, now: app.clock.now() })
    return {
      title: resource.title,
      lead: resource.about,
      place,
      near: near(resource),
      body: html`${said(resource, query.done)}${startOf(resource)}${view}${creationForm(resource, creating.get(resource), { refused, tokens })}`,
    }
  }

  const show = async ({ params, query }: Address, refused?: Refused): Promise<Page> => {
    const { resource, record } = await find(app, params)
    const forms = formsOf.get(resource) ?? []
    const view = recordView({ resource, record, forms, refused, tokens, now: app.clock.now() })
    return {
      title: `${resource.one} ${resource.name === 'settings' ? '' : String(record[resource.key])}`.trim(),
      place,
      near: near(resource),
      body: html`${!refused && said(resource, query.done)}${view}`,
    }
  }

  const formOf = ({ params }: Address): BoundForm => {
    const forms = formsOf.get(resourceOf(params)) ?? []
    return forms.find(({ operation }) => operation === params.operation) ?? refuseMissing()
  }

  servePage(server, '/supervisor', async () => ({ redirect: '/supervisor/sessions' }))
  servePage(server, '/supervisor/:resource', ({ params, query }) => list(resourceOf(params), query))
  servePage(server, '/supervisor/:resource/:key', (address) => show(address))
  for (const [resource, form] of creating) {
    serveAction(server, {
      url: `/supervisor/${resource.name}`,
      operation: form.operation,
      tokens,
      perform: async (_address, filled, signal) => {
        const body = await call(app, form, { record: {}, changes: readChanges(form, {}, filled), signal })
        const about = { resource: resource.name, operation: form.operation, by: 'operator' }
        app.log.warn(about, 'a record was made by hand')
        return shownOnce(resource, String(Reflect.get(Object(body), form.shows.key)), form.shows.about)
      },
      renderRefused: ({ query }, filled, refusal) => list(resource, query, { form, filled, refusal }),
    })
  }
  serveAction(server, {
    url: '/supervisor/:resource/:key/:operation',
    tokens,
    perform: async (address, filled, signal) => {
      const form = formOf(address)
      const { resource, record } = await find(app, address.params)
      const changes = readChanges(form, record, filled)
      const fields = Object.keys(changes)
      const path = pathOf(resource, String(record[resource.key]))
      if (Object.keys(form.schemas).length > 0 && fields.length === 0) return `${path}?done=nothing`
      await call(app, form, { record, changes, signal })
      const about = { resource: resource.name, key: record[resource.key], operation: form.operation, fields }
      app.log.warn({ ...about, by: 'operator' }, 'a record was changed by hand')
      return `${form.isLast ? `/supervisor/${resource.name}` : path}?done=${form.operation}`
    },
    renderRefused: (address, filled, refusal) => show(address, { form: formOf(address), filled, refusal }),
  })
}

const place = '/supervisor'

type Call = { record: StoredRecord; changes: Record<string, unknown>; signal: AbortSignal }

/** Calls the operation as a request over HTTP would. */
async function call(app: App, form: BoundForm, { record, changes, signal }: Call): Promise<unknown> {
  const { endpoint, entryOf, params: renamed = {} } = form
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const params = Object.fromEntries(names.map((name) => [name, String(record[renamed[name] ?? name])]))
  const body = entryOf === undefined ? changes : { [entryOf]: [{ id: record.id, ...changes }] }
  const answer = await endpoint.handle(readRequest(endpoint, { params, query: {}, body, headers: {}, signal }), app)
  return answer.body
}

function shownOnce(resource: Resource, value: string, about: string): Page {
  return {
    title: `${resource.one} made`,
    place,
    near: near(resource),
    body: html`${notice(about, 'good')}<pre>${value}</pre>
      <p>${link(`/supervisor/${resource.name}`, `All ${resource.title}`, false)}</p>`,
  }
}

function resourceOf({ resource }: Address['params']): Resource {
  return resources.find(({ name }) => name === resource) ?? refuseMissing()
}

async function find(app: App, params: Address['params']): Promise<{ resource: Resource; record: StoredRecord }> {
  const resource = resourceOf(params)
  const { key = '' } = params
  const record = resource.keyPattern.test(key) ? await selectRecord(app.db, resource, key) : undefined
  return { resource, record: record ?? refuseMissing() }
}

/** Whether a column can have the value at all; PostgreSQL would refuse to compare a number with a word. */
function canMatch({ filters }: Resource, values: Filled): boolean {
  return Object.entries(given(values)).every(([name, value]) => {
    const allowed = filters[name]
    return allowed instanceof RegExp ? allowed.test(value) : allowed?.includes(value)
  })
}

function given(filters: Filled): Filled {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''))
}

/** What the last form did, by the name of its operation: a link from elsewhere cannot make the page say anything else. */
function said({ forms }: Resource, done: string | undefined) {
  if (done === 'nothing') return notice('Nothing was changed.', 'plain')
  const form = forms.find(({ operation }) => operation === done)
  if (!form) return undefined
  return notice(form.fields ? 'Saved.' : `Done: ${form.button}.`, 'good')
}

function startOf({ start }: Resource) {
  return start && html`<p><a href="${start.href}">${start.label}</a></p>`
}

function near(current: Resource) {
  return html`<nav class="near" aria-label="Records">
    ${resources.map((resource) => link(`/supervisor/${resource.name}`, resource.title, resource === current))}</nav>`
}
