const kinds = ['roots', 'servers', 'skills', 'hooks', 'plugins'] as const
export type CatalogKind = (typeof kinds)[number]
export type CatalogSearch = { kind?: CatalogKind; find?: string }

export function catalogSearch(raw: Record<string, unknown>): CatalogSearch {
  const kind = kinds.find((known) => known === raw.kind)
  return { ...(kind && { kind }), ...(typeof raw.find === 'string' && raw.find !== '' && { find: raw.find }) }
}
