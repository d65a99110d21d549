import { z } from 'zod'

// Schemas for the values of environment variables. A message completes the sentence that begins with the variable's name.

export function text() {
  return z.string().trim()
}

export function path() {
  return text().refine((value) => value.startsWith('/'), { message: 'must be an absolute path' })
}

export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return text()
    .regex(/^\d+$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { message: rule })
}

/** Words separated by commas or spaces. */
export function wordList() {
  return text().transform((value) => value.split(/[\s,]+/).filter((word) => word !== ''))
}

export function oneOf<const T extends string>(choices: readonly T[]) {
  return z.enum(choices, { error: `must be one of: ${choices.join(', ')}` })
}

/** The message never repeats the value: a connection URL may hold a password. */
export function url(protocols: readonly string[]) {
  const rule = `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`
  return text().refine(
    (value) => protocols.some((protocol) => value.startsWith(`${protocol}//`)) && URL.canParse(value),
    { message: rule },
  )
}

/** The address of an API to which requests with a token are sent. `fetch` refuses one with a password in it. */
export function apiAddress() {
  return url(['http:', 'https:']).refine(
    (value) => {
      if (!URL.canParse(value)) return true // refused above
      const { username, password, search, hash } = new URL(value)
      return [username, password, search, hash].every((part) => part === '')
    },
    { message: 'must have no user name, password, query or fragment' },
  )
}
