import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { NotificationRow } from './notification-row.tsx'
import { PushOnDevice } from './push-on-device.tsx'
import { showDismissed, showRead } from './show-in-notifications.ts'

export default function NotificationsPage(): ReactNode {
  const { status, page = 1 } = useSearch({ from: '/shell/notifications' })
  const navigate = useNavigate()
  const toasts = useToasts()
  const { data, error, isLoading, refetch } = useRead('notifications.list', {
    per_page: 100,
    page,
    ...(status && { status }),
  })
  const pending = useRead('notifications.badge', {}).data?.pending_count ?? 0
  const markAllRead = useWrite('notifications.mark_all_read', { optimistic: (cache) => showRead(cache) })
  const dismissRead = useWrite('notifications.dismiss_all_read', {
    optimistic: (cache) => showDismissed(cache),
    onSuccess: ({ dismissed_count }) => toasts.say(`${dismissed_count} dismissed`),
  })
  const notifications = data?.notifications ?? []
  const show = (chosen: number, options = {}) =>
    void navigate({ to: '/notifications', search: { ...(status && { status }), page: chosen }, ...options })
  // Those of other pages may be read.
  const hasRead = (data?.pagination.total_pages ?? 1) > 1 || notifications.some(({ read }) => read)
  const actions = (
    <>
      <Button
        icon="check"
        isBusy={markAllRead.isPending}
        disabled={pending === 0}
        onClick={() => markAllRead.mutate({})}
      >
        Mark all read
      </Button>
      <Button icon="x" isBusy={dismissRead.isPending} disabled={!hasRead} onClick={() => dismissRead.mutate({})}>
        Dismiss all read
      </Button>
    </>
  )
  return (
    <Page title="Notifications" note="What sessions told you" actions={actions}>
      <PushOnDevice />
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        <Tabs
          label="Which notifications"
          tabs={[
            { name: 'all', label: 'All' },
            { name: 'unread', label: 'Unread', count: pending },
          ]}
          selected={status ?? 'all'}
          onSelect={(name) =>
            void navigate({ to: '/notifications', search: name === 'unread' ? { status: 'unread' } : {} })
          }
        >
          {isLoading && <Skeleton />}
          {data && notifications.length === 0 && (
            <EmptyState icon="bell" title={status ? 'Nothing unread' : 'No notifications'}>
              When a session ends, fails or asks, it appears here. One whose session has moved on leaves by itself.
            </EmptyState>
          )}
          <ul>
            {notifications.map((notification) => (
              <NotificationRow key={notification.id} of={notification} />
            ))}
          </ul>
          {data && <Pager of={data.pagination} onPage={show} />}
        </Tabs>
      </Panel>
    </Page>
  )
}
