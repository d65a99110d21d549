import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { part } from '../../shared/kit/part.tsx'
import { formatDuration, useNow } from '../../shared/kit/time.tsx'
import { draftOf, putDraft, useDraft, useSending } from '../../shared/state/draft.ts'
import type { Turn } from '../transcripts/turns.ts'
import type { Session } from './session-facts.ts'

const AttachFiles = part(() => import('../attachments/attach-files.tsx'), <span className="size-8" />)
const SlashCompletion = part(() => import('./slash-completion.tsx'))

type ComposerProps = {
  session: Session
  id: string
  underway: Turn | undefined
  /** Messages that wait in the queue. */
  queued: number
  onSent: () => void
}

/** A message to the agent. Its buttons say what each of them will do. The draft stays until the server has accepted it. */
export function Composer({ session, id, underway, queued, onSent }: ComposerProps): ReactNode {
  const draft = `session.${session.id}`
  const [text, setText] = useDraft(draft)
  const { sending, accepted } = useSending(draft, { isMessage: true })
  const [isUploading, setUploading] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const options = {
    refreshes: ['sessions', 'enqueued_messages', 'turns', 'board', 'needs_you'],
    complains: false,
    isDoneWhenAccepted: true,
    onSuccess: () => {
      accepted()
      onSent()
    },
  } as const
  const send = useWrite('sessions.follow_up', options)
  const keep = useWrite('enqueued_messages.create', options)
  const isFailed = session.status === 'failed'
  const isArchived = session.status === 'archived'
  const isBusy = underway !== undefined
  const isEmpty = text.trim() === ''
  const isUnready = isEmpty || isUploading
  const isSending = send.isPending || keep.isPending
  const say = (force_immediate: boolean) => {
    if (isUnready || isSending || isArchived) return
    sending()
    if (isFailed) {
      send.reset()
      keep.mutate({ session_id: id, content: text })
    } else {
      keep.reset()
      send.mutate({ id, prompt: text, force_immediate })
    }
  }
  useCommands([
    {
      id: 'write',
      label: 'Write to the agent',
      group: 'Session',
      keys: 'r',
      icon: 'message-square',
      isInner: true,
      run: () => field.current?.focus(),
    },
  ])
  useHeight(field, text)
  if (isArchived) return null
  return (
    <form
      aria-label="Message to the agent"
      onSubmit={(event) => {
        event.preventDefault()
        say(false)
      }}
      className="border-line border-t bg-surface py-2"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-1.5 px-3 md:px-5">
        <ErrorNote error={send.error ?? keep.error} />
        <div className="relative flex">
          {text.startsWith('/') && (
            <SlashCompletion
              {...{ field, text }}
              skills={session.catalog_skills}
              plugins={session.catalog_plugins}
              runtime={session.agent_runtime}
              runsCommands={session.config.cli_commands === true}
              side="above"
            />
          )}
          <textarea
            ref={field}
            rows={1}
            aria-label="Message"
            placeholder="Say something…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              const isWithModifier = event.ctrlKey || event.metaKey
              // On a phone Enter is the only way to a new line.
              if (!isWithModifier && matchMedia('(pointer: coarse)').matches) return
              event.preventDefault()
              say(isWithModifier && isBusy)
            }}
            className="max-h-60 w-full resize-none rounded-md border border-control bg-canvas px-3 py-2 leading-normal hover:border-faint"
          />
        </div>
        <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
          <AttachFiles
            {...{ field, text }}
            changeDraft={(change) => putDraft(draft, change(draftOf(draft)))}
            onUploading={setUploading}
          />
          {isEmpty && <Delivered answer={send.data ?? keep.data} isOver={queued === 0 && !isBusy} />}
          {isBusy && !isFailed ? (
            <div className="ml-auto flex flex-wrap justify-end gap-x-5 gap-y-2">
              <Choice note={`becomes ${ordinal(queued + 1)} in the queue`}>
                <Button type="submit" look="primary" icon="list-ordered" disabled={isUnready} isBusy={send.isPending}>
                  Queue <Hint />
                </Button>
              </Choice>
              <Choice note={<StopsTurn turn={underway} />}>
                <Button icon="zap" disabled={isUnready || isSending} onClick={() => say(true)}>
                  Interrupt <Hint isWithModifier />
                </Button>
              </Choice>
            </div>
          ) : (
            <div className="ml-auto flex items-center gap-3">
              <span className="text-right text-muted text-xs">
                {isFailed ? 'waits in the queue until you restart the session' : noteAtRest(session, queued)}
              </span>
              <Button type="submit" look="primary" icon="send" disabled={isUnready} isBusy={isSending}>
                {isFailed ? 'Queue' : 'Send'} <Hint />
              </Button>
            </div>
          )}
        </div>
      </div>
    </form>
  )
}

function Choice({ note, children }: { note: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className="flex flex-col items-end gap-0.5">
      {children}
      <span className="tabular text-muted text-xs">{note}</span>
    </div>
  )
}

const modifier = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'

function Hint({ isWithModifier = false }: { isWithModifier?: boolean }): ReactNode {
  return (
    <span aria-hidden="true" className="hidden font-normal text-sm md:inline">
      {isWithModifier && `${modifier} `}⏎
    </span>
  )
}

function StopsTurn({ turn: { number, started_at, created_at } }: { turn: Turn }): ReactNode {
  const seconds = (useNow(1_000) - new Date(started_at ?? created_at).getTime()) / 1000
  return `stops turn ${number}, ${formatDuration(seconds)} old`
}

function noteAtRest({ status, session_id, prompt }: Session, queued: number): string {
  if (queued > 0) return `becomes ${ordinal(queued + 1)} in the queue`
  if (session_id === null && !prompt) return 'becomes the first prompt'
  return status === 'waiting' ? 'wakes the agent with it' : 'starts the next turn now'
}

/** What the server did with the last message, in its own words. */
function Delivered({
  answer,
  isOver,
}: {
  answer: Result<'sessions.follow_up'> | Result<'enqueued_messages.create'> | undefined
  /** Whether nothing is queued or under way any more: a message that was queued has been delivered. */
  isOver: boolean
}): ReactNode {
  if (!answer) return null
  const isQueued = 'enqueued_message' in answer
  if (isQueued && isOver) return null
  const place = isQueued ? answer.enqueued_message.position : undefined
  return (
    <p role="status" className="flex min-w-0 items-center gap-1.5 text-muted text-sm">
      <Badge tone={isQueued ? 'neutral' : 'ok'} icon={isQueued ? 'list-ordered' : 'check'}>
        {isQueued ? `Queued${place ? ` as ${ordinal(place)}` : ''}` : 'Delivered'}
      </Badge>
      <span className="min-w-0">{'message' in answer ? answer.message : 'Waits for the restart.'}</span>
    </p>
  )
}

const rules = new Intl.PluralRules('en', { type: 'ordinal' })
const endings = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' } as const

function ordinal(number: number): string {
  return `${number}${endings[rules.select(number)]}`
}

/** As high as its text, up to the limit in its style. */
function useHeight(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useEffect(() => {
    const { current } = field
    if (!current) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight + 2}px`
  }, [field, text])
}
