import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { SpotPolicy } from '../settings/spot-policy.tsx'
import type { Pool } from './account.ts'
import { AccountsPanel } from './accounts-panel.tsx'
import { AddAccountDialog } from './add-account-dialog.tsx'
import type { InferenceSearch } from './inference-search.ts'
import { PoolSummary } from './pool-summary.tsx'
import { ProviderKeyPanel } from './provider-key-panel.tsx'
import { RotationsPanel } from './rotations-panel.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'

/** The accounts and keys with which agents reach their models. */
export default function InferencePage(): ReactNode {
  const { runtime }: InferenceSearch = useSearch({ from: '/shell/inference' })
  const navigate = useNavigate()
  // Windows reset and estimates change with time, without an event.
  const { data, error, isLoading, refetch } = useRead('accounts.list_pools', {}, { everyMs: 60_000 })
  const pools = data?.account_pools ?? []
  const pool = pools.find((each) => each.runtime === runtime) ?? pools[0]
  return (
    <Page title="Inference" note="The accounts and keys with which agents reach their models">
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton rows={4} />}
      {pool && (
        <Tabs
          label="Runtimes"
          tabs={pools.map((each) => ({ name: each.runtime, label: each.runtime, count: each.account_count }))}
          selected={pool.runtime}
          onSelect={(name) => void navigate({ to: '/inference', search: { runtime: name } })}
        >
          <div className="flex flex-col gap-4">
            <PoolOf key={pool.runtime} pool={pool} />
          </div>
        </Tabs>
      )}
      <Panel title="Spot policy">
        <SpotPolicy />
      </Panel>
    </Page>
  )
}

function PoolOf({ pool }: { pool: Pool }): ReactNode {
  const toasts = useToasts()
  const [isAdding, setAdding] = useState(false)
  const [isSigningIn, setSigningIn] = useState(false)
  const refreshAll = useWrite('accounts.refresh_all', {
    onSuccess: () => toasts.say('All accounts are measured again'),
  })
  if (!pool.has_pool) return <ProviderKeyPanel pool={pool} />
  return (
    <>
      <PoolSummary
        pool={pool}
        actions={
          <>
            {pool.can_sign_in && (
              <Button size="sm" look="primary" icon="user" onClick={() => setSigningIn(true)}>
                Sign in
              </Button>
            )}
            <Button size="sm" icon="plus" onClick={() => setAdding(true)}>
              Add by a login file
            </Button>
            {pool.account_count > 0 && (
              <Button size="sm" icon="refresh-cw" isBusy={refreshAll.isPending} onClick={() => refreshAll.mutate({})}>
                Refresh all
              </Button>
            )}
          </>
        }
      />
      <AccountsPanel pool={pool} />
      {pool.takes_provider_key && <ProviderKeyPanel pool={pool} />}
      <RotationsPanel runtime={pool.runtime} />
      {isAdding && <AddAccountDialog runtime={pool.runtime} onClose={() => setAdding(false)} />}
      {isSigningIn && <SignInDialog runtime={pool.runtime} onClose={() => setSigningIn(false)} />}
    </>
  )
}
