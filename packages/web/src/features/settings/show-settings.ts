import type { QueryClient } from '@tanstack/react-query'
import { showAtOnce } from '../../shared/api/at-once.ts'
import type { Input } from '../../shared/api/client.ts'
import type { Undo } from '../../shared/api/hooks.ts'

/**
 * Shows chosen settings before the server has saved them. The classes are saved as one map, so the next choice must contain this one.
 * A typed number stays in its field as it is: one that the server refuses is corrected there.
 */
export function showSettings(cache: QueryClient, changes: Input<'settings.update'>): Undo | undefined {
  const chosen = Object.entries(changes).filter(([, value]) => typeof value !== 'number')
  return showAtOnce(cache, { name: 'settings.show', input: {}, part: 'settings' }, Object.fromEntries(chosen))
}
