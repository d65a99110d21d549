import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { refresh } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { type PushState, readPushState, turnPushOff, turnPushOn } from './push.ts'

const words: Record<PushState, { title: string; note: string }> = {
  on: {
    title: 'Pushes are on',
    note: 'This device is told when a session asks, ends or fails, also while no page is open.',
  },
  off: {
    title: 'Pushes are off',
    note: 'This device can be told when a session asks, ends or fails, also while no page is open.',
  },
  denied: {
    title: 'The browser blocks pushes',
    note: 'Allow notifications for this address in the settings of the browser, then reload.',
  },
  unsupported: {
    title: 'No pushes here',
    note: 'They need a browser with service workers, and an address with https or on this machine. On an iPhone, add the page to the home screen first.',
  },
}

/** Whether this device gets pushes, and the switch. What a session says is never in a push. */
export function PushOnDevice(): ReactNode {
  const cache = useQueryClient()
  // Another browser may remove this one: it is read with the list of all.
  const state = useQuery({ queryKey: ['push_subscriptions.on_this_device'], queryFn: readPushState })
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOn() : turnPushOff()),
    onSettled: () => refresh(cache, ['push_subscriptions']),
  })
  if (!state.data) return <ErrorNote error={state.error} onRetry={() => state.refetch()} />
  const { title, note } = words[state.data]
  const isOn = state.data === 'on'
  return (
    <section
      aria-label="Pushes on this device"
      className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Icon name="smartphone" className={isOn ? 'text-ok' : 'text-muted'} />
        <div className="min-w-48 flex-1">
          <p className="font-medium">{title}</p>
          <p className="text-muted text-sm">{note}</p>
        </div>
        {(isOn || state.data === 'off') && (
          <Button isBusy={change.isPending} onClick={() => change.mutate(!isOn)}>
            {isOn ? 'Turn off' : 'Turn on'}
          </Button>
        )}
      </div>
      <ErrorNote error={change.error} />
    </section>
  )
}
