import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, Switch, TextField } from '../../shared/kit/field.tsx'
import { formatDuration } from '../../shared/kit/time.tsx'
import type { Session } from './session-facts.ts'

type ControlsProps = { session: Session; id: string }

/** What of a session can be changed, saved at once. */
export function SessionControls({ session, id }: ControlsProps): ReactNode {
  const update = useWrite('sessions.update', { refreshes: ['board'] })
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
      <Saved
        label="Precedence"
        hint="Rank in the spot queue; higher starts sooner."
        value={String(session.precedence)}
        onSave={(precedence) => update.mutate({ id, precedence })}
      />
      {runtime?.takes_compact_window && (
        <Saved
          label="Compaction window"
          hint="Context size in tokens at which the agent summarises what came before. Empty or 1,000,000: its own limit."
          value={String(session.auto_compact_window)}
          onSave={(tokens) => update.mutate({ id, auto_compact_window: tokens === '' ? null : Number(tokens) })}
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

function Category({ session: { category_id }, id }: ControlsProps): ReactNode {
  const { data } = useRead('categories.list', { per_page: 100 })
  const choose = useWrite('sessions.set_category', { refreshes: ['board'] })
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
  const change = useWrite('sessions.update_heartbeat', { refreshes: ['board'] })
  return (
    <>
      <Switch
        label="Heartbeat"
        hint={`Nudges the agent to go on while it rests, every ${formatDuration(seconds)}.`}
        isOn={isOn}
        onChange={(enabled) => change.mutate({ id, enabled })}
      />
      {isOn && (
        <Saved
          label="Seconds between nudges"
          value={String(seconds)}
          onSave={(interval_seconds) => change.mutate({ id, interval_seconds })}
        />
      )}
    </>
  )
}

function Pushes({ id }: { id: string }): ReactNode {
  const { data } = useRead('sessions.push_notifications', { id })
  const toggle = useWrite('sessions.toggle_push_notifications')
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

type SavedProps = { label: string; hint?: string; value: string; onSave: (value: string) => void }

/** A field that is saved by Enter or by leaving it. */
function Saved({ label, hint, value, onSave }: SavedProps): ReactNode {
  const [draft, setDraft] = useState<string>()
  const save = () => {
    if (draft !== undefined && draft !== value) onSave(draft)
    setDraft(undefined)
  }
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode="numeric"
      value={draft ?? value}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={save}
      onKeyDown={(event) => event.key === 'Enter' && save()}
      className="tabular"
    />
  )
}
