import { operations } from '@yardmaster/contract/operations'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

// An absent category means Uncategorized, so this one is no partial change.
const changing = operations.filter(({ method, name }) => method === 'PATCH' && name !== 'sessions.set_category')

describe('the body of a PATCH', () => {
  test.each(changing.map((operation) => [operation.name, operation] as const))(
    '%s contains exactly the keys that were sent',
    (_name, { body }) => {
      // A body that refuses to be empty changes nothing either.
      expect(body?.safeParse({}).data ?? {}).toEqual({})
    },
  )

  test('sessions.update keeps null apart from absent', () => {
    const { body } = declared('sessions.update')
    expect(body?.parse({})).toEqual({})
    expect(body?.parse({ goal: null, scheduling_class: '', unknown: 1 })).toEqual({
      goal: null,
      scheduling_class: null,
    })
  })

  test('enqueued_messages.update keeps null apart from absent', () => {
    const { body } = declared('enqueued_messages.update')
    expect(body?.parse({ content: 'a' })).toEqual({ content: 'a' })
    expect(body?.parse({ goal: ' ' })).toEqual({ goal: null })
  })
})

describe('the early keys of a body', () => {
  test('the early keys of a body never refuse, whatever the body holds', () => {
    for (const { early } of operations) {
      for (const value of [undefined, null, 1, '', 'k', [], {}]) {
        expect(early.safeParse({ idempotency_key: value }).success).toBe(true)
      }
    }
  })
})

test('one flat input holds every key of an operation: a key in two places has one meaning', () => {
  const clashes = operations.flatMap(({ name, params, query, body }) => {
    const places = [shapeOf(params), shapeOf(query), body ? shapeOf(body) : {}]
    const keys = places.flatMap((shape) => Object.keys(shape))
    return keys
      .filter((key, index) => keys.indexOf(key) !== index)
      .filter((key) => new Set(places.flatMap((shape) => shape[key] ?? [])).size > 1)
      .map((key) => `${name}: ${key}`)
  })
  expect(clashes).toEqual([])
})

function shapeOf(schema: z.ZodType): Record<string, unknown> {
  if (!(schema instanceof z.ZodObject)) throw new Error('an input is no object')
  return schema.shape
}

function declared(name: string) {
  const found = operations.find((operation) => operation.name === name)
  if (!found) throw new Error(`there is no operation ${name}`)
  return found
}
