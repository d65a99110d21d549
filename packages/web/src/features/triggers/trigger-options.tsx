import type { ReactNode } from 'react'
import { Select, Switch, TextArea, TextField } from '../../shared/kit/field.tsx'
import type { TriggerValues } from './trigger-form.ts'

type Props = { values: TriggerValues; onChange: (changes: Partial<TriggerValues>) => void }

/** What most triggers leave as it is. */
export function TriggerOptions({ values, onChange }: Props): ReactNode {
  const hasChat = values.conditions.some(({ type }) => type === 'chat')
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <div className="md:col-span-2">
        <TextArea
          label="Goal"
          rows={2}
          placeholder="That of the root"
          value={values.goal}
          onChange={(event) => onChange({ goal: event.currentTarget.value })}
        />
      </div>
      <Select
        label="Class"
        value={values.schedulingClass}
        options={[
          { value: '', label: 'By its conditions' },
          { value: 'priority', label: 'Priority: starts at once' },
          { value: 'spot', label: 'Spot: waits for a free slot' },
        ]}
        onChange={(event) =>
          onChange({ schedulingClass: event.currentTarget.value as TriggerValues['schedulingClass'] })
        }
      />
      <TextField
        label="Rank in the spot queue"
        type="number"
        placeholder="0"
        value={values.precedence}
        onChange={(event) => onChange({ precedence: event.currentTarget.value })}
      />
      <TextField
        label="Sessions a minute, at most"
        type="number"
        min={1}
        placeholder="No limit"
        hint="More in a minute is a burst: one session tells about it, the rest is held back"
        value={values.maxPerMinute}
        onChange={(event) => onChange({ maxPerMinute: event.currentTarget.value })}
      />
      {hasChat && (
        <TextField
          label="Fold messages within, seconds"
          type="number"
          min={0}
          placeholder="60"
          hint="Messages of one conversation become one event; 0 turns it off"
          value={values.coalesceSeconds}
          onChange={(event) => onChange({ coalesceSeconds: event.currentTarget.value })}
        />
      )}
      <Switch
        label="Skip while its last session is at work"
        hint="Waiting and running count"
        isOn={values.skipsIfPending}
        onChange={(skipsIfPending) => onChange({ skipsIfPending })}
      />
      <Switch
        label="Follow up one session"
        hint="Instead of starting a new one each time"
        isOn={values.reusesSession}
        onChange={(reusesSession) => onChange({ reusesSession })}
      />
      {values.reusesSession && (
        <>
          <TextField
            label="Session"
            type="number"
            min={1}
            placeholder="The one that its next fire starts"
            value={values.sessionId}
            onChange={(event) => onChange({ sessionId: event.currentTarget.value })}
          />
          <div>
            <Switch
              label="Queue the prompt while it runs"
              isOn={values.enqueues}
              onChange={(enqueues) => onChange({ enqueues })}
            />
            <Switch
              label="Restore it from the archive"
              isOn={values.resuscitates}
              onChange={(resuscitates) => onChange({ resuscitates })}
            />
          </div>
        </>
      )}
    </div>
  )
}
