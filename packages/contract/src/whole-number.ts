/** A whole number of 0 or more that a caller wrote as a number or as its digits; undefined for anything else. */
export function wholeNumber(said: unknown): number | undefined {
  const number = typeof said === 'string' && /^\d{1,15}$/.test(said) ? Number(said) : said
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}
