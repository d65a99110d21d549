/** Deterministic random characters, the same in every run. */
export type Seeded = {
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  from(alphabet: string, length: number): string
  digits(length: number): string
  hex(length: number): string
  alnum(length: number): string
  upper(length: number): string
  lower(length: number): string
  word(length: number): string
  base64(length: number): string
  uuid(): string
  bytes(length: number): Buffer
}

const lowercase = 'abcdefghijklmnopqrstuvwxyz'
const uppercase = lowercase.toUpperCase()
const figures = '0123456789'

export function seeded(seed: number): Seeded {
  let state = seed >>> 0
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const from = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[below(alphabet.length)]).join('')
  const hex = (length: number): string => from('0123456789abcdef', length)
  return {
    below,
    from,
    hex,
    pick: (choices) => {
      const chosen = choices[below(choices.length)]
      if (chosen === undefined) throw new Error('nothing to pick from')
      return chosen
    },
    digits: (length) => from(figures, length),
    alnum: (length) => from(lowercase + uppercase + figures, length),
    upper: (length) => from(uppercase + figures, length),
    lower: (length) => from(lowercase + figures, length),
    word: (length) => from(`${lowercase + uppercase + figures}_-`, length),
    base64: (length) => from(`${lowercase + uppercase + figures}+/`, length),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${from('89ab', 1)}${hex(3)}-${hex(12)}`,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}
