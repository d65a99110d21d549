import type { FormEvent, ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextArea, TextField } from '../../shared/kit/field.tsx'
import { KeptDraft } from '../../shared/kit/kept-draft.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'

/** Only people can give feedback, in a browser: no key of the API can. */
export function FeedbackForm({ decisionId }: { decisionId: number }): ReactNode {
  const toasts = useToasts()
  const { data: viewer } = useViewer()
  const { values, field, discard, sending, accepted } = useTypedForm(`gate.${decisionId}`, {
    verdict: '',
    author: viewer?.name ?? '',
    note: '',
  })
  const add = useWrite('gate_decisions.add_feedback', {
    complains: false,
    onSuccess: () => {
      accepted()
      toasts.say('Your feedback is recorded')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending()
    add.mutate({ id: String(decisionId), ...values, note: values.note || null })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 p-3">
      <div className="grid gap-3 md:grid-cols-2">
        <TextField
          label="Verdict"
          required
          list={`verdicts-${decisionId}`}
          placeholder="agree"
          hint="In a word or two"
          {...field('verdict')}
        />
        <datalist id={`verdicts-${decisionId}`}>
          <option value="agree" />
          <option value="disagree" />
          <option value="too strict" />
          <option value="too lenient" />
        </datalist>
        <TextField label="Your name" required {...field('author')} />
      </div>
      <TextArea label="Note" rows={3} hint="Why" {...field('note')} />
      <ErrorNote error={add.error} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button look="primary" type="submit" isBusy={add.isPending}>
          Record the feedback
        </Button>
        <KeptDraft onDiscard={discard} />
      </div>
    </form>
  )
}
