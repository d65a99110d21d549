import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { TextArea } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

export type Pasting = { name: string; url: string; state: string }

/** For authorization servers that send people to an address that is not ours: the person brings its answer back. Keeps no draft: the answer
 * has a code that signs in. */
export function PasteDialog({ pasting, onClose }: { pasting: Pasting; onClose: () => void }): ReactNode {
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
  const submit = (form: FormData) =>
    complete.mutate({ state: pasting.state, redirect_response: String(form.get('pasted') ?? '').trim() })
  return (
    <FormDialog
      title={`Authorize ${pasting.name}`}
      button="Complete"
      isBusy={complete.isPending}
      error={complete.error}
      onSubmit={submit}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
