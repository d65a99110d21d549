import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { ButtonLink, IconButton } from '../../shared/kit/button.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { part } from '../../shared/kit/part.tsx'
import { Status } from '../../shared/kit/status.tsx'
import { Transcript } from '../transcripts/transcript.tsx'
import { Composer } from './composer.tsx'
import { DrawerEdge, useDrawerWidth, WidthButton } from './drawer-edge.tsx'
import { nameOfSession } from './name-of-session.ts'
import type { Shown } from './session-facts.ts'
import { StatusSummary } from './status-summary.tsx'
import { useConversation } from './use-conversation.ts'
import { useSessionActions } from './use-session-actions.ts'

const SessionBanners = part(() => import('./session-banners.tsx'))
const Questions = part(() => import('./questions.tsx'))
const ArchiveAnyway = part(() => import('./archive-anyway.tsx'))

/** One session beside the board: read it, answer it, write to it, and go on with the next row. */
export default function SessionDrawer({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useRead('sessions.show', { id })
  const [width, setWidth] = useDrawerWidth()
  // The last session stays until this one is read.
  const shown = data && String(data.session.id) === id ? data : undefined
  return (
    <aside
      aria-label="Session beside the board"
      className="relative flex min-h-0 shrink-0 flex-col border-line border-l bg-canvas"
      style={{ width }}
    >
      <DrawerEdge width={width} onChange={setWidth} />
      {shown ? (
        <DrawnSession
          key={id}
          shown={shown}
          id={id}
          onClose={onClose}
          widthButton={<WidthButton width={width} onChange={setWidth} />}
        />
      ) : (
        <>
          <header className="flex items-center justify-end border-line border-b px-2 py-1.5">
            <IconButton icon="x" label="Close the session" onClick={onClose} />
          </header>
          {error ? <ErrorNote error={error} onRetry={() => refetch()} /> : <Skeleton rows={8} />}
        </>
      )}
    </aside>
  )
}

type DrawnProps = { shown: Shown; id: string; onClose: () => void; widthButton: ReactNode }

function DrawnSession({ shown, id, onClose, widthButton }: DrawnProps): ReactNode {
  const { session } = shown
  const actions = useSessionActions(session, id)
  const { turns, underway, queued, elicitations, failed, entries } = useConversation(session, id)
  const isArchived = session.status === 'archived'
  return (
    <>
      <header className="flex flex-col gap-0.5 border-line border-b bg-surface py-1.5 pr-2 pl-4">
        <div className="flex min-w-0 items-center gap-1">
          <h2 className="min-w-0 grow truncate font-semibold">
            <Link to="/sessions/$id" params={{ id }} className="hover:underline">
              {nameOfSession(session)}
            </Link>
          </h2>
          {underway && <IconButton icon="pause" label="Pause: ends the running turn" onClick={actions.pause} />}
          {!isArchived && <IconButton icon="archive" label="Archive" onClick={() => actions.archive()} />}
          <ButtonLink size="sm" look="quiet" to="/sessions/$id" params={{ id }}>
            Whole page
          </ButtonLink>
          {widthButton}
          <IconButton icon="x" label="Close the session" onClick={onClose} />
        </div>
        <div className="flex min-w-0 items-center gap-3 text-sm">
          <Status of={session.status} need={elicitations.length > 0 ? 'question' : undefined} className="shrink-0" />
          <StatusSummary id={id} summary={shown.status_summary} />
        </div>
      </header>
      <SessionBanners session={session} actions={actions} />
      <Transcript
        sessionId={id}
        entries={entries}
        turns={turns}
        isWorking={underway !== undefined}
        target={undefined}
        phrase=""
        onFork={actions.fork}
      />
      {(failed || elicitations.length > 0) && <Questions {...{ elicitations, failed }} />}
      {actions.refusal && <ArchiveAnyway actions={actions} refusal={actions.refusal} />}
      <Composer {...{ session, id, underway, queued }} onSent={entries.catchUp} />
    </>
  )
}
