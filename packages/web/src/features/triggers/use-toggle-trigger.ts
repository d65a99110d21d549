import { showAtOnce } from '../../shared/api/at-once.ts'
import type { Result } from '../../shared/api/client.ts'
import { keyOf, useWrite } from '../../shared/api/hooks.ts'
import { showInLists } from '../../shared/api/rows-at-once.ts'

type Trigger = Result<'triggers.show'>['trigger']

/** Enables or disables a trigger. Its page and every list show it at once. */
export function useToggleTrigger() {
  return useWrite('triggers.toggle', {
    optimistic(cache, { id }) {
      const page = { name: 'triggers.show', input: { id }, part: 'trigger' } as const
      const shown = cache.getQueryData<Result<'triggers.show'>>(keyOf(page.name, page.input))
      const undone = [
        showInLists(cache, { name: 'triggers.list', part: 'triggers' }, (row) =>
          row.id === Number(id) ? { ...row, ...toggled(row) } : row,
        ),
        ...(shown ? [showAtOnce(cache, page, toggled(shown.trigger))] : []),
      ]
      return () => {
        for (const undo of undone) undo?.()
      }
    },
  })
}

function toggled({ status }: Trigger) {
  return { status: status === 'enabled' ? 'disabled' : 'enabled', failed_at: null, last_error: null } as const
}
