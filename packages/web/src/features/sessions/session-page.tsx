import { useLocation, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Skeleton } from '../../shared/kit/notes.tsx'
import { Page, useTitle } from '../../shared/kit/page.tsx'
import { part } from '../../shared/kit/part.tsx'
import { type Target, Transcript } from '../transcripts/transcript.tsx'
import { Composer } from './composer.tsx'
import { nameOfSession } from './name-of-session.ts'
import type { Shown } from './session-facts.ts'
import { SessionHeader } from './session-header.tsx'
import type { SessionSearch, SessionTab } from './session-search.ts'
import { useConversation } from './use-conversation.ts'
import { useIsWide, useKeyboardInset } from './use-screen.ts'
import { useSessionActions } from './use-session-actions.ts'

const NoSession = part(() => import('./no-session.tsx'))
const FindBar = part(() => import('../transcripts/find-bar.tsx'))
const SessionBanners = part(() => import('./session-banners.tsx'))
const SidePane = part(() => import('./side-pane.tsx'))
const SideSheet = part(() => import('./side-sheet.tsx'), <div className="h-9 border-line border-t bg-surface" />)
const ArchiveAnyway = part(() => import('./archive-anyway.tsx'))
const SessionKeys = part(() => import('./session-keys.tsx'))
const Questions = part(() => import('./questions.tsx'))

export default function SessionPage(): ReactNode {
  const { id } = useParams({ from: '/shell/sessions/$id' })
  const { data, error, refetch } = useRead('sessions.show', { id })
  // The rows of another session stay until these are read; this page is about one session only.
  const shown = data && [String(data.session.id), data.session.slug].includes(id) ? data : undefined
  if (shown) return <ShownSession key={shown.session.id} shown={shown} id={id} />
  return (
    <Page title="Session">
      {error ? <NoSession id={id} error={error} onRetry={() => refetch()} /> : <Skeleton rows={10} />}
    </Page>
  )
}

function ShownSession({ shown, id }: { shown: Shown; id: string }): ReactNode {
  const { session } = shown
  useTitle(nameOfSession(session))
  const { tab, find } = useSearch({ from: '/shell/sessions/$id' })
  const navigate = useNavigate()
  const isWide = useIsWide()
  const inset = useKeyboardInset()
  const actions = useSessionActions(session, id)

  const costs = useRead('costs.show', { session_id: id, days: 365 })
  const linked = useLinkedEntry()
  const { turns, underway, queued, elicitations, failed, entries } = useConversation(session, id, linked?.sequence)
  const [target, setTarget] = useState<Target | undefined>(linked)
  const { goTo } = entries
  const go = useCallback((sequence: number) => void goTo(sequence).then(() => setTarget({ sequence })), [goTo])
  useEffect(() => {
    if (linked) go(linked.sequence)
  }, [linked, go])

  const show = (change: SessionSearch) =>
    void navigate({
      to: '/sessions/$id',
      params: { id },
      search: (before: SessionSearch) => ({ ...before, ...change }),
      hash: true,
      replace: true,
    })
  const setFind = (phrase: string | undefined) => show({ find: phrase })
  const header = {
    ...{ shown, id, underway, actions, turns },
    isAsking: elicitations.length > 0,
    cost: costs.data?.totals.cost_usd,
    lastEntry: entries.loaded?.total,
    onFind: () => setFind(''),
    onGo: go,
  }
  const pane = {
    shown,
    id,
    queued,
    isWorking: underway !== undefined,
    onTab: (next: SessionTab) => show({ tab: next }),
    onLogs: show,
  }
  return (
    <div className="flex min-h-0 grow flex-col" style={{ paddingBottom: inset }}>
      <SessionHeader {...header} />
      <SessionKeys {...header} />
      <SessionBanners session={session} actions={actions} />
      <div className="flex min-h-0 grow">
        <div className="flex min-w-0 grow flex-col">
          {find !== undefined && (
            <FindBar
              id={id}
              loaded={entries.loaded}
              phrase={find}
              onPhrase={setFind}
              onGo={go}
              onClose={() => setFind(undefined)}
            />
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
          {(failed || elicitations.length > 0) && <Questions {...{ elicitations, failed }} />}
          {!isWide && <SideSheet {...pane} header={header} tab={tab} onClose={() => show({ tab: undefined })} />}
          <Composer {...{ session, id, underway, queued }} onSent={entries.catchUp} />
        </div>
        {isWide && (
          <aside aria-label="About the session" className="flex w-88 shrink-0 flex-col border-line border-l bg-surface">
            <SidePane {...pane} tab={tab ?? 'queue'} />
          </aside>
        )}
      </div>
      {actions.refusal && <ArchiveAnyway actions={actions} refusal={actions.refusal} />}
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
