import { type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { serverPage } from '../../shared/api/private-path.ts'
import { useViewer } from '../../shared/api/viewer.ts'
import { Button } from '../../shared/kit/button.tsx'
import { counted } from '../../shared/kit/counted.ts'
import { Panel } from '../../shared/kit/page.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { ArchiveDialog, RecoveryDialog } from './action-dialogs.tsx'
import { JobsDialog } from './jobs-dialog.tsx'
import { OperatorForm } from './operator-form.tsx'
import type { Health } from './report.ts'

type Open = 'archive' | 'recovery' | 'discard' | 'reschedule'

/** What a person can do about the report. Each action says what it did, in numbers. */
export function HealthActions({ health }: { health: Health }): ReactNode {
  const { data: viewer } = useViewer()
  const [open, setOpen] = useState<Open>()
  const toasts = useToasts()
  const cleanUp = useWrite('health.cleanup_processes', {
    onSuccess: ({ terminated, failed }) =>
      toasts.say(
        `${counted(terminated.length, 'process was', 'processes were')} ended, ${failed.length} could not be ended`,
      ),
  })
  const retry = useWrite('health.retry_sessions', {
    refreshes: ['sessions', 'board'],
    onSuccess: ({ retried, failed }) =>
      toasts.say(
        `${counted(retried.length, 'session starts', 'sessions start')} again, ${failed.length} could not be started`,
      ),
  })
  const runTasks = useWrite('health.run_post_deploy_tasks', {
    onSuccess: ({ rearmed }) =>
      toasts.say(`${counted(rearmed, 'failed task', 'failed tasks')} will be tried again, and a pass begins soon`),
  })
  const exit = useWrite('health.exit_queue_recovery_mode', { onSuccess: () => toasts.say('The queues go on') })
  const close = () => setOpen(undefined)
  const isHalted = health.queue_recovery_mode?.active === true
  // A person who signed in with a key may do what the key may do; open pages ask for the operator's password.
  const mustProve = viewer?.web_auth === 'none' && !viewer.operator
  return (
    <Panel title="Actions">
      {mustProve ? (
        <OperatorForm />
      ) : (
        <ul>
          <Action
            name="End processes that no turn owns"
            note={`${health.health_report.process_health.orphaned_count ?? 'An unknown number of'} agents run without a turn, on all hosts together.`}
          >
            <Button isBusy={cleanUp.isPending} onClick={() => cleanUp.mutate({})}>
              End them
            </Button>
          </Action>
          <Action name="Retry failed sessions" note="Starts up to ten sessions that failed in the last 24 hours again.">
            <Button isBusy={retry.isPending} onClick={() => retry.mutate({})}>
              Retry them
            </Button>
          </Action>
          <Action name="Archive idle sessions" note="Archives sessions that nothing has changed for some days.">
            <Button onClick={() => setOpen('archive')}>Archive…</Button>
          </Action>
          <Action name="Try one-time tasks again" note="Arms the tasks of new versions that failed, and begins a pass.">
            <Button isBusy={runTasks.isPending} onClick={() => runTasks.mutate({})}>
              Try again
            </Button>
          </Action>
          <Action
            name="Queue recovery mode"
            note="Halts every queue but those of turns, so that a flood of jobs can be looked at."
          >
            {isHalted && (
              <Button look="primary" isBusy={exit.isPending} onClick={() => exit.mutate({})}>
                Let the queues go on
              </Button>
            )}
            <Button look="danger" onClick={() => setOpen('recovery')}>
              {isHalted ? 'Extend…' : 'Halt the queues…'}
            </Button>
          </Action>
          <Action name="Queued jobs" note="Moves waiting jobs to another time, or discards them: they never run.">
            <Button onClick={() => setOpen('reschedule')}>Reschedule…</Button>
            <Button look="danger" onClick={() => setOpen('discard')}>
              Discard…
            </Button>
          </Action>
        </ul>
      )}
      <p className="border-line border-t px-3 py-2.5 text-muted text-sm">
        More: <ServerPage to="/jobs">jobs and queues</ServerPage>,{' '}
        <ServerPage to="/supervisor">the operator panel</ServerPage>,{' '}
        <ServerPage to="/health">this report without scripts</ServerPage>. They work when this dashboard does not, and
        may ask for the operator's password.
      </p>
      {open === 'archive' && <ArchiveDialog onClose={close} />}
      {open === 'recovery' && <RecoveryDialog isHalted={isHalted} onClose={close} />}
      {(open === 'discard' || open === 'reschedule') && <JobsDialog action={open} onClose={close} />}
    </Panel>
  )
}

function Action({ name, note, children }: { name: string; note: string; children: ReactNode }): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-2.5 last:border-b-0">
      <div className="min-w-56 grow basis-0">
        <p className="font-medium">{name}</p>
        <p className="text-muted text-sm">{note}</p>
      </div>
      <div className="flex flex-wrap gap-2">{children}</div>
    </li>
  )
}

function ServerPage({ to, children }: { to: string; children: ReactNode }): ReactNode {
  return (
    <a href={serverPage(to)} className="inline-block text-accent-text underline">
      {children}
    </a>
  )
}
