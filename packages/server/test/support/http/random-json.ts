/** A deterministic random number generator from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Random request bodies from a seed: valid ones, `example` with other values, and noise. */
export function randomBodies(seed: number, example: Record<string, unknown>): () => Buffer {
  const keys = Object.keys(example)
  const random = seededRandom(seed)
  const upTo = (bound: number): number => Math.floor(random() * bound)
  const oneOf = <T>(choices: readonly T[]): T => choices[upTo(choices.length)] as T // never empty here

  const text = (): string => oneOf([() => oneOf(awkwardTexts), () => 'x'.repeat(upTo(300)), noise])()
  const noise = (): string => String.fromCharCode(...Array.from({ length: upTo(20) }, () => upTo(0x10000)))
  const value = (depth: number): unknown =>
    oneOf([
      () => text(),
      () => oneOf(awkwardValues),
      () => (random() - 0.5) * 10 ** upTo(40),
      () => (depth > 0 ? Array.from({ length: upTo(4) }, () => value(depth - 1)) : []),
      () => (depth > 0 ? object(depth - 1) : {}),
    ])()
  const object = (depth: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: upTo(6) }, () => [oneOf([...keys, text()]), value(depth)]))

  const body = (): Record<string, unknown> => {
    const others = Object.fromEntries(Array.from({ length: upTo(3) }, () => [oneOf(keys), value(4)]))
    return oneOf([{ ...example, ...others }, others, object(4)])
  }

  const damages: ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes,
    (bytes) => bytes.subarray(0, upTo(bytes.length + 1)),
    (bytes) => bytes.subarray(upTo(bytes.length + 1)),
    (bytes) => Buffer.concat([bytes, bytes]),
    (bytes) => {
      const damaged = Buffer.from(bytes)
      for (let times = upTo(5); times >= 0 && damaged.length > 0; times -= 1) damaged[upTo(damaged.length)] = upTo(256)
      return damaged
    },
    (bytes) => {
      const at = upTo(bytes.length + 1)
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(oneOf(awkwardPieces)), bytes.subarray(at)])
    },
    () => Buffer.from(Array.from({ length: upTo(200) }, () => upTo(256))),
  ]
  return () => oneOf(damages)(Buffer.from(JSON.stringify(body())))
}

const awkwardTexts = [
  '',
  ' ',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  '\u001b[31m',
  '../../etc',
  "'; --",
  '%00',
  '\u202e',
]
const awkwardValues = [null, true, false, 0, -0, -1, 1e308, 2 ** 53, [], {}, [[]], [null], { __proto__: null }]
const awkwardPieces = [
  '\\u0000',
  '\\ud83d',
  '"',
  '{',
  '[[[[',
  '}',
  ',',
  '\0',
  '1e999',
  '//',
  '\\',
  '"__proto__":{"a":1},',
]
