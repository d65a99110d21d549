import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { PageOfOne } from '../../shared/kit/page-of-one.tsx'
import { Tabs } from '../../shared/kit/tabs.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { dropDrafts } from '../../shared/state/draft.ts'
import { EditTrigger } from './edit-trigger.tsx'
import { FiresHistory } from './fires-history.tsx'
import { RunNowDialog } from './run-now-dialog.tsx'
import { draftOf, runOf } from './trigger-form.ts'
import { TriggerOverview } from './trigger-overview.tsx'
import { TriggerState } from './trigger-state.tsx'
import { useToggleTrigger } from './use-toggle-trigger.ts'

export default function TriggerPage(): ReactNode {
  return <PageOfOne of={ShownTrigger} />
}

function ShownTrigger({ id }: { id: string }): ReactNode {
  const { tab, page = 1 } = useSearch({ from: '/shell/triggers/$id' })
  const navigate = useNavigate()
  const { data, error, refetch } = useRead('triggers.show', { id })
  const toggle = useToggleTrigger()
  const [open, setOpen] = useState<'run' | 'delete'>()
  if (!data) {
    return <Page title="Trigger">{error ? <ErrorNote error={error} onRetry={() => refetch()} /> : <Skeleton />}</Page>
  }
  const { trigger } = data
  const show = (name: 'overview' | 'edit' | 'history') =>
    void navigate({ to: '/triggers/$id', params: { id }, search: name === 'overview' ? {} : { tab: name } })
  const actions = (
    <>
      <Button look="primary" icon="play" onClick={() => setOpen('run')}>
        Run now
      </Button>
      <Button onClick={() => toggle.mutate({ id })}>
        {trigger.status === 'enabled' ? 'Disable' : trigger.status === 'failed' ? 'Enable again' : 'Enable'}
      </Button>
      <Button look="danger" icon="trash-2" onClick={() => setOpen('delete')}>
        Delete
      </Button>
    </>
  )
  return (
    <Page title={trigger.name} note={<TriggerState of={trigger} />} actions={actions} width="narrow">
      <ErrorNote error={trigger.last_error && new Error(trigger.last_error)} />
      <div>
        <Tabs
          label="Parts of the trigger"
          tabs={[
            { name: 'overview', label: 'Overview' },
            { name: 'edit', label: 'Edit' },
            { name: 'history', label: 'History' },
          ]}
          selected={tab ?? 'overview'}
          onSelect={show}
        >
          <div className="pt-4">
            {tab === undefined && <TriggerOverview shown={data} onRun={() => setOpen('run')} />}
            {tab === 'edit' && <EditTrigger trigger={trigger} onSaved={() => show('overview')} />}
            {tab === 'history' && (
              <Panel>
                <FiresHistory
                  id={id}
                  page={page}
                  onRun={() => setOpen('run')}
                  onPage={(chosen, options) =>
                    void navigate({ to: '/triggers/$id', params: { id }, search: { tab, page: chosen }, ...options })
                  }
                />
              </Panel>
            )}
          </div>
        </Tabs>
      </div>
      {open === 'run' && <RunNowDialog trigger={trigger} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && <DeleteDialog id={id} name={trigger.name} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

function DeleteDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }): ReactNode {
  const navigate = useNavigate()
  const toasts = useToasts()
  const remove = useWrite('triggers.delete', {
    onSuccess: () => {
      const gone = { id: Number(id) }
      dropDrafts((draft) => draft === draftOf(gone) || draft === runOf(gone))
      toasts.say(`${name} was deleted`)
      void navigate({ to: '/triggers' })
    },
  })
  const actions = (
    <>
      <Button onClick={onClose}>Keep it</Button>
      <Button look="danger" icon="trash-2" isBusy={remove.isPending} onClick={() => remove.mutate({ id })}>
        Delete the trigger
      </Button>
    </>
  )
  return (
    <Dialog title={`Delete ${name}?`} isOpen onClose={onClose} actions={actions} width="sm">
      It will not fire again, and its history goes with it. The sessions it started stay.
    </Dialog>
  )
}
