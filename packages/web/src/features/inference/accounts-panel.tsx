import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Account, type Pool, statuses, windows } from './account.ts'
import { DeleteAccountDialog, PriorityDialog } from './account-dialogs.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'
import { WindowBar } from './window-bar.tsx'

type Opened = { what: 'priority' | 'delete' | 'sign-in'; account: Account }

export function AccountsPanel({ pool: { runtime, can_sign_in } }: { pool: Pool }): ReactNode {
  const { data, error, isLoading, refetch } = useRead('accounts.list', { runtime, per_page: 100 }, { everyMs: 60_000 })
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  return (
    <Panel title="Accounts">
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton rows={3} />}
      {data?.accounts.length === 0 && (
        <EmptyState icon="users" title="No account yet">
          {can_sign_in
            ? 'Sign in with the vendor, or add the login file of its CLI.'
            : 'Add the login file of its CLI.'}
        </EmptyState>
      )}
      <ul aria-label="Accounts">
        {data?.accounts.map((account) => (
          <AccountRow
            key={account.id}
            account={account}
            canSignIn={can_sign_in}
            onOpen={(what) => setOpened({ what, account })}
          />
        ))}
      </ul>
      {opened?.what === 'priority' && <PriorityDialog account={opened.account} onClose={close} />}
      {opened?.what === 'delete' && <DeleteAccountDialog account={opened.account} onClose={close} />}
      {opened?.what === 'sign-in' && <SignInDialog runtime={runtime} email={opened.account.email} onClose={close} />}
    </Panel>
  )
}

type RowProps = { account: Account; canSignIn: boolean; onOpen: (what: Opened['what']) => void }

function AccountRow({ account, canSignIn, onOpen }: RowProps): ReactNode {
  const { id, email, status, status_reason, is_current, is_available, priority, quota } = account
  const toasts = useToasts()
  const input = { id: String(id) }
  const switchTo = useWrite('accounts.switch', { onSuccess: () => toasts.say(`New turns use ${email}`) })
  const refresh = useWrite('accounts.refresh', { onSuccess: () => toasts.say(`${email} is measured again`) })
  const { word, tone } = statuses[status]
  return (
    <li className="flex flex-col gap-2 border-line border-b px-3 py-3 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 truncate font-medium">{email}</span>
        {is_current && <Badge tone="accent">in use</Badge>}
        <Badge tone={tone}>{word}</Badge>
        <span className="grow" />
        {status === 'needs_reauth' && canSignIn && (
          <Button size="sm" look="primary" onClick={() => onOpen('sign-in')}>
            Sign in again
          </Button>
        )}
        <Menu
          label={`Actions of ${email}`}
          items={[
            {
              label: 'Use it for new turns',
              icon: 'arrow-right',
              isDisabled: is_current || !is_available,
              onSelect: () => switchTo.mutate(input),
            },
            { label: 'Refresh', icon: 'refresh-cw', onSelect: () => refresh.mutate(input) },
            { label: 'Change the priority', icon: 'list-ordered', onSelect: () => onOpen('priority') },
            'separator',
            { label: 'Delete', icon: 'trash-2', isDanger: true, onSelect: () => onOpen('delete') },
          ]}
        />
      </div>
      {status_reason && <p className="break-words text-muted">{status_reason}</p>}
      <div className="flex flex-col gap-2 md:flex-row md:gap-6">
        {windows.map(({ label, used, resets }) => (
          <WindowBar key={used} label={label} used={quota?.[used] ?? null} resets={quota?.[resets] ?? null} />
        ))}
      </div>
      <p className="text-muted text-sm">
        Priority {priority}
        {account.subscription_type && ` · ${account.subscription_type}`}
        {account.active_session_count > 0 && ` · serves ${account.active_session_count} turns`}
        {account.expires_at && (
          <>
            {' · token until '}
            <Time at={account.expires_at} />
            {!account.can_refresh && ', which cannot be renewed'}
          </>
        )}
        {quota && (
          <>
            {' · measured '}
            <Time at={quota.measured_at} />
          </>
        )}
      </p>
    </li>
  )
}
