import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon, type IconName } from '../../shared/kit/icon.tsx'
import { readable } from '../../shared/kit/readable.ts'
import { Time } from '../../shared/kit/time.tsx'
import { PasteDialog, type Pasting } from '../connectors/paste-dialog.tsx'
import { useAuthorize } from '../connectors/use-authorize.ts'
import type { Session } from './session-facts.ts'
import { factsOf, type Server } from './session-metadata.ts'
import type { SessionActions } from './use-session-actions.ts'
import { Wakes } from './wakes.tsx'

/** Why the session does not go on by itself, and what to do about it. */
export default function SessionBanners({ session, actions }: { session: Session; actions: SessionActions }): ReactNode {
  const facts = factsOf(session)
  const { status } = session
  const promote = useWrite('sessions.update', { refreshes: ['board', 'needs_you'] })
  const restart = (
    <Button size="sm" icon="rotate-ccw" isBusy={actions.isRestarting} onClick={actions.restart}>
      Restart
    </Button>
  )
  const isOverBudget = facts.isStoppedByBudget || facts.heldReason?.includes('budget') === true
  return (
    <>
      {status === 'archived' && (
        <Banner
          icon="archive"
          action={
            <Button size="sm" icon="archive-restore" onClick={actions.unarchive}>
              Unarchive
            </Button>
          }
        >
          In the trash
          {session.trash_after && (
            <>
              {' · its files are cleaned up '}
              <Time at={session.trash_after} />
            </>
          )}
        </Banner>
      )}
      {status === 'failed' && facts.failureReason === 'oauth_required' && (
        <AuthorizationNeeded session={session} servers={facts.oauthServers} />
      )}
      {facts.outageSince && (
        <Banner
          icon="gauge"
          tone="needs"
          action={
            <Link to="/inference" className="font-medium text-accent-text underline">
              Accounts
            </Link>
          }
        >
          No account of {session.agent_runtime} can serve since <Time at={facts.outageSince} />. The session goes on by
          itself
          {facts.outageEnds ? (
            <>
              , probably <Time at={facts.outageEnds} />.
            </>
          ) : (
            ' when one can.'
          )}
        </Banner>
      )}
      {status === 'failed' && facts.failureReason === 'rate_limit' && (
        <Banner icon="gauge" tone="needs" action={restart}>
          <span className="font-medium">The account of {session.agent_runtime} has no quota left.</span> Restart the
          session when it has some again.
          <FailureDetail text={facts.failureDetail} />
        </Banner>
      )}
      {status === 'failed' && facts.failureReason !== 'oauth_required' && facts.failureReason !== 'rate_limit' && (
        <Banner icon="octagon-x" tone="failed" action={restart}>
          <span className="font-medium">Failed: {(facts.failureReason ?? 'unknown reason').replaceAll('_', ' ')}</span>
          <FailureDetail text={facts.failureDetail} />
        </Banner>
      )}
      {facts.lostQuestion && status !== 'archived' && (
        <Banner icon="circle-question-mark" tone="needs">
          A question went unanswered <Time at={facts.lostQuestion.at} />
          {facts.lostQuestion.reason === 'stranded' ? ', because its asker went away' : ''}: “
          {facts.lostQuestion.summary}”. Write to the agent to answer it.
        </Banner>
      )}
      {isOverBudget && (
        <Banner
          icon="dollar-sign"
          tone="needs"
          action={
            <Link to="/costs" className="font-medium text-accent-text underline">
              Budgets
            </Link>
          }
        >
          {facts.heldDetail ?? 'A budget is spent. The session goes on when the budget allows it.'}
          <FirstPrompt session={session} />
        </Banner>
      )}
      {facts.heldSince && !isOverBudget && (
        <Banner
          icon="hourglass"
          action={
            <Button
              size="sm"
              icon="zap"
              isBusy={promote.isPending}
              onClick={() => promote.mutate({ id: String(session.id), scheduling_class: 'priority' })}
            >
              Start now
            </Button>
          }
        >
          Waits for {facts.heldReason === 'at_utilization_limit' ? 'quota' : 'a free slot'}
          {facts.heldDetail && <>: {facts.heldDetail}</>} (held <Time at={facts.heldSince} />)
          <FirstPrompt session={session} />
        </Banner>
      )}
      {facts.isPaused && status === 'needs_input' && (
        <Banner icon="circle-pause">You or a colleague paused it. It goes on with your next message.</Banner>
      )}
      {facts.asleepSince && status === 'waiting' && (
        <Banner
          icon="moon"
          action={
            <Button size="sm" icon="sun" isBusy={actions.isRestarting} onClick={actions.restart}>
              Wake
            </Button>
          }
        >
          Fell asleep <Time at={facts.asleepSince} />
          <Wakes of={session.id} />
        </Banner>
      )}
      {facts.isAboutToSleep && (status === 'running' || status === 'needs_input') && (
        <Banner icon="moon">Sleeps when this turn ends.</Banner>
      )}
    </>
  )
}

/** The transcript of a session that never ran is empty: without this no one sees what it waits to do. */
function FirstPrompt({ session: { session_id, prompt } }: { session: Session }): ReactNode {
  if (session_id !== null || !prompt) return null
  return <p className="line-clamp-3 text-muted text-sm">It begins with “{readable(prompt)}”</p>
}

/** A reason of this length is read at a glance; a longer one is folded. */
const shortDetail = 200

function FailureDetail({ text }: { text: string | undefined }): ReactNode {
  if (!text) return null
  if (text.length <= shortDetail) return <p className="text-sm">{text}</p>
  return (
    <details className="mt-0.5">
      <summary className="w-fit text-muted text-sm">Details</summary>
      <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap break-words font-mono text-sm">{text}</pre>
    </details>
  )
}

type BannerProps = { icon: IconName; tone?: 'plain' | 'needs' | 'failed'; children: ReactNode; action?: ReactNode }

const tones = {
  plain: 'bg-hover',
  needs: 'bg-needs-soft',
  failed: 'bg-failed-soft',
}
const iconTones = { plain: 'text-muted', needs: 'text-needs', failed: 'text-failed' }

/** The session resumes by itself when the last of its servers is authorized, from this page or another. */
function AuthorizationNeeded({ session, servers }: { session: Session; servers: readonly Server[] }): ReactNode {
  const [pasting, setPasting] = useState<Pasting>()
  const { authorize, isPending } = useAuthorize(setPasting)
  return (
    <Banner
      icon="plug"
      tone="needs"
      action={servers.map(({ server_name: name }) => (
        <Button
          key={name}
          size="sm"
          icon="external-link"
          isBusy={isPending}
          onClick={() => authorize({ name, sessionId: session.id })}
        >
          Authorize {name}
        </Button>
      ))}
    >
      It waits until someone authorizes {servers.map(({ server_name }) => server_name).join(', ')}, and goes on by
      itself then.
      {pasting && <PasteDialog pasting={pasting} onClose={() => setPasting(undefined)} />}
    </Banner>
  )
}

function Banner({ icon, tone = 'plain', children, action }: BannerProps): ReactNode {
  return (
    <div role="status" className={`flex items-start gap-2.5 border-line border-b px-3 py-2 md:px-5 ${tones[tone]}`}>
      <Icon name={icon} className={`mt-0.5 shrink-0 ${iconTones[tone]}`} />
      <div className="min-w-0 grow break-words first-letter:uppercase">{children}</div>
      {action}
    </div>
  )
}
