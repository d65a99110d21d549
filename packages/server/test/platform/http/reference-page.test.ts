import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { OpenApiOperation } from '../../../src/platform/http/openapi.ts'
import { renderReference } from '../../../src/platform/http/reference-page.ts'
import { yard } from './yard-document.ts'

const run = promisify(execFile)
const hostile = `<script>alert("x")</script><img src=x onerror='y' style="z">`

describe('the page as a whole', () => {
  test('every operation has an anchor and is linked from the contents under its tag', () => {
    const { html } = renderReference(yard())
    const contents = between(html, '<nav', '</nav>')

    for (const id of ['getWagons', 'postWagons', 'getWagonsById', 'deleteWagonsById', 'getSignals']) {
      expect(html).toContain(`<article class="endpoint" id="${id}">`)
      expect(contents).toContain(`<a href="#${id}">`)
    }
    expect(contents.indexOf('>Wagons<')).toBeLessThan(contents.indexOf('#getWagons'))
    expect(contents.indexOf('#deleteWagonsById')).toBeLessThan(contents.indexOf('>Signals<'))
    expect(contents.indexOf('>Signals<')).toBeLessThan(contents.indexOf('#getSignals'))
  })

  test('every link has a target and every anchor is unique', () => {
    const { html } = renderReference(yard())
    const anchors = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    const targets = [...html.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id)

    expect(new Set(anchors).size).toBe(anchors.length)
    expect(targets.filter((target) => !anchors.includes(target))).toEqual([])
  })

  test('the page as a whole has no script, inline style or external resource', () => {
    const { html, css } = renderReference(yard())

    expect(forbiddenMarkup(html)).toEqual([])
    expect(html.match(/(src|href)="[^#"][^"]*"/g)).toEqual(['href="/docs/reference.css"'])
    expect(css).not.toMatch(/url\(|@import/)
  })

  test('heading levels do not skip', () => {
    const levels = [...renderReference(yard()).html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))

    expect(levels[0]).toBe(1)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
  })

  test('the introduction shows base path, key header, error shape and the address of the OpenAPI document', () => {
    const head = textOf(between(renderReference(yard()).html, '<main', 'id="tag-Wagons"'))

    expect(head).toContain('Every path on this page is relative to /api/v1.')
    expect(head).toContain('Send an API key in the X-API-Key header')
    expect(head).toContain('"message": "Name can\'t be blank"')
    expect(head).toContain('It is at /api/v1/openapi.json and needs the key')
    expect(head).toContain('Items a page holds, 1 to 100.')
    expect(head).toContain('"total_count": 61')
  })

  test('a document without paged lists has no section on paging', () => {
    const document = yard()
    document.paths = { '/signals': document.paths['/signals'] ?? {} }

    expect(renderReference(document).html).not.toContain('paging')
  })

  test('the reference page of a document without endpoints is rendered', () => {
    expect(renderReference({ ...yard(), tags: [], paths: {} }).html).toContain('<h1>Yard')
  })
})

describe('hostile text', () => {
  test('hostile text is escaped everywhere', () => {
    const schema = {
      type: 'object',
      description: hostile,
      required: [hostile],
      properties: {
        [hostile]: {
          type: 'string',
          description: hostile,
          enum: [hostile, 'b'],
          default: hostile,
          examples: [hostile],
        },
        kind: { type: hostile, format: hostile },
        shape: { type: 'string', pattern: hostile },
        other: { $ref: `#/components/schemas/${hostile}` },
      },
    }
    const response = { description: hostile, content: { [hostile]: { schema } } }
    const operation: OpenApiOperation = {
      operationId: hostile,
      tags: [hostile],
      summary: hostile,
      description: `\`${hostile}\``,
      parameters: [{ name: hostile, in: hostile, required: true, description: hostile, schema: { type: 'string' } }],
      requestBody: { required: false, content: { 'application/json': { schema } } },
      responses: {
        200: response,
        422: {
          description: hostile,
          content: { 'application/json': { schema, examples: { [hostile]: { value: { error: hostile } } } } },
        },
      },
    }
    const { html } = renderReference({
      openapi: '3.1.1',
      info: { title: hostile, version: hostile, description: hostile, license: { name: hostile, identifier: hostile } },
      servers: [{ url: `/${hostile}` }],
      security: [],
      tags: [{ name: hostile }],
      paths: { [`/${hostile}`]: { [hostile]: operation } },
      components: { schemas: { [hostile]: schema }, securitySchemes: { apiKey: { name: hostile } } },
    })

    expect(forbiddenMarkup(html)).toEqual([])
    expect(textOf(html)).toContain(hostile)
  })

  test('an object that imitates the markup class is escaped', () => {
    const document = yard()
    document.info.description = JSON.parse('{"text":"<b>bold</b>"}')

    expect(() => renderReference(document)).toThrow()
  })
})

describe('an endpoint', () => {
  test('an endpoint shows its method, path, summary and description, with code between backticks', () => {
    const section = endpoint('postWagons')

    expect(textOf(between(section, '<h3>', '</h3>'))).toBe('POST /wagons')
    expect(section).toContain('Add a wagon')
    expect(section).toContain('It goes to the end, as <code>last</code> would.')
  })

  test('an endpoint lists each parameter with its location, type and description', () => {
    expect(rowOf(endpoint('getWagonsById'), 'id')).toBe('id required path string Numeric id. For example 7.')
    expect(rowOf(endpoint('getWagons'), 'per_page')).toBe(
      'per_page query integer Items a page holds, 1 to 100. Default 25.',
    )
  })

  test('an endpoint lists the fields of its body with their constraints', () => {
    const section = endpoint('postWagons')

    expect(rowOf(section, 'name')).toBe('name required string A name. 1 to 100 characters. For example Tanker.')
    expect(rowOf(section, 'note')).toBe('note string or null A note. At most 1,000 characters.')
    expect(rowOf(section, 'colour')).toBe('colour string One of red or green.')
    expect(rowOf(section, 'axles')).toBe('axles integer 2 to 8.')
    expect(rowOf(section, 'serial')).toBe('serial integer')
  })

  test('an endpoint shows nested fields under their parent field', () => {
    const section = endpoint('postWagons')

    expect(textOf(section)).toContain('2 fields of load')
    expect(rowOf(section, 'tonnes')).toBe('tonnes required number At least 0.')
    expect(textOf(section)).toContain('1 field of items')
    expect(rowOf(section, 'label')).toBe('label string')
  })

  test('an endpoint links a reference to its resource, which appears once', () => {
    const { html } = renderReference(yard())

    expect(rowOf(endpoint('getWagons'), 'wagons')).toBe('wagons array of Wagon')
    expect(endpoint('getWagons')).toContain('array of <a href="#resource-Wagon">Wagon</a>')
    expect(html.match(/id="resource-Wagon"/g)).toHaveLength(1)
    expect(rowOf(between(html, 'id="resource-Wagon"', '</article>'), 'name')).toBe('name string Its name.')
  })

  test('an endpoint marks optional fields in an answer', () => {
    expect(rowOf(endpoint('postWagons'), 'warnings')).toBe('warnings optional array of string Absent when empty.')
  })

  test('an endpoint describes answers that are not JSON', () => {
    expect(textOf(endpoint('getSignals'))).toContain('As text/event-stream: A stream of server-sent events')
  })

  test('an endpoint shows its own refusals with an example and names the common ones', () => {
    const section = endpoint('postWagons')
    const refusals = textOf(section.slice(section.indexOf('<h4>Refusals</h4>')))

    expect(refusals).toContain('422 Validation failed { "error": "Validation failed"')
    expect(refusals).toContain('422 Yard full { "error": "Yard full"')
    expect(refusals).toContain('And what any endpoint may refuse: 401 Unauthorized.')
    expect(refusals).not.toContain('"Unauthorized"')
    expect(textOf(between(renderReference(yard()).html, 'id="errors"', 'id="paging"'))).toContain(
      '"error": "Unauthorized"',
    )
  })
})

describe('the example request', () => {
  test('the example request sends required fields and fields with an example', () => {
    expect(commandOf('postWagons')).toBe(
      [
        'curl -X POST http://127.0.0.1:3000/api/v1/wagons \\',
        '  -H "X-API-Key: $API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        "  -d '{",
        '    "name": "Tanker",',
        '    "load": {',
        '      "tonnes": 1,',
        '      "items": [',
        '        {',
        '          "label": "label"',
        '        }',
        '      ]',
        '    }',
        "  }'",
      ].join('\n'),
    )
  })

  test('the example request fills the path from the examples', () => {
    expect(commandOf('deleteWagonsById')).toBe(
      'curl -X DELETE http://127.0.0.1:3000/api/v1/wagons/7 \\\n  -H "X-API-Key: $API_KEY"',
    )
  })

  test('the example of an endpoint with a server of its own uses the address of that server', () => {
    const document = yard()
    const { get } = document.paths['/signals'] ?? {}
    if (!get) throw new Error('the yard has no signals')
    document.paths = { '/api/signals': { get: { ...get, servers: [{ url: '/' }] } } }
    expect(commandOf('getSignals', document)).toMatch(/^curl -N http:\/\/127\.0\.0\.1:3000\/api\/signals /)
  })

  test('the example request disables buffering for a stream', () => {
    expect(commandOf('getSignals')).toMatch(/^curl -N http/)
  })

  test('the example request passes through a shell unchanged', async () => {
    const document = yard()
    const name = `the driver's "own" $HOME \`wagon\``
    document.paths = { '/wagons/{id}': { put: naming(name) } }
    const command = commandOf('putWagonsById', document)
    const { stdout } = await run('sh', ['-c', command.replace('curl', 'curl() { printf "%s\\n" "$@"; }; curl')], {
      env: { ...process.env, API_KEY: 'secret' },
    })

    expect(stdout).toContain(`http://127.0.0.1:3000/api/v1/wagons/${encodeURIComponent(name)}\n`)
    expect(stdout).toContain('X-API-Key: secret\n')
    expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual({ name })
  })
})

describe('the example of a resource', () => {
  test('the example of a resource is finite for a recursive resource', () => {
    const example = textOf(between(renderReference(yard()).html, 'id="resource-Wagon"', '</article>'))

    expect(example).toContain(
      '{ "id": 42, "name": "name", "coupled_at": "2026-08-22T18:09:42Z", "next": {}, "behind": [], "note": null }',
    )
  })
})

function endpoint(id: string): string {
  return between(renderReference(yard()).html, `id="${id}"`, '</article>')
}

function commandOf(id: string, document = yard()): string {
  const section = between(renderReference(document).html, `id="${id}"`, '</article>')
  return unescaped(between(section, '<pre class="shell"><code>', '</code>').replace('<pre class="shell"><code>', ''))
}

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start)
  expect(from, `${start} is not there`).toBeGreaterThan(-1)
  return text.slice(from, text.indexOf(end, from))
}

/** The text of the table row of a field or parameter. */
function rowOf(html: string, name: string): string {
  return textOf(between(html, `<tr role="row"><th role="rowheader" scope="row"><code>${name}</code>`, '</tr>'))
}

function textOf(html: string): string {
  const spaced = html.replace(/<\/?(?:p|td|th|tr|pre|summary|details|li|h\d)\b[^>]*>/g, ' ')
  return unescaped(spaced.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim()
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, digits) => String.fromCharCode(Number(digits)))
}

/** Tags and attributes that the content security policy blocks. */
function forbiddenMarkup(html: string): string[] {
  const tags = html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""')) ?? []
  return tags.filter((tag) => /^<\/?(?:script|style|img|iframe)\b|\s(?:style|on\w+)\s*=/i.test(tag))
}

function naming(name: string): OpenApiOperation {
  return {
    operationId: 'putWagonsById',
    tags: ['Wagons'],
    summary: 'Name a wagon',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', examples: [name] } }],
    requestBody: {
      required: false,
      content: {
        'application/json': { schema: { type: 'object', properties: { name: { type: 'string', examples: [name] } } } },
      },
    },
    responses: { 200: { description: 'Done.' } },
  }
}
