import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Select, TextArea } from '../../shared/kit/field.tsx'
import { useQuickSession } from './use-quick-session.tsx'

/** Asks an agent about the page that is open: a session whose prompt ends with the address of the page. */
export default function AskDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [page] = useState(() => ({ title: document.title, address: location.href }))
  const { prompt, setPrompt, roots, root, setRoot, start, canStart, isPending } = useQuickSession('ask', {
    addition: `\n\nAsked on the dashboard's page “${page.title}”: ${page.address}`,
    onStarted: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start()
  }
  return (
    <Dialog title="Ask an agent about this page" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextArea
          label="What do you want to know, or to be done?"
          hint={`The agent is told that you asked on “${page.title}”.`}
          rows={4}
          autoFocus
          required
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
          }}
        />
        <Select
          label="Root"
          value={root ?? ''}
          onChange={(event) => setRoot(event.currentTarget.value)}
          options={roots.map(({ name, display_name }) => ({ value: name, label: display_name }))}
        />
        <div className="flex justify-end">
          <Button type="submit" look="primary" icon="play" disabled={!canStart} isBusy={isPending}>
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
