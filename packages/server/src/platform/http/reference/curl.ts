import { shellQuote } from '../../process/shell-quote.ts'
import type { Operation } from './operations.ts'
import { type Resources, sampleBody, sampleOf } from './sample.ts'
import { readShape } from './shape.ts'

export type Caller = {
  /** The address and base path of the service. */
  base: string
  keyHeader: string
}

/** The shell variable that holds the key in examples. */
export const keyVariable = 'API_KEY'

/** A request to paste into a shell. */
export function curlExample(operation: Operation, { base, keyHeader }: Caller, resources: Resources): string {
  const answersAs = (type: string): boolean =>
    Object.values(operation.responses).some(({ content = {} }) => type in content)
  const body = operation.requestBody?.content['application/json']?.schema
  const start = [
    'curl',
    answersAs('text/event-stream') && '-N',
    answersAs('application/zip') && '-OJ',
    operation.method !== 'GET' && `-X ${operation.method}`,
  ]
    .filter(Boolean)
    .join(' ')
  return [
    `${start} ${shellQuote(baseOf(operation, base) + addressOf(operation, resources))}`,
    `-H "${keyHeader}: $${keyVariable}"`,
    ...(body ? [`-H 'Content-Type: application/json'`] : []),
    ...(body ? [`-d ${shellQuote(indented(sampleBody(readShape(body), resources)))}`] : []),
  ].join(' \\\n  ')
}

/** An operation with a server of its own is below that path of the same origin. */
function baseOf({ servers: [own] = [] }: Operation, base: string): string {
  return own ? new URL(own.url, base).href.replace(/\/$/, '') : base
}

function addressOf({ path, parameters }: Operation, resources: Resources): string {
  const sampleText = ({ name, schema }: Operation['parameters'][number]): string =>
    encodeURIComponent(String(sampleOf(readShape(schema), resources, name)))
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const inQuery = parameters.filter(
    ({ in: place, required, schema }) => place === 'query' && (required || readShape(schema).examples.length > 0),
  )
  const filled = inPath.reduce(
    (text, parameter) => text.replaceAll(`{${parameter.name}}`, () => sampleText(parameter)),
    path,
  )
  const query = inQuery.map((parameter) => `${encodeURIComponent(parameter.name)}=${sampleText(parameter)}`).join('&')
  return query === '' ? filled : `${filled}?${query}`
}

function indented(body: unknown): string {
  return JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
}
