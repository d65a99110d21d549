import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Icon, type IconName } from '../../shared/kit/icon.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { factsOf, type Session } from './session-facts.ts'
import type { SessionActions } from './use-session-actions.ts'

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
        <Banner icon="plug" tone="needs" action={restart}>
          Someone has to sign in to{' '}
          {facts.oauthServers.map(({ server_name, server_url }) => (
            <a
              key={server_name}
              href={server_url}
              target="_blank"
              rel="noreferrer"
              className="font-medium text-accent-text underline"
            >
              {server_name}
            </a>
          ))}
          , then restart the session.
        </Banner>
      )}
      {status === 'failed' && facts.failureReason !== 'oauth_required' && (
        <Banner icon="octagon-x" tone="failed" action={restart}>
          <span className="font-medium">Failed: {(facts.failureReason ?? 'unknown reason').replaceAll('_', ' ')}</span>
          {facts.failureDetail && (
            <details className="mt-0.5">
              <summary className="w-fit text-muted text-sm">Details</summary>
              <pre className="mt-1 max-h-40 overflow-auto whitespace-pre-wrap break-words font-mono text-sm">
                {facts.failureDetail}
              </pre>
            </details>
          )}
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
          Waits for a free slot since <Time at={facts.heldSince} />
          {facts.heldDetail && <>: {facts.heldDetail}</>}
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
          Asleep since <Time at={facts.asleepSince} />
        </Banner>
      )}
      {facts.isAboutToSleep && status === 'running' && <Banner icon="moon">Sleeps when this turn ends.</Banner>}
    </>
  )
}

type BannerProps = { icon: IconName; tone?: 'plain' | 'needs' | 'failed'; children: ReactNode; action?: ReactNode }

const tones = {
  plain: 'bg-hover',
  needs: 'bg-needs-soft',
  failed: 'bg-failed-soft',
}
const iconTones = { plain: 'text-muted', needs: 'text-needs', failed: 'text-failed' }

function Banner({ icon, tone = 'plain', children, action }: BannerProps): ReactNode {
  return (
    <div role="status" className={`flex items-start gap-2.5 border-line border-b px-3 py-2 md:px-5 ${tones[tone]}`}>
      <Icon name={icon} className={`mt-0.5 shrink-0 ${iconTones[tone]}`} />
      <div className="min-w-0 grow break-words">{children}</div>
      {action}
    </div>
  )
}
