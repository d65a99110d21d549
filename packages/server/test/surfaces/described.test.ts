import { expect, test } from 'vitest'
import type { JsonSchema, OpenApiDocument } from '../../src/platform/http/openapi.ts'
import { testApp } from '../support/app/app.ts'

const app = testApp({ environment: { ROLE: 'web' } })

test('every endpoint has a summary, every parameter and field a sentence, and every refusal an example', async () => {
  const api = (await app.get('/openapi.json')).body as OpenApiDocument
  const undescribed = Object.entries(api.components.schemas).flatMap(([name, schema]) => fieldsWithout(schema, name))
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, { summary, parameters, requestBody, responses }] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`
      if (!summary) undescribed.push(`${name}: its summary`)
      const bare = parameters.filter(({ description, schema }) => !description && !schema.description)
      undescribed.push(...bare.map((parameter) => `${name}?${parameter.name}`))
      undescribed.push(...fieldsWithout(requestBody?.content['application/json']?.schema, `${name} body`))
      for (const [status, { content }] of Object.entries(responses)) {
        const { schema, examples = {} } = content?.['application/json'] ?? {}
        undescribed.push(...fieldsWithout(schema, `${name} ${status}`))
        if (Number(status) >= 400 && Object.keys(examples).length === 0)
          undescribed.push(`${name} ${status}: an example`)
      }
    }
  }
  expect(undescribed).toEqual([])
})

/** Referenced schemas are checked at their definition. */
function fieldsWithout(schema: JsonSchema | undefined, where: string): string[] {
  if (!schema || '$ref' in schema) return []
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, JsonSchema>
    items?: JsonSchema
    anyOf?: JsonSchema[]
  }
  const own = Object.entries(properties).flatMap(([name, field]) => [
    ...(isDescribed(field) ? [] : [`${where}.${name}`]),
    ...fieldsWithout(field, `${where}.${name}`),
  ])
  return [...own, ...fieldsWithout(items, `${where}[]`), ...anyOf.flatMap((one) => fieldsWithout(one, where))]
}

function isDescribed(field: JsonSchema): boolean {
  const { anyOf = [] } = field as { anyOf?: JsonSchema[] }
  return 'description' in field || '$ref' in field || anyOf.some(isDescribed)
}
