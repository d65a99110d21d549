import { type FormEvent, type ReactNode, useId } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextArea } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

export type Pasting = { name: string; url: string; state: string }

/** For authorization servers that send people to an address that is not ours: the person brings its answer back. */
export function PasteDialog({ pasting, onClose }: { pasting: Pasting; onClose: () => void }): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const complete = useWrite('connectors.complete', {
    complains: false,
    refreshes: ['sessions', 'board', 'needs_you'],
    onSuccess: ({ server_name, resumed_sessions: { length } }) => {
      const sessions = length === 0 ? '' : `; ${length} ${length === 1 ? 'session goes' : 'sessions go'} on`
      toasts.say(`${server_name} is authorized${sessions}`)
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const pasted = String(new FormData(event.currentTarget).get('pasted') ?? '').trim()
    complete.mutate({ state: pasting.state, redirect_response: pasted })
  }
  return (
    <Dialog
      title={`Authorize ${pasting.name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={complete.isPending}>
            Complete
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        <ol className="flex list-decimal flex-col gap-1 pl-5">
          <li>
            <a
              href={pasting.url}
              target="_blank"
              rel="noreferrer noopener"
              className="font-medium text-accent-text underline"
            >
              Give your consent
            </a>{' '}
            in another tab.
          </li>
          <li>Copy the whole address of the page on which you land, even if it shows an error.</li>
          <li>Paste it here.</li>
        </ol>
        <TextArea label="Address, or code" name="pasted" rows={3} required spellCheck={false} autoComplete="off" />
        <ErrorNote error={complete.error} />
      </form>
    </Dialog>
  )
}
