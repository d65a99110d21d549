import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { keyOf, useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, Switch } from '../../shared/kit/field.tsx'
import { SavedField } from '../../shared/kit/saved-field.tsx'
import { formatDuration } from '../../shared/kit/time.tsx'
import type { Session } from './session-facts.ts'
import { showInSession } from './show-in-session.ts'

const numeric = { inputMode: 'numeric', className: 'tabular' } as const

type ControlsProps = { session: Session; id: string }

/** What of a session can be changed, saved at once. */
export function SessionControls({ session, id }: ControlsProps): ReactNode {
  const update = useWrite('sessions.update', {
    refreshes: ['board'],
    // A typed number stays as it is until the server has taken it.
    optimistic: (cache, { id, scheduling_class: chosen, is_autonomous: isOn }) =>
      showInSession(cache, id, {
        ...(chosen !== undefined && { scheduling_class: chosen as Session['scheduling_class'] }),
        ...(isOn !== undefined && { is_autonomous: Boolean(isOn) }),
      }),
  })
  const { scheduling_class, priority_class, agent_runtime } = session
  const runtime = useRead('configs.show', {}).data?.runtime_models[agent_runtime]
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3">
        <Category session={session} id={id} />
        <Select
          label="Class"
          value={scheduling_class ?? ''}
          onChange={(event) => update.mutate({ id, scheduling_class: event.currentTarget.value || null })}
          options={[
            { value: '', label: priority_class === 'spot' ? 'Default: spot' : 'Default: priority' },
            { value: 'priority', label: 'Priority' },
            { value: 'spot', label: 'Spot' },
          ]}
        />
      </div>
      <SavedField
        {...numeric}
        label="Precedence"
        hint="Rank in the spot queue; higher starts sooner."
        value={String(session.precedence)}
        onSave={(precedence, ends) => update.mutate({ id, precedence }, ends)}
      />
      {runtime?.takes_compact_window && (
        <SavedField
          {...numeric}
          label="Compaction window"
          hint="Context size in tokens at which the agent summarises what came before. Empty or 1,000,000: its own limit."
          value={String(session.auto_compact_window)}
          onSave={(tokens, ends) => update.mutate({ id, auto_compact_window: windowOf(tokens) }, ends)}
        />
      )}
      <Heartbeat session={session} id={id} />
      <Pushes id={id} />
      <Switch
        label="Fires event triggers"
        isOn={session.is_autonomous}
        onChange={(is_autonomous) => update.mutate({ id, is_autonomous })}
      />
    </div>
  )
}

/** What is no number goes as it was typed, and the server refuses it: as a number it would be sent as null, which is the largest window. */
function windowOf(tokens: string): number | null {
  if (tokens === '') return null
  const number = Number(tokens)
  return Number.isFinite(number) ? number : (tokens as unknown as number)
}

function Category({ session: { category_id }, id }: ControlsProps): ReactNode {
  const { data } = useRead('categories.list', { per_page: 100 })
  const choose = useWrite('sessions.set_category', {
    refreshes: ['board'],
    optimistic: (cache, { id, category_id: chosen }) =>
      showInSession(cache, id, { category_id: chosen ? Number(chosen) : null }),
  })
  return (
    <Select
      label="Category"
      value={category_id === null ? '' : String(category_id)}
      onChange={(event) => choose.mutate({ id, category_id: event.currentTarget.value })}
      options={[
        { value: '', label: 'Uncategorized' },
        ...(data?.categories ?? []).map((category) => ({ value: String(category.id), label: category.name })),
      ]}
    />
  )
}

function Heartbeat({ session, id }: ControlsProps): ReactNode {
  const { heartbeat_enabled: isOn, heartbeat_interval_seconds: seconds } = session
  const change = useWrite('sessions.update_heartbeat', {
    refreshes: ['board'],
    optimistic: (cache, { id, enabled }) =>
      showInSession(cache, id, enabled === undefined ? {} : { heartbeat_enabled: Boolean(enabled) }),
  })
  return (
    <>
      <Switch
        label="Heartbeat"
        hint={`Nudges the agent to go on while it rests, every ${formatDuration(seconds)}.`}
        isOn={isOn}
        onChange={(enabled) => change.mutate({ id, enabled })}
      />
      {isOn && (
        <SavedField
          {...numeric}
          label="Seconds between nudges"
          value={String(seconds)}
          onSave={(interval_seconds, ends) => change.mutate({ id, interval_seconds }, ends)}
        />
      )}
    </>
  )
}

function Pushes({ id }: { id: string }): ReactNode {
  const { data } = useRead('sessions.push_notifications', { id })
  const toggle = useWrite('sessions.toggle_push_notifications', {
    optimistic(cache, input) {
      const flip = () =>
        cache.setQueryData<Result<'sessions.push_notifications'>>(
          keyOf('sessions.push_notifications', input),
          (shown) => shown && { ...shown, push_notifications_enabled: !shown.push_notifications_enabled },
        )
      flip()
      return flip
    },
  })
  return (
    <Switch
      label="Push to devices"
      hint="Notifications are listed in either case."
      isOn={data?.push_notifications_enabled ?? true}
      isDisabled={!data}
      onChange={() => toggle.mutate({ id })}
    />
  )
}
