import { type FormEvent, type ReactNode, useRef } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { TextArea, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useDraft } from '../../shared/state/draft.ts'

/** Only people can give feedback, in a browser: no key of the API can. */
export function FeedbackForm({ decisionId }: { decisionId: number }): ReactNode {
  const toasts = useToasts()
  const form = useRef<HTMLFormElement>(null)
  const { data: viewer } = useViewer()
  const [note, setNote] = useDraft(`gate.${decisionId}`)
  const add = useWrite('gate_decisions.add_feedback', {
    complains: false,
    onSuccess: () => {
      form.current?.reset()
      setNote('')
      toasts.say('Your feedback is recorded')
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    add.mutate({
      id: String(decisionId),
      verdict: String(given.get('verdict') ?? ''),
      author: String(given.get('author') ?? ''),
      note: note || null,
    })
  }
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-3 p-3">
      <div className="grid gap-3 md:grid-cols-2">
        <TextField
          label="Verdict"
          name="verdict"
          required
          list={`verdicts-${decisionId}`}
          placeholder="agree"
          hint="In a word or two"
        />
        <datalist id={`verdicts-${decisionId}`}>
          <option value="agree" />
          <option value="disagree" />
          <option value="too strict" />
          <option value="too lenient" />
        </datalist>
        <TextField
          key={viewer?.name ?? ''}
          label="Your name"
          name="author"
          required
          defaultValue={viewer?.name ?? ''}
        />
      </div>
      <TextArea
        label="Note"
        rows={3}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        hint="Why"
      />
      <ErrorNote error={add.error} />
      <div>
        <Button look="primary" type="submit" isBusy={add.isPending}>
          Record the feedback
        </Button>
      </div>
    </form>
  )
}
