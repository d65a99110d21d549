/** The phrase and the filters, as the address has them. */
export type SearchSearch = {
  q?: string
  contents?: false
  status?: string
  agent_runtime?: string
  priority_class?: string
  genesis?: string
  archived?: true
}

const texts = ['q', 'status', 'agent_runtime', 'priority_class', 'genesis'] as const

/** Transcripts are searched, and archived sessions are not, unless the address says otherwise. */
export function searchSearch(raw: Record<string, unknown>): SearchSearch {
  // An address with `q=404` is read as a number.
  const given = texts.flatMap((name) => (/^(string|number)$/.test(typeof raw[name]) ? [[name, String(raw[name])]] : []))
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== '')),
    ...(raw.contents === false && { contents: false }),
    ...(raw.archived === true && { archived: true }),
  }
}
