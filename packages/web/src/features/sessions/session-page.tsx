import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, useTitle } from '../../shared/kit/page.tsx'
import { useConnection, useLiveEvent } from '../../shared/live/live.tsx'
import { type Target, Transcript } from '../transcripts/transcript.tsx'
import { useEntries } from '../transcripts/use-entries.ts'
import { useInterval } from '../transcripts/use-interval.ts'
import { Composer } from './composer.tsx'
import { nameOfSession } from './name-of-session.ts'
import { type Session, type Shown, underwayOf } from './session-facts.ts'
import { SessionHeader } from './session-header.tsx'
import type { SessionSearch, SessionTab } from './session-search.ts'
import { useIsWide, useKeyboardInset } from './use-screen.ts'
import { useSessionActions } from './use-session-actions.ts'

const FindBar = lazy(() => import('../transcripts/find-bar.tsx'))
const SessionBanners = lazy(() => import('./session-banners.tsx'))
const SidePane = lazy(() => import('./side-pane.tsx'))
const SideSheet = lazy(() => import('./side-sheet.tsx'))
const ArchiveAnyway = lazy(() => import('./archive-anyway.tsx'))
const Questions = lazy(() => import('./questions.tsx'))

export default function SessionPage(): ReactNode {
  const { id } = useParams({ from: '/shell/sessions/$id' })
  const { data, error, refetch } = useRead('sessions.show', { id })
  // The rows of another session stay until these are read; this page is about one session only.
  const shown = data && [String(data.session.id), data.session.slug].includes(id) ? data : undefined
  if (shown) return <ShownSession key={shown.session.id} shown={shown} id={id} />
  return (
    <Page title="Session">
      {error ? <ErrorNote error={error} onRetry={() => refetch()} /> : <Skeleton rows={10} />}
    </Page>
  )
}

/** Events of new entries may be lost, so that a running turn is also looked at from time to time. */
const lookEveryMs = 4_000

function ShownSession({ shown, id }: { shown: Shown; id: string }): ReactNode {
  const { session } = shown
  useTitle(nameOfSession(session))
  useSeenByPerson(session, id)
  const { tab, find } = useSearch({ from: '/shell/sessions/$id' })
  const navigate = useNavigate()
  const isWide = useIsWide()
  const inset = useKeyboardInset()
  const actions = useSessionActions(session, id)

  const recent = useRead('turns.list', { session_id: id, per_page: 100 })
  const turns = recent.data?.turns ?? []
  const underway = underwayOf(session, turns)
  const queue = useRead('enqueued_messages.list', { session_id: id, status: 'pending', per_page: 100 })
  const queued = queue.data?.enqueued_messages.length ?? 0
  const asked = useRead('elicitations.list', { session_id: id, status: 'pending' })
  const costs = useRead('costs.show', { session_id: id, days: 365 })

  const linked = useLinkedEntry()
  const entries = useEntries(id, { ...(linked && { start: linked.sequence }) })
  const [target, setTarget] = useState<Target | undefined>(linked)
  const { goTo } = entries
  const go = useCallback((sequence: number) => void goTo(sequence).then(() => setTarget({ sequence })), [goTo])
  useEffect(() => {
    if (linked) go(linked.sequence)
  }, [linked, go])
  useFollowing(session, entries.catchUp, underway !== undefined)

  const show = (search: SessionSearch) =>
    void navigate({ to: '/sessions/$id', params: { id }, search, hash: true, replace: true })
  const setFind = (phrase: string | undefined) =>
    show({ ...(tab && { tab }), ...(phrase !== undefined && { find: phrase }) })
  const setTab = (next: SessionTab | undefined) =>
    show({ ...(next && { tab: next }), ...(find !== undefined && { find }) })
  useCommands([
    {
      id: 'find',
      label: 'Find in the transcript',
      group: 'Session',
      keys: '/',
      icon: 'search',
      run: () => setFind(''),
    },
    { id: 'archive', label: 'Archive', group: 'Session', keys: 'e', icon: 'archive', run: () => actions.archive() },
    { id: 'favourite', label: 'Favourite', group: 'Session', keys: 'f', icon: 'star', run: actions.favorite },
    { id: 'pause', label: 'Pause', group: 'Session', icon: 'pause', run: actions.pause },
    { id: 'restart', label: 'Restart', group: 'Session', icon: 'rotate-ccw', run: actions.restart },
    {
      id: 'copy-transcript',
      label: 'Copy the transcript',
      group: 'Session',
      icon: 'copy',
      run: () => void actions.copyTranscript(),
    },
  ])

  const pane = { shown, id, queued, isWorking: underway !== undefined, onTab: setTab }
  return (
    <div className="flex min-h-0 grow flex-col" style={{ paddingBottom: inset }}>
      <SessionHeader
        {...{ shown, id, underway, actions, turns }}
        cost={costs.data?.totals.cost_usd}
        lastEntry={entries.loaded?.total}
        onFind={() => setFind('')}
        onGo={go}
      />
      <Suspense>
        <SessionBanners session={session} actions={actions} />
      </Suspense>
      <div className="flex min-h-0 grow">
        <div className="flex min-w-0 grow flex-col">
          {find !== undefined && (
            <Suspense>
              <FindBar
                id={id}
                loaded={entries.loaded}
                phrase={find}
                onPhrase={setFind}
                onGo={go}
                onClose={() => setFind(undefined)}
              />
            </Suspense>
          )}
          <Transcript
            sessionId={id}
            entries={entries}
            turns={turns}
            isWorking={underway !== undefined}
            target={target}
            phrase={find ?? ''}
            onFork={actions.fork}
          />
          {!!asked.data?.elicitations.length && (
            <Suspense>
              <Questions elicitations={asked.data.elicitations} />
            </Suspense>
          )}
          {!isWide && (
            <Suspense fallback={<div className="h-9 border-line border-t bg-surface" />}>
              <SideSheet {...pane} tab={tab} onClose={() => setTab(undefined)} />
            </Suspense>
          )}
          <Composer {...{ session, id, underway, queued }} onSent={entries.catchUp} />
        </div>
        {isWide && (
          <aside aria-label="About the session" className="flex w-88 shrink-0 flex-col border-line border-l bg-surface">
            <Suspense>
              <SidePane {...pane} tab={tab ?? 'queue'} />
            </Suspense>
          </aside>
        )}
      </div>
      {actions.queuedNote !== undefined && (
        <Suspense>
          <ArchiveAnyway actions={actions} />
        </Suspense>
      )}
    </div>
  )
}

/** The entry in the address: `#e1234`. */
function useLinkedEntry(): Target | undefined {
  const hash = useLocation({ select: (location) => location.hash })
  const [linked, setLinked] = useState(() => targetOf(hash))
  useEffect(() => setLinked(targetOf(hash)), [hash])
  return linked
}

function targetOf(hash: string): Target | undefined {
  const sequence = Number(/^e(\d+)$/.exec(hash)?.[1])
  return sequence > 0 ? { sequence } : undefined
}

/** Reads new entries while a turn is underway, when the session changes, and when the stream is back. */
function useFollowing({ id }: Session, catchUp: () => void, isWorking: boolean): void {
  const connection = useConnection()
  useInterval(catchUp, isWorking ? lookEveryMs : undefined)
  useLiveEvent('transcript.appended', ({ data }) => data.session_id === id && data.thread === 'main' && catchUp())
  useLiveEvent('turn.ended', ({ data }) => data.session_id === id && catchUp())
  useLiveEvent('session.status_changed', ({ data }) => data.session_id === id && catchUp())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was written meanwhile is read when the stream is back.
  useEffect(catchUp, [connection, isWorking])
}

/** Takes the session off the list of what waits for a person, once one looks at it. */
function useSeenByPerson({ status, updated_at }: Session, id: string): void {
  const { mutate } = useWrite('sessions.mark_seen', {
    refreshes: ['needs_you', 'board', 'notifications'],
    complains: false,
  })
  const waits = status === 'needs_input' || status === 'failed'
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the session is seen.
  useEffect(() => {
    if (waits && document.visibilityState === 'visible') mutate({ id })
  }, [waits, updated_at, id, mutate])
}
