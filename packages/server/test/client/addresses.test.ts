import { addresses } from '@yardmaster/client/addresses'
import { webAddresses } from '@yardmaster/client/web-addresses'
import { operations } from '@yardmaster/contract/operations'
import { webOperations } from '@yardmaster/contract/web-operations'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

describe('the table of addresses', () => {
  test('the table of addresses has method and path of every operation, as declared', () => {
    expect(addresses).toEqual(
      Object.fromEntries(operations.map(({ name, method, path }) => [name, `${method} ${path}`])),
    )
    expect(webAddresses).toEqual(
      Object.fromEntries(webOperations.map(({ name, method, path }) => [name, `${method} ${path}`])),
    )
  })

  test('the table of addresses puts every key where the declaration expects it', () => {
    const misplaced = [...operations, ...webOperations].flatMap(({ name, method, path, params, query, body }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key)
      const restIsQuery = method === 'GET' || method === 'DELETE'
      return [
        ...keysOf(params).filter((key) => !inPath.includes(key)),
        ...inPath.filter((key) => !keysOf(params).includes(key ?? '')),
        ...keysOf(query).filter(() => !restIsQuery),
        // A DELETE may repeat a key of its query in the body; the client sends the query.
        ...keysOf(body).filter((key) => restIsQuery && !keysOf(query).includes(key)),
      ].map((key) => `${name}: ${key}`)
    })
    expect(misplaced).toEqual([])
  })
})

function keysOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  if (!(schema instanceof z.ZodObject)) throw new Error('an input is no object')
  return Object.keys(schema.shape)
}
