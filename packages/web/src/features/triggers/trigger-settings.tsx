import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Facts } from '../../shared/kit/facts.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { listLabels, listNames } from '../catalog/artifact-lists.tsx'
import type { Trigger } from './trigger-form.ts'

/** What was chosen for it and what its sessions are given. What was left to the root or to the service is left out. */
export function TriggerSettings({ trigger }: { trigger: Trigger }): ReactNode {
  const { goal, effective_scheduling_class, precedence, max_sessions_per_minute: most, made_by_session_id } = trigger
  return (
    <Panel title="Settings">
      <div className="p-3">
        <Facts
          of={[
            ['Goal', goal],
            ['Class', trigger.scheduling_class ?? `${effective_scheduling_class}, by its conditions`],
            ['Precedence', precedence],
            ['Cap', most !== null && `${most} a minute`],
            ['Skips', skipping(trigger)],
            ['Messages', folding(trigger)],
            ...listNames.map((list) => [listLabels[list], trigger[list].join(', ')] as const),
            ['Made by', made_by_session_id !== null && <Maker session={made_by_session_id} />],
          ]}
        />
      </div>
    </Panel>
  )
}

function Maker({ session }: { session: number }): ReactNode {
  return (
    <>
      the agent of{' '}
      <Link
        to="/sessions/$id"
        params={{ id: String(session) }}
        className="text-accent-text underline underline-offset-2"
      >
        session {session}
      </Link>
    </>
  )
}

function skipping({ skip_if_pending_session, skip_if_pending_session_inert }: Trigger): string | undefined {
  if (!skip_if_pending_session) return undefined
  const inert = skip_if_pending_session_inert ? '; not now, because it follows up a live session' : ''
  return `fires while a session that it started is at work${inert}`
}

function folding({ coalesce_window_seconds: seconds, coalesce_window_inert }: Trigger): string | undefined {
  if (seconds === null) return undefined
  const inert = coalesce_window_inert ? '; without effect, because no condition is about chat' : ''
  return (
    (seconds === 0 ? 'each is an event of its own' : `of one conversation within ${seconds} s are one event`) + inert
  )
}
