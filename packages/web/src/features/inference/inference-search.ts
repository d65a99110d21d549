import { pageOf } from '../../shared/state/page-of.ts'

/** `runtime`: whose accounts are shown. */
export type InferenceSearch = { runtime?: string; page?: number }

export function inferenceSearch(raw: Record<string, unknown>): InferenceSearch {
  return {
    ...(typeof raw.runtime === 'string' && raw.runtime !== '' && { runtime: raw.runtime }),
    ...pageOf(raw),
  }
}
