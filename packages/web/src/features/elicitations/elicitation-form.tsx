import { type FormEvent, type ReactNode, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { useOneAtATime } from '../../shared/api/one-at-a-time.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, sentencesOf } from '../../shared/kit/notes.tsx'
import { readable } from '../../shared/kit/readable.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useFormDraft } from '../../shared/state/form-draft.ts'
import { Countdown } from './countdown.tsx'
import { draftOfAnswer } from './draft-of-answer.ts'
import { ElicitationField } from './elicitation-field.tsx'
import { contentOf, type FormValue, fieldsOf, filledIn, sentencesByField } from './form-fields.ts'

export type Elicitation = Result<'elicitations.list'>['elicitations'][number]

type ElicitationFormProps = {
  elicitation: Elicitation
  /** The session's name, where the form is not on the session's own page. */
  about?: ReactNode
  /** `a` and `d` answer it. Of several questions in one place only one has keys. */
  hasKeys?: boolean
  onAnswered?: () => void
}

const unanswered: Readonly<Record<string, FormValue>> = {}

/** A question of an agent, with the form that it asks for. Of two answers the first counts. What is filled in is kept as a draft. */
export function ElicitationForm({ elicitation, about, hasKeys, onAnswered }: ElicitationFormProps): ReactNode {
  const { id, requested_schema, tool_name, asked_by, context, expires_at } = elicitation
  const message = readable(elicitation.message)
  const toasts = useToasts()
  const fields = fieldsOf(requested_schema)
  const { values, change, clear } = useFormDraft(draftOfAnswer(id), unanswered)
  /** Fields that were changed since the last answer: what it said about them may no longer hold. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const respond = useOneAtATime(
    useWrite('elicitations.respond', {
      refreshes: ['sessions', 'needs_you', 'board', 'notifications'],
      complains: 'never',
      onSuccess: () => {
        // All of it: no form shows an answered question again.
        clear()
        onAnswered?.()
      },
    }),
  )
  const { byField, others } = sentencesByField(fields, respond.error ? sentencesOf(respond.error) : [])
  const answer = (action_type: 'accept' | 'decline' | 'cancel') => {
    setChanged(new Set())
    const content = action_type === 'accept' ? contentOf(fields, values) : undefined
    respond.mutate(
      { id: String(id), action_type, ...(content && { content: content as Elicitation['content'] }) },
      // The form may be gone before the person has read it: someone else was faster.
      { onError: (error) => sentencesByField(fields, sentencesOf(error)).byField.size === 0 && toasts.complain(error) },
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    answer('accept')
  }
  return (
    <form onSubmit={submit} noValidate aria-label={`Question: ${message}`} className="flex min-w-0 flex-col gap-3">
      <header className="flex items-start gap-2.5">
        <Icon name="message-circle-question-mark" className="mt-0.5 text-needs" />
        <div className="min-w-0 grow">
          <p className="whitespace-pre-wrap break-words font-semibold">{message}</p>
          <p className="break-words text-muted text-sm">
            {about && <>{about} · </>}
            {askerOf(asked_by, tool_name)} · <Countdown to={expires_at} />
          </p>
          {context && <p className="mt-1 whitespace-pre-wrap break-words text-sm">{readable(context)}</p>}
        </div>
      </header>
      {others.length > 0 && <ErrorNote error={new Error(others.join(' '))} />}
      {fields.map((field) => (
        <ElicitationField
          key={field.name}
          field={field}
          value={filledIn(field, values)}
          error={changed.has(field.name) ? undefined : byField.get(field.name)}
          onChange={(value) => {
            change({ [field.name]: value })
            setChanged((all) => new Set([...all, field.name]))
          }}
        />
      ))}
      <footer className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          size="sm"
          icon="check"
          isBusy={respond.isPending}
          data-key={hasKeys && fields.length === 0 ? 'a' : undefined}
        >
          Accept
        </Button>
        <Button size="sm" disabled={respond.isPending} onClick={() => answer('decline')} data-key={hasKeys && 'd'}>
          Decline
        </Button>
        <Button
          size="sm"
          look="quiet"
          disabled={respond.isPending}
          onClick={() => answer('cancel')}
          data-tip="The agent learns that no one wants to answer"
        >
          Dismiss
        </Button>
      </footer>
    </form>
  )
}

function askerOf(asker: Elicitation['asked_by'], tool: string | null): string {
  if (asker === 'agent') return tool ? `The agent asks about ${tool}` : 'The agent asks'
  return tool ? `Asked by the tool ${tool}` : 'A tool asks'
}
