import { describe, expect, test } from 'vitest'
import { problemsWith } from '../../../src/domain/elicitations/check-answer.ts'
import { parseJson } from '../../../src/platform/exact-json.ts'

const form = (field: unknown) => ({ type: 'object', properties: { it: field } })

describe('an answer is checked against the requested schema', () => {
  test.each([
    [{ type: 'string' }, 'text', 7, 'it must be a string'],
    [{ type: 'string', minLength: 2 }, 'ab', 'a', 'it is too short (minimum is 2 characters)'],
    [{ type: 'string', maxLength: 2 }, 'äö', 'abc', 'it is too long (maximum is 2 characters)'],
    [{ type: 'string', format: 'email' }, 'a@b.test', 'nobody', 'it must be a valid email'],
    [{ type: 'string', format: 'uri' }, 'https://a.test/x', 'a b', 'it must be a valid uri'],
    [{ type: 'string', format: 'date' }, '2026-08-30', '30.8.2026', 'it must be a valid date'],
    [{ type: 'string', format: 'date-time' }, '2026-08-30T10:00:00Z', '2026-08-30', 'it must be a valid date-time'],
    [{ type: 'string', enum: ['a', 'b'] }, 'b', 'c', 'it must be one of: a, b'],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'b', 'it must be one of: a'],
    [{ type: 'number', minimum: 1, maximum: 2 }, 1.5, 2.5, 'it must be less than or equal to 2'],
    [{ type: 'integer', minimum: 1 }, 1, 0, 'it must be greater than or equal to 1'],
    [{ type: 'integer' }, 3, 3.5, 'it must be an integer'],
    [{ type: 'boolean' }, false, 'false', 'it must be true or false'],
    [{ type: ['string', 'null'] }, null, 1, 'it must be a string or null'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a', 'b'], ['c'], 'it must be one of: a, b'],
    [{ type: 'array', maxItems: 1 }, ['a'], ['a', 'b'], 'it has too many entries (maximum is 1)'],
    [{ type: 'array', minItems: 1 }, ['a'], [], 'it has too few entries (minimum is 1)'],
  ])('%j takes %j and rejects %j', (field, right, wrong, problem) => {
    expect(problemsWith({ it: right }, form(field))).toEqual([])
    expect(problemsWith({ it: wrong }, form(field))).toEqual([problem])
  })

  test('an answer needs the required fields, and may have others unless the schema forbids them', () => {
    const schema = { ...form({ type: 'string' }), required: ['it'] }
    expect(problemsWith(null, schema)).toEqual(["it can't be blank"])
    expect(problemsWith({ it: 'x', more: 1 }, schema)).toEqual([])
    expect(problemsWith({ it: 'x', more: 1 }, { ...schema, additionalProperties: false })).toEqual([
      'more is not a field of the form',
    ])
  })

  test('an answer to a question without a schema may be anything', () => {
    expect(problemsWith({ any: ['thing'] }, null)).toEqual([])
  })

  test('a list with thousands of entries is checked against thousands of choices without repeating them, and the sentence lists twenty', () => {
    const choices = Array.from({ length: 12_000 }, (_, n) => n)
    const sentence = `it must be one of: ${choices.slice(0, 20).join(', ')}, …`
    for (const field of [
      { type: 'array', items: { enum: choices } },
      { type: 'array', items: { type: 'array', items: { enum: choices } } },
    ]) {
      const [right, wrong] = field.items.type ? [[1], [-1]] : [1, -1]
      const many = (each: unknown) => Array.from({ length: 32_000 }, () => each)
      expect(problemsWith({ it: many(right) }, form(field))).toEqual([])
      expect(problemsWith({ it: many(wrong) }, form(field))).toEqual([sentence])
    }
    expect(problemsWith({ it: 'c' }, form({ enum: ['x'.repeat(5000)] }))[0]?.length).toBeLessThan(200)
  })

  test('integers beyond 2^53 are compared by their digits, with bounds and with choices', () => {
    const read = (text: string) => Object(parseJson(text))
    const field = read('{"minimum": 9007199254740993, "maximum": 9007199254740997}')
    for (const [digits, problems] of [
      ['9007199254740992', ['it must be greater than or equal to 9007199254740993']],
      ['9007199254740993', []],
      ['9007199254740997', []],
      ['9007199254740998', ['it must be less than or equal to 9007199254740997']],
    ] as const)
      expect(problemsWith(read(`{"it": ${digits}}`), form({ type: 'integer', ...field }))).toEqual(problems)
    const choice = read('{"enum": [9007199254740993]}')
    expect(problemsWith(read('{"it": 9007199254740993}'), form(choice))).toEqual([])
    expect(problemsWith(read('{"it": 9007199254740992}'), form(choice))).toEqual([
      'it must be one of: 9007199254740993',
    ])
    expect(problemsWith(read('{"it": 9007199254740993}'), form({ maximum: 2.5 }))).toHaveLength(1)
  })

  test('a hostile schema neither throws nor takes long, and its pattern is not run', () => {
    for (const schema of [
      { properties: 7, required: 'x' },
      { properties: { it: null } },
      { properties: { it: { type: 'teapot', enum: 'x', oneOf: [7], items: 3 } } },
      { properties: { it: { enum: [{ toString: 1 }] } } },
      { properties: { it: { type: [{ toString: 1 }] } } },
      { properties: { it: { type: 'string', pattern: '(a+)+$' } } },
      JSON.parse('{"properties": {"__proto__": {"type": "string"}}, "required": ["__proto__"]}'),
    ])
      expect(() => problemsWith({ it: `${'a'.repeat(5000)}!` }, schema)).not.toThrow()
  })
})
