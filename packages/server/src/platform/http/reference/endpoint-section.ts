import { type Html, html } from '../../html/html.ts'
import type { OpenApiResponse } from '../openapi.ts'
import { type Caller, curlExample } from './curl.ts'
import { bodyView, parameterTable } from './field-table.ts'
import { code, listed, methodBadge, pathCode, prose } from './markup.ts'
import type { Operation } from './operations.ts'
import { ownRefusals, refusalList, type ShownRefusal } from './refusals.ts'
import type { Resources } from './sample.ts'
import { readShape } from './shape.ts'

export type EndpointContext = { caller: Caller; resources: Resources; common: readonly ShownRefusal[] }

export function endpointSection(operation: Operation, { caller, resources, common }: EndpointContext): Html {
  const { anchor, method, path, summary, description } = operation
  return html`<article class="endpoint" id="${anchor}">
    <header>
      <h3><a href="#${anchor}">${methodBadge(method)} ${pathCode(path)}</a></h3>
      <p class="summary">${prose(summary)}</p>
      ${description !== undefined && html`<p>${prose(description)}</p>`}
    </header>
    <div class="example">
      <h4>Example</h4>
      <pre class="shell">${code(curlExample(operation, caller, resources))}</pre>
    </div>
    <div>
      ${operation.parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(operation.parameters)}`}
      ${requestBody(operation)}
      <h4>Answers</h4>
      ${answersOf(operation).map(([status, response]) => answerView(status, response))}
      ${refusalsView(ownRefusals(operation, common), common)}
    </div>
  </article>
  `
}

function requestBody({ requestBody: body }: Operation): Html | undefined {
  if (!body) return undefined
  return html`<h4>Body</h4>
    ${Object.values(body.content).map(({ schema }) => bodyView(readShape(schema), 'request'))}`
}

function answersOf({ responses }: Operation): [string, OpenApiResponse][] {
  return Object.entries(responses).filter(([status]) => Number(status) < 400)
}

function answerView(status: string, { description, content = {} }: OpenApiResponse): Html {
  const media = Object.entries(content)
  // JSON is the default, so JSON alone is not named.
  const isPlainJson = media.every(([type]) => type === 'application/json')
  return html`<div class="answer">
    <p><b class="status answered">${status}</b> ${prose(description)}</p>
    ${media.map(
      ([type, { schema }]) => html`${!isPlainJson && html`<p class="media">As ${code(type)}:</p>`}
        ${wordsForMedia[type] ?? bodyView(readShape(schema), 'answer')}`,
    )}
  </div>`
}

const wordsForMedia: Record<string, Html> = {
  'text/plain': html`<p>Plain text.</p>`,
  'application/zip': html`<p>A zip file. <code>Range</code> asks for a part of it, which is answered with 206.</p>`,
  'text/event-stream': html`<p>A stream of server-sent events, open until the client disconnects.</p>`,
}

function refusalsView(own: readonly ShownRefusal[], common: readonly ShownRefusal[]): Html | undefined {
  if (own.length + common.length === 0) return undefined
  const names = common.map(({ status, label }) => html`${status} ${label}`)
  return html`<h4>Refusals</h4>
    ${own.length > 0 && refusalList(own)}
    ${
      names.length > 0 &&
      html`<p class="aside">${own.length > 0 ? 'And what' : 'Only what'} <a href="#errors">any endpoint may refuse</a>: ${listed(names, 'and')}.</p>`
    }`
}
