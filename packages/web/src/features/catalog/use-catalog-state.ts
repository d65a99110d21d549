import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { refresh, useRead } from '../../shared/api/hooks.ts'

/** The state of the catalog, and its entries read again when its version changes: no event announces an edited file. */
export function useCatalogState(): Result<'catalog.show'>['catalog'] | undefined {
  const cache = useQueryClient()
  const catalog = useRead('catalog.show', {}, { everyMs: 5_000 }).data?.catalog
  const shown = useRef(catalog?.version)
  useEffect(() => {
    const { current: before } = shown
    shown.current = catalog?.version
    if (before !== undefined && before !== catalog?.version)
      void refresh(cache, ['configs', 'mcp_servers', 'skills', 'hooks', 'plugins'])
  }, [cache, catalog?.version])
  return catalog
}
