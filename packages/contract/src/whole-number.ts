/** The one reading of a whole number that a caller wrote: as a number or as its digits, 0 or more. Anything else is none. */
export function wholeNumber(said: unknown): number | undefined {
  const number = typeof said === 'string' && /^\d{1,15}$/.test(said) ? Number(said) : said
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}
