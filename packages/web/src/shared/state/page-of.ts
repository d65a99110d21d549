/** The page of a list, as an address has it. The first has no number. */
export function pageOf(raw: Record<string, unknown>): { page?: number } {
  const page = Number(raw.page)
  return Number.isInteger(page) && page > 1 ? { page } : {}
}
