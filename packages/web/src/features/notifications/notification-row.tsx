import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Icon, type IconName } from '../../shared/kit/icon.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { type Notification, showDismissed, showRead } from './show-in-notifications.ts'

const looks: Record<Notification['notification_type'], { icon: IconName; color: string }> = {
  session_complete: { icon: 'circle-check', color: 'text-ok' },
  needs_input: { icon: 'message-circle-question-mark', color: 'text-needs' },
  elicitation_pending: { icon: 'message-circle-question-mark', color: 'text-needs' },
  session_failed: { icon: 'octagon-x', color: 'text-failed' },
  custom_message: { icon: 'message-square', color: 'text-muted' },
  budget_warning: { icon: 'dollar-sign', color: 'text-needs' },
  account_needs_reauth: { icon: 'octagon-x', color: 'text-failed' },
  budget_exhausted: { icon: 'dollar-sign', color: 'text-failed' },
}

/** These are about no session, though each names one: the last that used the account or spent the money. */
const titles: Partial<Record<Notification['notification_type'], string>> = {
  account_needs_reauth: 'An account has to be signed in again',
  budget_warning: 'A budget is nearly used up',
  budget_exhausted: 'A budget is used up',
}

/** Opening it marks it read. Only what was read can be dismissed, so that nothing is lost by a slip. */
export function NotificationRow({ of: notification }: { of: Notification }): ReactNode {
  const { id, body, read, created_at, url, notification_type } = notification
  const markRead = useWrite('notifications.mark_read', { optimistic: (cache, { id }) => showRead(cache, id) })
  const dismiss = useWrite('notifications.dismiss', { optimistic: (cache, { id }) => showDismissed(cache, id) })
  const { icon, color } = looks[notification_type]
  const title = titles[notification_type] ?? notification.title
  return (
    <li className="flex min-h-12 items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0 hover:bg-hover">
      <Icon name={icon} className={`shrink-0 ${color}`} />
      <span className="flex min-w-0 grow flex-col md:flex-row md:items-center md:gap-3">
        <span className="min-w-0 grow">
          <Link
            to={url}
            onClick={() => !read && markRead.mutate({ id: String(id) })}
            className={`line-clamp-2 hover:underline md:line-clamp-1 ${read ? 'text-muted' : 'font-semibold'}`}
          >
            {!read && <span className="unseen">Unread: </span>}
            {title}
          </Link>
          <span className="line-clamp-2 text-muted text-sm md:line-clamp-1">{body}</span>
        </span>
        <Time at={created_at} className="text-muted text-sm" />
      </span>
      {read ? (
        <IconButton icon="x" label={`Dismiss ${title}`} size="sm" onClick={() => dismiss.mutate({ id: String(id) })} />
      ) : (
        <IconButton
          icon="check"
          label={`Mark ${title} read`}
          size="sm"
          onClick={() => markRead.mutate({ id: String(id) })}
        />
      )}
    </li>
  )
}
