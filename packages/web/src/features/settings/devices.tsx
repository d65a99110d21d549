import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useSignOut } from '../../shared/state/use-sign-out.ts'
import { nameOfBrowser } from './name-of-browser.ts'

/** The browsers that are signed in. Signing one out ends its event stream at once. */
export function SignedInDevices(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('sign_ins.list', { per_page: 100 })
  const toasts = useToasts()
  const remove = useWrite('sign_ins.delete', { onSuccess: () => toasts.say('Signed out') })
  const signOut = useSignOut()
  return (
    <Panel title="Signed-in browsers">
      {error && <ErrorNote error={error} onRetry={() => refetch()} />}
      {isLoading && <Skeleton rows={2} />}
      {data?.sign_ins.length === 0 && <EmptyState icon="users" title="No browser is signed in" />}
      <ul>
        {data?.sign_ins.map(({ id, name, user_agent, is_current, signed_in_by, operator, last_used_at }) => (
          <Device
            key={id}
            title={nameOfBrowser(user_agent)}
            badges={
              <>
                {is_current && <Badge tone="ok">this browser</Badge>}
                {operator && <Badge tone="accent">operator</Badge>}
              </>
            }
            note={
              <>
                {name ?? 'No name given'}, signed in by {signed_in_by === 'link' ? 'a link' : 'an API key'}, used{' '}
                <Time at={last_used_at} />
              </>
            }
          >
            <Button
              size="sm"
              look="danger"
              onClick={() => (is_current ? signOut() : remove.mutate({ id: String(id) }))}
            >
              Sign out
            </Button>
          </Device>
        ))}
      </ul>
    </Panel>
  )
}

/** The browsers that get pushes, to remove one that was lost. */
export function PushDevices(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('push_subscriptions.list', { per_page: 100 })
  const toasts = useToasts()
  const remove = useWrite('push_subscriptions.delete', { onSuccess: () => toasts.say('Removed') })
  return (
    <Panel title="Browsers with pushes">
      {error && <ErrorNote error={error} onRetry={() => refetch()} />}
      {isLoading && <Skeleton rows={2} />}
      {data?.push_subscriptions.length === 0 && (
        <p className="px-3 py-2.5 text-muted">None. Turn pushes on above, on each device that should get them.</p>
      )}
      <ul>
        {data?.push_subscriptions.map(({ id, user_agent, service, receives_pushes, refusals, updated_at }) => (
          <Device
            key={id}
            title={nameOfBrowser(user_agent)}
            badges={
              <>
                {!receives_pushes && <Badge tone="needs">must be turned on again</Badge>}
                {refusals > 0 && <Badge tone="needs">{`${refusals} refused`}</Badge>}
              </>
            }
            note={
              <>
                {new URL(service).host}, since <Time at={updated_at} />
              </>
            }
          >
            <Button size="sm" look="danger" onClick={() => remove.mutate({ id: String(id) })}>
              Remove
            </Button>
          </Device>
        ))}
      </ul>
    </Panel>
  )
}

type DeviceProps = { title: string; badges: ReactNode; note: ReactNode; children: ReactNode }

function Device({ title, badges, note, children }: DeviceProps): ReactNode {
  return (
    <li className="flex min-h-12 items-center gap-3 border-line border-b px-3 py-1.5 last:border-b-0">
      <Icon name="smartphone" className="shrink-0 text-muted" />
      <span className="min-w-0 grow">
        <span className="flex flex-wrap items-center gap-1.5 font-medium">
          {title}
          {badges}
        </span>
        <span className="block text-muted text-sm">{note}</span>
      </span>
      {children}
    </li>
  )
}
