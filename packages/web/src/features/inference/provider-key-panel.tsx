import { type FormEvent, type ReactNode, useId } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import type { Pool } from './account.ts'

/** The key of a runtime without accounts: it can be written and deleted, and never read. */
export function ProviderKeyPanel({ pool: { runtime, takes_provider_key } }: { pool: Pool }): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const { data, error } = useRead('provider_keys.list', {}, { everyMs: 60_000 })
  const stored = data?.provider_keys.find((key) => key.runtime === runtime)
  const set = useWrite('provider_keys.set', {
    complains: false,
    refreshes: ['accounts'],
    onSuccess: () => toasts.say('The key is stored'),
  })
  const remove = useWrite('provider_keys.delete', {
    refreshes: ['accounts'],
    onSuccess: () => toasts.say('The key is deleted'),
  })
  if (!takes_provider_key)
    return (
      <Panel>
        <p className="p-3 text-muted">This runtime needs no account and no key.</p>
      </Panel>
    )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    set.mutate({ runtime, key: String(new FormData(form).get('key') ?? '') }, { onSuccess: () => form.reset() })
  }
  return (
    <Panel title="Provider key">
      <form id={id} onSubmit={submit} className="flex flex-col gap-3 p-3">
        <ErrorNote error={error ?? set.error} />
        <p className="text-muted">
          {stored ? (
            <>
              A key is stored since <Time at={stored.updated_at} />. Agents get it as{' '}
              <code className="font-mono text-sm">{stored.variable}</code>.
            </>
          ) : (
            'No key is stored. Agents use what the host has.'
          )}
        </p>
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-56 grow">
            <TextField
              label={stored ? 'New key' : 'Key'}
              name="key"
              type="password"
              required
              minLength={8}
              autoComplete="off"
            />
          </div>
          <Button look="primary" type="submit" isBusy={set.isPending}>
            Store
          </Button>
          {stored && (
            <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ runtime })}>
              Delete the key
            </Button>
          )}
        </div>
      </form>
    </Panel>
  )
}
