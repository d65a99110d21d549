export type SearchSearch = { q?: string; contents?: boolean }

/** Transcripts are searched unless the address says otherwise. */
export function searchSearch(raw: Record<string, unknown>): SearchSearch {
  return {
    ...(typeof raw.q === 'string' && raw.q !== '' && { q: raw.q }),
    ...(raw.contents === false && { contents: false }),
  }
}
