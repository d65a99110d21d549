import type { FormEvent, ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextArea } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useDraft } from '../../shared/state/draft.ts'

type Session = Result<'sessions.show'>['session']

/** A message to the agent. The draft stays until the server has accepted it. */
export function FollowUp({ session: { id, status } }: { session: Session }): ReactNode {
  const [text, setText] = useDraft(`session.${id}`)
  const send = useWrite('sessions.follow_up', {
    refreshes: ['enqueued_messages'],
    complains: false,
    onSuccess: () => setText(''),
  })
  const isRunning = status === 'running'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ id: String(id), prompt: text })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <ErrorNote error={send.error} />
      <TextArea
        label="Message"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder="Say something…"
        hint={isRunning ? 'The agent gets it when the running turn ends.' : 'Starts the next turn.'}
      />
      <div className="flex justify-end">
        <Button type="submit" look="primary" icon="send" disabled={text.trim() === ''} isBusy={send.isPending}>
          {isRunning ? 'Queue' : 'Send'}
        </Button>
      </div>
    </form>
  )
}
