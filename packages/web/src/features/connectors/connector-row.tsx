import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { nameOfSession } from '../sessions/name-of-session.ts'
import { type Connector, looks, needsPerson } from './connector.ts'
import type { Pasting } from './paste-dialog.tsx'
import { useAuthorize } from './use-authorize.ts'

type RowProps = {
  connector: Connector
  onPaste: (pasting: Pasting) => void
  onDisconnect: (credentialId: string) => void
}

/** One MCP server: its state, what it lacks, who waits for it, and what a person can do. */
export function ConnectorRow({ connector, onPaste, onDisconnect }: RowProps): ReactNode {
  const { name, title, description, server_url, state, reason, credential, takes_sign_in, pending_flow } = connector
  const { authorize, isPending } = useAuthorize(onPaste)
  const { word, tone, icon } = looks[state]
  const isUrgent = takes_sign_in && needsPerson(connector)
  return (
    <li className="flex flex-col gap-1.5 border-line border-b px-3 py-3 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <span className="font-medium">{title}</span>
        {title !== name && <span className="font-mono text-muted text-sm">{name}</span>}
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        {pending_flow && <Badge tone="accent">consent begun</Badge>}
        <span className="grow" />
        {credential && (
          <Button size="sm" look="quiet" onClick={() => onDisconnect(credential.id)}>
            Disconnect
          </Button>
        )}
        {takes_sign_in && (
          <Button
            size="sm"
            icon="external-link"
            look={isUrgent ? 'primary' : 'plain'}
            isBusy={isPending}
            onClick={() => authorize({ name, again: credential !== null })}
          >
            {credential ? 'Authorize again' : 'Authorize'}
          </Button>
        )}
      </div>
      {description && <p className="break-words text-muted">{description}</p>}
      <p className="text-muted text-sm">
        {server_url === null ? 'A program on the host of the session' : <Code label="address">{server_url}</Code>}
      </p>
      {isTelling(state) && reason && <p className="break-words">{reason}</p>}
      <Missing connector={connector} />
      {credential && <CredentialFacts credential={credential} />}
      <Waiting connector={connector} />
    </li>
  )
}

/** Of the other states the badge, or the list of what is missing, says the same. */
function isTelling(state: Connector['state']): boolean {
  return state === 'declared_unavailable' || state === 'needs_reauth'
}

function Missing({ connector: { missing } }: { connector: Connector }): ReactNode {
  if (missing.length === 0) return null
  return (
    <ul className="flex flex-col gap-0.5">
      {missing.map(({ name, where }) => (
        <li key={name} className="break-words text-muted">
          Set <Code label={name}>{name}</Code> {where}
        </li>
      ))}
    </ul>
  )
}

function CredentialFacts({ credential }: { credential: NonNullable<Connector['credential']> }): ReactNode {
  const { created_at, expires_at, refreshable, refresh_token_unsupported, refreshed_at, problem, scopes } = credential
  return (
    <div className="text-muted text-sm">
      <p>
        Authorized <Time at={created_at} />
        {refreshed_at && (
          <>
            {' · renewed '}
            <Time at={refreshed_at} />
          </>
        )}
        {expires_at && (
          <>
            {' · its token expires '}
            <Time at={expires_at} />
          </>
        )}
        {refreshable ? ' · renewed by itself' : expires_at && ' · you have to authorize it again then'}
      </p>
      {refresh_token_unsupported && expires_at && <p>Its authorization server gives no refresh tokens</p>}
      {scopes && <p className="break-words">Permits {scopes}</p>}
      {problem && <p className="break-words text-failed">{problem}</p>}
    </div>
  )
}

const mostShown = 5

function Waiting({ connector: { waiting_sessions: sessions } }: { connector: Connector }): ReactNode {
  if (sessions.length === 0) return null
  return (
    <p className="break-words text-sm">
      <span className="text-muted">Waiting for it: </span>
      {sessions.slice(0, mostShown).map((session, index) => (
        <span key={session.id}>
          {index > 0 && ', '}
          <Link
            to="/sessions/$id"
            params={{ id: String(session.id) }}
            className="font-medium text-accent-text hover:underline"
          >
            {nameOfSession(session)}
          </Link>
        </span>
      ))}
      {sessions.length > mostShown && <span className="text-muted"> and {sessions.length - mostShown} more</span>}
    </p>
  )
}
