import { wholePath } from '@yardmaster/contract/address'
import type { OpenApiDocument } from '../../../src/platform/http/openapi.ts'
import { malformedRequests } from './malformed-requests.ts'
import { seededRandom } from './random-json.ts'

export type OddRequest = {
  method: string
  /** As sent; no character above U+00FF. */
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
  operation: string
}

type Options = Parameters<typeof malformedRequests>[1]

/**
 * The requests of `malformedRequests` with something odd about how they are sent: the encoding of the body, duplicate keys
 * and parameters, huge numbers, deep nesting, the headers, the method, the path. The same seed makes the same requests.
 */
export function oddRequests(api: OpenApiDocument, options: Options): () => OddRequest {
  const next = malformedRequests(api, options)
  const random = seededRandom(options.seed + 1)
  const oneOf = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T // never empty here

  const oddBody = (text: string): Buffer => {
    switch (oneOf(['plain', 'plain', 'numbers', 'duplicates', 'nested', 'bom', 'utf-16', 'latin1', 'cut', 'noise'])) {
      case 'numbers':
        return Buffer.from(text.replaceAll(/(?<=[:[,])-?\d+(?:\.\d+)?(?=[,\]}])/g, () => oneOf(oddNumbers)))
      case 'duplicates':
        return Buffer.from(
          text.replace(/^\{("(?:[^"\\]|\\.)*":)/, (_, key: string) => `{${key}${oneOf(oddValues)},${key}`),
        )
      case 'nested': {
        const depth = oneOf([10, 63, 64, 65, 5000, 100_000])
        return Buffer.from(
          text.replace(/(?<=:)(?:null|true|false|\d+|"[^"\\]*")/, '['.repeat(depth) + ']'.repeat(depth)),
        )
      }
      case 'bom':
        return Buffer.from(`\uFEFF${text}`)
      case 'utf-16':
        return Buffer.from(text, 'utf16le')
      case 'latin1':
        return Buffer.from(`${text.slice(0, -1)}\xff\xc3}`, 'latin1')
      case 'cut':
        return Buffer.from(text).subarray(0, Math.floor(random() * text.length))
      case 'noise':
        return Buffer.from(Array.from({ length: 60 }, () => Math.floor(random() * 256)))
      default:
        return Buffer.from(text)
    }
  }

  const oddPath = (path: string): string => {
    const [place = '', query] = path.split('?')
    const oddPlace = random() < 0.1 ? place.replace(/\/([^/]*)$/, () => oneOf(oddEndings)) : place
    const parameters = query?.split('&') ?? []
    if (random() < 0.2) parameters.push(...parameters.slice(0, 1), oneOf(oddParameters))
    return `${wholePath(oddPlace)}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
  }

  return () => {
    const { method, url, body, operation } = next()
    const sent = body === undefined ? undefined : oddBody(body)
    return {
      method: random() < 0.03 ? oneOf(['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'POST']) : method,
      path: oddPath(url),
      headers: {
        ...(sent && { 'content-type': random() < 0.75 ? 'application/json' : oneOf(contentTypes) }),
        ...(random() < 0.2 && oneOf(oddHeaders)),
      },
      body: sent,
      operation,
    }
  }
}

const oddNumbers = [
  '1e400',
  '1e200000',
  '1e131073',
  '1e-200000',
  '-1e400',
  '-0',
  '0.1e-400',
  '1.0',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '2147483648',
  '-2147483649',
  '12345678901234567890123456789',
  '1e15',
  '4294967296.5',
]
const oddValues = ['null', '{}', '[]', '"\\u0000"', '"\\ud800"', '"x"', '1e400', 'true', '{"__proto__":1}']
const oddEndings = [
  '/%00',
  '/%ed%a0%80',
  '/%2e%2e',
  '/..%2f..',
  '/%ff',
  '//',
  '/',
  '/;',
  '/%',
  '/1/2',
  '/9223372036854775808',
]
const oddParameters = [
  'page=1&page=2',
  'page=1e400',
  'page=9223372036854775807&per_page=100',
  'per_page=%00',
  'q=%ed%a0%80&query=%00',
  'a[b]=c&a[b][c]=d',
  '__proto__=1',
  '=',
  '&&',
  '%=%',
  'scan_cursor=%7B%22after%22%3A1e400%7D',
  'scan_cursor=////',
  `q=${'%00'.repeat(10)}`,
  `q=${'x'.repeat(1001)}`,
  'status=%00&genesis=%00&visibility=%00&agent_runtime=%00',
]
const contentTypes = [
  'application/json; charset=utf-16le',
  'application/json; charset=nonsense',
  'application/json;charset=utf-8;charset=utf-7',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'APPLICATION/JSON',
  ';',
  'x',
]
const oddHeaders: readonly Record<string, string>[] = [
  { 'content-encoding': 'gzip' },
  { 'accept-encoding': 'nonsense;q=9' },
  { accept: '\xff' },
  { accept: 'text/plain, */*;q=NaN' },
  { 'accept-language': 'x'.repeat(4000) },
  { 'if-none-match': '"\xe9"' },
  { range: 'bytes=9-1' },
  { expect: 'nothing' },
  { cookie: `a=${'%'.repeat(1000)}` },
  { 'x-api-key': 'test-key, test-key' },
  { 'x-http-method-override': 'DELETE' },
  { 'last-event-id': '9223372036854775808' },
  { 'idempotency-key': '\xff' },
]
