import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { FamilyTree } from './family-tree.tsx'
import { HumanMessages } from './human-messages.tsx'
import { SessionControls } from './session-controls.tsx'
import type { Session, Shown } from './session-facts.ts'
import { SessionLists } from './session-lists.tsx'
import { factsOf } from './session-metadata.ts'

export default function InfoPanel({ shown, id }: { shown: Shown; id: string }): ReactNode {
  const { pullRequests } = factsOf(shown.session)
  return (
    <div className="flex flex-col divide-y divide-line">
      {pullRequests.length > 0 && (
        <Section title="Pull requests">
          <ul className="flex flex-col gap-1">
            {pullRequests.map(({ url, state, has_conflict }) => (
              <li key={url} className="flex min-w-0 items-center gap-2">
                <Icon name="git-pull-request" size={14} className="text-muted" />
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  className="min-w-0 truncate text-accent-text hover:underline"
                >
                  {url.replace(/^https?:\/\//, '')}
                </a>
                <Badge tone={state === 'merged' ? 'ok' : 'neutral'}>{state}</Badge>
                {has_conflict && <Badge tone="failed">conflict</Badge>}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Family">
        <FamilyTree hierarchy={shown.session_hierarchy} />
      </Section>
      <Section title="Settings">
        <SessionControls session={shown.session} id={id} />
      </Section>
      <Section title="What it is given">
        <SessionLists session={shown.session} id={id} />
      </Section>
      <Section title="Messages of people">
        <HumanMessages shown={shown} />
      </Section>
      <Section title="Details">
        <Details session={shown.session} />
      </Section>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title} className="min-w-0 px-3 py-3">
      <h2 className="mb-1.5 font-semibold text-sm">{title}</h2>
      {children}
    </section>
  )
}

function Details({ session }: { session: Session }): ReactNode {
  const facts = factsOf(session)
  return (
    <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-2 gap-y-1 text-sm">
      <Fact name="Id">
        <Code label="id">{String(session.id)}</Code>
      </Fact>
      <Fact name="Repository">
        <Code label="repository">{session.git_root}</Code>
      </Fact>
      <Fact name="Branch">
        <Code label="branch">{session.branch}</Code>
      </Fact>
      {session.subdirectory && (
        <Fact name="Folder">
          <Code label="folder">{session.subdirectory}</Code>
        </Fact>
      )}
      {session.slug && (
        <Fact name="Slug">
          <Code label="slug">{session.slug}</Code>
        </Fact>
      )}
      {facts.clonePath && (
        <Fact name="Clone">
          <Code label="path of the clone">{facts.clonePath}</Code>
        </Fact>
      )}
      <Fact name="Runtime">{session.agent_runtime}</Fact>
      {facts.root && <Fact name="Root">{facts.root}</Fact>}
      <Fact name="Started by">{session.genesis.replaceAll('_', ' ')}</Fact>
      {facts.triggerId !== undefined && (
        <Fact name="Trigger">
          <Link
            to="/triggers/$id"
            params={{ id: String(facts.triggerId) }}
            className="text-accent-text hover:underline"
          >
            {facts.triggerName ?? `Trigger ${facts.triggerId}`}
          </Link>
        </Fact>
      )}
      {facts.forkedFrom !== undefined && (
        <Fact name="Forked from">
          <Link
            to="/sessions/$id"
            params={{ id: String(facts.forkedFrom) }}
            className="text-accent-text hover:underline"
          >
            Session {facts.forkedFrom}
          </Link>
        </Fact>
      )}
      <Fact name="Created">
        <Time at={session.created_at} />
      </Fact>
      <Fact name="Changed">
        <Time at={session.updated_at} />
      </Fact>
      <Fact name="Outcome">
        <Link to="/outcomes/$id" params={{ id: String(session.id) }} className="text-accent-text hover:underline">
          How it went
        </Link>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}
