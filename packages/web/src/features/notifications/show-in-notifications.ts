import type { QueryClient } from '@tanstack/react-query'
import type { Result } from '../../shared/api/client.ts'
import { showInLists } from '../../shared/api/rows-at-once.ts'

export type Notification = Result<'notifications.list'>['notifications'][number]

const lists = { name: 'notifications.list', part: 'notifications' } as const

/** Without an id: all of them. A list of unread ones loses them. */
export function showRead(cache: QueryClient, id?: string | number): () => void {
  return showInLists(cache, lists, (row, { status }) =>
    row.read || !isOne(row, id) ? row : status === 'unread' ? undefined : { ...row, read: true },
  )
}

/** Without an id: all that were read. */
export function showDismissed(cache: QueryClient, id?: string | number): () => void {
  return showInLists(cache, lists, (row) => (row.read && isOne(row, id) ? undefined : row))
}

function isOne(row: Notification, id: string | number | undefined): boolean {
  return id === undefined || row.id === Number(id)
}
