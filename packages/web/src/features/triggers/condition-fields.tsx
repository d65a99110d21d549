import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import type { ReactNode } from 'react'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { viewerZone } from '../../shared/kit/time.tsx'
import { ChannelFields } from './channel-fields.tsx'
import { type FieldsProps, ListField, text } from './list-field.tsx'

/** The fields of a condition, by its type. */
export function ConditionFields({ type, ...props }: FieldsProps & { type: ConditionType }): ReactNode {
  const Fields = fields[type]
  return <Fields {...props} />
}

const fields: Record<ConditionType, (props: FieldsProps) => ReactNode> = {
  schedule: ScheduleFields,
  chat: ChannelFields,
  forge_issue: ForgeIssueFields,
  forge_label: ForgeLabelFields,
  ao_event: SessionEventFields,
}

const units = ['minutes', 'hours', 'days', 'weeks']
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const dayOptions = days.map((value) => ({ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` }))
const zones = Intl.supportedValuesOf('timeZone')

function ScheduleFields({ configuration, onChange }: FieldsProps): ReactNode {
  const { unit, interval, time, day_of_week, timezone, scheduled_at } = configuration
  const isOnce = scheduled_at !== undefined
  const hasTime = unit === 'days' || unit === 'weeks'
  const changeUnit = (next: string) =>
    onChange({
      unit: next,
      time: next === 'days' || next === 'weeks' ? (time ?? '09:00') : undefined,
      day_of_week: next === 'weeks' ? (day_of_week ?? 'monday') : undefined,
    })
  return (
    <>
      <Select
        label="How often"
        value={isOnce ? 'once' : 'again'}
        options={[
          { value: 'again', label: 'Again and again' },
          { value: 'once', label: 'Once' },
        ]}
        onChange={(event) =>
          onChange(
            event.currentTarget.value === 'once'
              ? { scheduled_at: '', unit: undefined, interval: undefined, time: undefined, day_of_week: undefined }
              : { scheduled_at: undefined, unit: 'days', interval: 1, time: '09:00' },
          )
        }
      />
      {isOnce && (
        <TextField
          label="At"
          type="datetime-local"
          required
          value={text(scheduled_at).slice(0, 16)}
          onChange={(event) => onChange({ scheduled_at: event.currentTarget.value })}
        />
      )}
      {!isOnce && (
        <div className="grid grid-cols-2 gap-4">
          <TextField
            label="Every"
            type="number"
            min={1}
            required
            value={text(interval)}
            onChange={(event) => onChange({ interval: event.currentTarget.value && Number(event.currentTarget.value) })}
          />
          <Select
            label="Unit"
            value={text(unit)}
            options={options(units)}
            onChange={(event) => changeUnit(event.currentTarget.value)}
          />
        </div>
      )}
      {!isOnce && unit === 'weeks' && (
        <Select
          label="On"
          value={text(day_of_week)}
          options={dayOptions}
          onChange={(event) => onChange({ day_of_week: event.currentTarget.value })}
        />
      )}
      {!isOnce && hasTime && (
        <TextField
          label="At"
          type="time"
          required
          value={text(time)}
          onChange={(event) => onChange({ time: event.currentTarget.value })}
        />
      )}
      <Select
        label="Time zone"
        value={text(timezone) || 'UTC'}
        options={options([...new Set([viewerZone, 'UTC', text(timezone) || 'UTC', ...zones])])}
        onChange={(event) => onChange({ timezone: event.currentTarget.value })}
      />
    </>
  )
}

function ForgeIssueFields({ configuration, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <Repositories configuration={configuration} onChange={onChange} />
      <ListField
        label="Without these labels"
        hint="Separated by commas"
        value={configuration.exclude_labels}
        onChange={(exclude_labels) => onChange({ exclude_labels })}
      />
    </>
  )
}

function ForgeLabelFields({ configuration, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <Repositories configuration={configuration} onChange={onChange} />
      <ListField
        label="Labels"
        hint="Any one of them, separated by commas"
        isRequired
        value={configuration.labels}
        onChange={(labels) => onChange({ labels })}
      />
      <Select
        label="On"
        value={text(configuration.target)}
        options={[
          { value: 'pull_request', label: 'A pull request' },
          { value: 'issue', label: 'An issue' },
        ]}
        onChange={(event) => onChange({ target: event.currentTarget.value })}
      />
    </>
  )
}

function Repositories({ configuration, onChange }: FieldsProps): ReactNode {
  return (
    <ListField
      label="Repositories"
      hint="As owner/name, separated by commas"
      isRequired
      value={configuration.repos}
      onChange={(repos) => onChange({ repos })}
    />
  )
}

function SessionEventFields({ configuration, onChange }: FieldsProps): ReactNode {
  return (
    <>
      <Select
        label="When a session"
        value={text(configuration.event_name)}
        options={[
          { value: 'session_needs_input', label: 'needs input' },
          { value: 'session_failed', label: 'fails' },
          { value: 'session_archived', label: 'is archived' },
        ]}
        onChange={(event) => onChange({ event_name: event.currentTarget.value })}
      />
      <TextField
        label="Only session"
        type="number"
        min={1}
        placeholder="Any session"
        hint="A number: it fires once then"
        value={text(configuration.watched_session_id)}
        onChange={(event) =>
          onChange({ watched_session_id: event.currentTarget.value ? Number(event.currentTarget.value) : undefined })
        }
      />
    </>
  )
}

function options(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}
