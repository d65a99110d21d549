import { type ReactNode, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { type FieldsProps, ListField, text } from './list-field.tsx'

type Limit = 'channel' | 'thread'

/** Only some kinds of messages can be limited to a channel or to a thread: the server refuses the others, or never looks at the limit. */
const events: readonly { value: string; label: string; limits: readonly Limit[] }[] = [
  { value: 'bot_mention', label: 'Mention of the bot', limits: ['channel', 'thread'] },
  { value: 'new_message', label: 'New message in a channel', limits: ['channel', 'thread'] },
  { value: 'dm_message', label: 'Direct message', limits: [] },
  { value: 'passive_listen_thread', label: 'Reply in a thread where the bot has spoken', limits: ['channel'] },
  { value: 'passive_listen_channel', label: 'Message in a channel where the bot has spoken', limits: ['channel'] },
  { value: 'passive_listen', label: 'Message where the bot has spoken', limits: ['channel'] },
]

function limitsOf(event: unknown): readonly Limit[] {
  return events.find(({ value }) => value === event)?.limits ?? ['channel', 'thread']
}

/** Leaves out the limits that the kind of message does not have. */
function changeOfEvent(event_type: string): Record<string, unknown> {
  const limits = limitsOf(event_type)
  return {
    event_type,
    ...(!limits.includes('channel') && { channel_id: undefined, channel_name: undefined }),
    ...(!limits.includes('thread') && { thread_ts: undefined }),
  }
}

/** A chat condition. The channels are asked for on demand: the platform is slow, and may not be configured. */
export function ChannelFields({ configuration, onChange }: FieldsProps): ReactNode {
  const { event_type, channel_id, channel_name, thread_ts, allowed_user_ids } = configuration
  const [isAsked, setAsked] = useState(false)
  const channels = useRead('triggers.channels', {}, { isEnabled: isAsked })
  const found = channels.data?.channels
  // The bot may have left the channel that was chosen.
  const labelOf = (id: string) => {
    const name = found?.find((channel) => channel.id === id)?.name ?? text(channel_name)
    return name ? `#${name}` : id
  }
  const limits = limitsOf(event_type)
  return (
    <>
      <Select
        label="When"
        value={text(event_type)}
        options={events}
        onChange={(event) => onChange(changeOfEvent(event.currentTarget.value))}
      />
      {limits.includes('channel') &&
        (found ? (
          <Select
            label="Channel"
            value={text(channel_id)}
            options={filterChoices(
              event_type === 'new_message' ? 'Choose one' : 'Any',
              [text(channel_id), ...found.map(({ id }) => id)],
              labelOf,
            )}
            onChange={(event) => {
              const chosen = found.find(({ id }) => id === event.currentTarget.value)
              onChange({ channel_id: chosen?.id, channel_name: chosen?.name })
            }}
          />
        ) : (
          <div className="flex items-end gap-2">
            <div className="min-w-0 grow">
              <TextField
                label="Channel id"
                placeholder={text(channel_name) || 'C01ABC'}
                value={text(channel_id)}
                onChange={(event) =>
                  onChange({ channel_id: event.currentTarget.value || undefined, channel_name: undefined })
                }
              />
            </div>
            <Button isBusy={channels.isFetching} onClick={() => (isAsked ? channels.refetch() : setAsked(true))}>
              List channels
            </Button>
          </div>
        ))}
      {limits.includes('channel') && channels.error && (
        <div className="md:col-span-2">
          <ErrorNote error={channels.error} />
        </div>
      )}
      {limits.includes('thread') && (
        <TextField
          label="Only in thread"
          placeholder="1712345678.000100"
          value={text(thread_ts)}
          onChange={(event) => onChange({ thread_ts: event.currentTarget.value || undefined })}
        />
      )}
      <ListField
        label="Only from these users"
        hint="User ids, separated by commas"
        value={allowed_user_ids}
        onChange={(names) => onChange({ allowed_user_ids: names.length > 0 ? names : undefined })}
      />
    </>
  )
}
