import { type Html, html } from '../../html/html.ts'
import type { OpenApiDocument } from '../openapi.ts'
import { type Caller, keyVariable } from './curl.ts'
import { parameterTable, resourceLink } from './field-table.ts'
import { code, prose } from './markup.ts'
import type { Operation } from './operations.ts'
import { refusalList, refusalsOf, type ShownRefusal } from './refusals.ts'
import { type Resources, sampleOf } from './sample.ts'

type IntroductionContext = {
  operations: readonly Operation[]
  caller: Caller
  basePath: string
  resources: Resources
  common: readonly ShownRefusal[]
}

export function introduction({ info }: OpenApiDocument, context: IntroductionContext): Html {
  const { caller, basePath } = context
  return html`<div class="introduction">
    <p class="eyebrow">API reference</p>
    <h1>${info.title} <span class="version">${info.version}</span></h1>
    <p class="summary">${prose(info.description)}</p>

    <h2 id="basics">Basics</h2>
    <h3 id="address">Address</h3>
    <p>Every path on this page is relative to ${code(basePath)}. ${exception(context)}Bodies are JSON in both directions, unless an endpoint says
      otherwise; send yours as ${code('Content-Type: application/json')}.</p>

    <h3 id="authentication">Authentication</h3>
    <p>Send an API key in the ${code(caller.keyHeader)} header of every request. The examples read it from a shell
      variable and use ${code(originOf(caller.base))}; replace both with your own key and address.</p>
    <pre class="shell">${code(`export ${keyVariable}='your key'`)}</pre>

    ${errors(context)}
    ${paging(context)}

    <h3 id="openapi">For programs</h3>
    <p>This page is generated from an OpenAPI 3.1 document, which client generators can use. It is at
      ${code(`${basePath}/openapi.json`)} and needs the key, like the rest of the API, so a browser alone cannot open it:</p>
    <pre class="shell">${code(`curl -H "${caller.keyHeader}: $${keyVariable}" ${caller.base}/openapi.json`)}</pre>
  </div>`
}

/** The headings of the introduction, for the table of contents. */
export function chapters(operations: readonly Operation[]): { anchor: string; title: string }[] {
  return [
    { anchor: 'address', title: 'Address' },
    { anchor: 'authentication', title: 'Authentication' },
    { anchor: 'errors', title: 'Errors' },
    ...(operations.some(isPaged) ? [{ anchor: 'paging', title: 'Paging' }] : []),
    { anchor: 'openapi', title: 'For programs' },
  ]
}

function exception({ operations }: IntroductionContext): string {
  return operations.some(({ servers }) => servers) ? 'An endpoint outside of it says so. ' : ''
}

function originOf(base: string): string {
  return URL.canParse(base) ? new URL(base).origin : base
}

function errors({ operations, resources, common }: IntroductionContext): Html {
  const every = operations.flatMap(refusalsOf).filter(({ example }) => example !== undefined)
  // The most common error: the request itself is invalid.
  const shown = every.find(({ kind }) => kind === 'validation_failed') ?? every[0]
  return html`<h3 id="errors">Errors</h3>
    <p>All errors have one shape${resources.has('Problem') && html`, ${resourceLink('Problem')}`}: a
      label, the messages, and the same messages joined. Some errors have one more key. Programs should use the status;
      labels and messages are for people.</p>
    ${
      shown &&
      html`<figure><figcaption><b class="status refused">${shown.status}</b> ${shown.label}</figcaption>
        <pre>${code(JSON.stringify(shown.example, null, 2))}</pre></figure>`
    }
    ${common.length > 0 && html`<p>Any endpoint may refuse with:</p>${refusalList(common)}`}`
}

function paging({ operations, resources }: IntroductionContext): Html | undefined {
  const list = operations.find(isPaged)
  if (!list) return undefined
  const parameters = list.parameters.filter(({ name }) => name === 'page' || name === 'per_page')
  const pagination = resources.get('Pagination')
  return html`<h3 id="paging">Paging</h3>
    <p>Lists that can grow have pages. They take:</p>
    ${parameterTable(parameters)}
    ${
      pagination &&
      html`<p>and answer with the position in the list under ${code('pagination')} (${resourceLink('Pagination')}):</p>
        <pre>${code(JSON.stringify({ pagination: sampleOf(pagination, resources) }, null, 2))}</pre>`
    }`
}

function isPaged({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'per_page')
}
