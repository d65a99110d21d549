import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { ButtonLink } from '../../shared/kit/button.tsx'
import { Copyable, CopyButton } from '../../shared/kit/copy-button.tsx'
import { Facts } from '../../shared/kit/facts.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { PageOfOne } from '../../shared/kit/page-of-one.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { FeedbackForm } from './feedback-form.tsx'
import { type Decision, decisionTone, gateWords } from './gate-words.ts'

export default function GateDecisionPage(): ReactNode {
  return <PageOfOne of={ShownDecision} />
}

function ShownDecision({ id }: { id: string }): ReactNode {
  const { data, error, isLoading } = useRead('gate_decisions.show', { id })
  const decision = data?.gate_decision
  return (
    <Page
      title={decision ? (decision.title ?? `Decision ${decision.id}`) : `Decision ${id}`}
      note={
        decision && <Badge tone={decisionTone(decision.decision)}>{decision.decision ?? 'no decision named'}</Badge>
      }
      actions={
        <ButtonLink to="/gate_decisions" search={{}} icon="chevron-left">
          All decisions
        </ButtonLink>
      }
    >
      <ErrorNote error={error} />
      {isLoading && <Skeleton />}
      {decision && (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <Corrections decision={decision} />
            <Panel title="The decision">
              <div className="p-3">
                <Facts
                  of={[
                    ['Gate', gateWords[decision.gate]],
                    ['Surface', decision.surface],
                    ['Decided', decision.decided_at],
                    ['Artifact', addressOf(decision.artifact_url, 'artifact')],
                    ['Produced by', addressOf(decision.producing_session_url, 'session')],
                    ['Recorded by', sessionOf(decision.writing_session_id)],
                    ['Recorded', <Time key="recorded" at={decision.recorded_at} />],
                    ['Recorded by way of', decision.recorded_via],
                  ]}
                />
              </div>
            </Panel>
            <Panel
              title="The entry, in the words of the gate"
              actions={<CopyButton value={JSON.stringify(decision.payload, null, 2)} label="entry" />}
            >
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
              <pre tabIndex={0} className="max-h-96 overflow-auto p-3 font-mono text-sm">
                {JSON.stringify(decision.payload, null, 2)}
              </pre>
            </Panel>
          </div>
          <Panel title="What people think of it">
            {decision.human_feedback.length === 0 && <EmptyState icon="message-square" title="No feedback yet" />}
            <ul aria-label="Feedback">
              {decision.human_feedback.map((feedback) => (
                <li key={feedback.id} className="border-line border-b px-3 py-2.5">
                  <p className="flex flex-wrap items-center gap-2">
                    <Badge tone="accent">{feedback.verdict}</Badge>
                    <span className="font-medium">{feedback.author ?? 'Someone'}</span>
                    <Time at={feedback.received_at} className="text-muted text-sm" />
                  </p>
                  {feedback.note && <p className="mt-1 whitespace-pre-wrap break-words">{feedback.note}</p>}
                </li>
              ))}
            </ul>
            <FeedbackForm decisionId={decision.id} />
          </Panel>
        </div>
      )}
    </Page>
  )
}

/** Other records about the same artifact. The latest one is what counts. */
function Corrections({ decision }: { decision: Decision }): ReactNode {
  const { artifact_url, gate } = decision
  const { data } = useRead(
    'gate_decisions.list',
    { gate, artifact_url: artifact_url ?? '', per_page: 100 },
    { isEnabled: artifact_url !== null },
  )
  const others = (data?.gate_decisions ?? [])
    .filter(({ id, artifact_url: of }) => id !== decision.id && of === artifact_url)
    .toSorted((one, other) => other.id - one.id)
  if (artifact_url === null || others.length === 0) return null
  const isCorrected = others.some(({ id }) => id > decision.id)
  return (
    <Panel title={isCorrected ? 'A later decision corrects this one' : 'This decision corrects earlier ones'}>
      <ul aria-label="Other decisions about the same artifact">
        {others.map((other) => (
          <li key={other.id} className="flex min-h-9 items-center gap-2 border-line border-b px-3 last:border-b-0">
            <Badge tone={decisionTone(other.decision)}>{other.decision ?? 'none'}</Badge>
            <Link
              to="/gate_decisions/$id"
              params={{ id: String(other.id) }}
              className="min-w-0 grow truncate hover:underline"
            >
              {other.title ?? `Decision ${other.id}`}
            </Link>
            <span className="text-muted text-sm">
              {other.id > decision.id ? 'later' : 'earlier'}, <Time at={other.recorded_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function addressOf(url: string | null, of: string): ReactNode {
  if (url === null) return null
  return (
    <Copyable value={url} label={`address of the ${of}`}>
      {/^https?:\/\//.test(url) ? (
        <a href={url} target="_blank" rel="noreferrer" className="break-all text-accent-text hover:underline">
          {url}
        </a>
      ) : (
        url
      )}
    </Copyable>
  )
}

function sessionOf(id: number | null): ReactNode {
  return (
    id !== null && (
      <Link to="/sessions/$id" params={{ id: String(id) }} className="text-accent-text hover:underline">
        Session {id}
      </Link>
    )
  )
}
