/** `runtime`: whose accounts are shown. */
export type InferenceSearch = { runtime?: string; page?: number }

export function inferenceSearch(raw: Record<string, unknown>): InferenceSearch {
  const page = Number(raw.page)
  return {
    ...(typeof raw.runtime === 'string' && raw.runtime !== '' && { runtime: raw.runtime }),
    ...(Number.isInteger(page) && page > 1 && { page }),
  }
}
