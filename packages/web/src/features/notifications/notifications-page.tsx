import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'

export default function NotificationsPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('notifications.list', { per_page: 100 })
  const markRead = useWrite('notifications.mark_read')
  const markAllRead = useWrite('notifications.mark_all_read')
  const dismiss = useWrite('notifications.dismiss')
  const notifications = data?.notifications ?? []
  return (
    <Page
      title="Notifications"
      actions={
        <Button
          isBusy={markAllRead.isPending}
          disabled={notifications.every(({ read }) => read)}
          onClick={() => markAllRead.mutate({})}
        >
          Mark all read
        </Button>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data && notifications.length === 0 && (
          <EmptyState icon="bell" title="No notifications">
            When a session ends, fails or asks, it appears here.
          </EmptyState>
        )}
        <ul>
          {notifications.map(({ id, title, body, read, created_at, session_id }) => (
            <li
              key={id}
              className="flex min-h-12 items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0 hover:bg-hover"
            >
              <span className={`size-2 shrink-0 rounded-full ${read ? '' : 'bg-accent'}`}>
                {!read && <span className="unseen">Unread</span>}
              </span>
              <span className="min-w-0 grow">
                {session_id === null ? (
                  <span className="block truncate font-medium">{title}</span>
                ) : (
                  <Link
                    to="/sessions/$id"
                    params={{ id: String(session_id) }}
                    onClick={() => !read && markRead.mutate({ id: String(id) })}
                    className="block truncate font-medium hover:underline"
                  >
                    {title}
                  </Link>
                )}
                <span className="block truncate text-muted text-sm">{body}</span>
              </span>
              <Time at={created_at} className="text-muted text-sm" />
              <IconButton icon="x" label="Dismiss" size="sm" onClick={() => dismiss.mutate({ id: String(id) })} />
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  )
}
