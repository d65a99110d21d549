import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { Button, ButtonLink } from '../../shared/kit/button.tsx'
import { TextArea } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { draftOf, sendingDraft, useDraft } from '../../shared/state/draft.ts'
import { type BoardActions, useBoardActions } from '../board/board-actions.ts'
import { nameOfCard, placeOf } from '../board/row-words.ts'
import { PasteDialog, type Pasting } from '../connectors/paste-dialog.tsx'
import { useAuthorize } from '../connectors/use-authorize.ts'
import { ElicitationForm } from '../elicitations/elicitation-form.tsx'
import { needOf } from '../needs-you/need-words.ts'
import type { NeedySession } from '../needs-you/use-needs-you.ts'
import { useRestart } from '../needs-you/use-restart.ts'
import { placeOfSession } from './places.ts'

type InboxCardProps = { session: NeedySession; isAtCursor: boolean; onCursor: (id: string) => void }

/** One session, with everything that it wants of a person. */
export function InboxCard({ session, isAtCursor, onCursor }: InboxCardProps): ReactNode {
  const { card, since, transition_id, elicitations, oauth_required_servers = [] } = session
  const actions = useBoardActions()
  const { kind, icon, word, color } = needOf(session)
  const params = { id: String(card.id) }
  const see = () => {
    if (kind !== 'question') void actions.markSeen(card, transition_id)
  }
  return (
    <li
      id={placeOfSession(session)}
      data-cursor={isAtCursor || undefined}
      onFocus={() => onCursor(placeOfSession(session))}
      className="flex flex-col gap-2.5 rounded-lg border border-line bg-surface p-3 shadow-raised data-cursor:border-accent md:p-4"
    >
      <header className="flex items-center gap-x-3 gap-y-1 max-md:flex-wrap">
        <span className={`inline-flex shrink-0 items-center gap-1.5 font-medium text-sm ${color}`}>
          <Icon name={icon} size={14} />
          {word}
        </span>
        <Link
          to="/sessions/$id"
          params={params}
          onClick={see}
          className="line-clamp-2 min-w-0 break-words font-semibold hover:underline max-md:order-last max-md:basis-full md:line-clamp-1"
        >
          {nameOfCard(card)}
        </Link>
        <span className="grow" />
        {since && <Time at={since} className="text-muted text-sm" />}
      </header>
      <p className="text-muted text-sm">
        #{card.id} · {placeOf(card)}
      </p>
      {elicitations.map((elicitation, index) => (
        <div key={elicitation.id} className="rounded-md bg-needs-soft p-3">
          <ElicitationForm elicitation={elicitation} hasKeys={index === 0} />
        </div>
      ))}
      {oauth_required_servers.length > 0 && <Authorizations id={card.id} servers={oauth_required_servers} />}
      {kind === 'failed' && card.failure && (
        <p className="line-clamp-4 whitespace-pre-wrap break-words rounded-md bg-failed-soft px-3 py-2">
          {card.failure}
        </p>
      )}
      {kind === 'needs_input' && card.last_line && <p className="line-clamp-3 break-words">{card.last_line}</p>}
      {kind !== 'question' && <Deeds session={session} actions={actions} onSeen={see} />}
    </li>
  )
}

/** The session goes on by itself when the last of them is authorized. */
function Authorizations({
  id,
  servers,
}: {
  id: number
  servers: NonNullable<NeedySession['oauth_required_servers']>
}): ReactNode {
  const [pasting, setPasting] = useState<Pasting>()
  const { authorize, isPending } = useAuthorize(setPasting)
  return (
    <>
      {servers.map(({ server_name: name, server_url }) => (
        <div key={name} className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-needs-soft px-3 py-2">
          <p className="min-w-40 grow basis-0 break-words">
            <strong>{name}</strong> ({server_url}) wants a sign-in. The session goes on by itself then.
          </p>
          <Button size="sm" icon="external-link" isBusy={isPending} onClick={() => authorize({ name, sessionId: id })}>
            Authorize {name}
          </Button>
        </div>
      ))}
      {pasting && <PasteDialog pasting={pasting} onClose={() => setPasting(undefined)} />}
    </>
  )
}

function Deeds({
  session,
  actions,
  onSeen,
}: {
  session: NeedySession
  actions: BoardActions
  onSeen: () => void
}): ReactNode {
  const { card } = session
  const restart = useRestart(session)
  const [isWriting, setWriting] = useState(false)
  const isResting = card.needs_you === 'needs_input'
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {isResting ? (
          <Button size="sm" icon="message-square" aria-expanded={isWriting} onClick={() => setWriting(!isWriting)}>
            Follow up
          </Button>
        ) : (
          <Button size="sm" icon="rotate-ccw" onClick={restart}>
            Restart
          </Button>
        )}
        <ButtonLink size="sm" to="/sessions/$id" params={{ id: String(card.id) }}>
          Open
        </ButtonLink>
        <Button size="sm" icon="archive" onClick={() => actions.archive([card])}>
          Archive
        </Button>
        <Button size="sm" look="quiet" icon="check" onClick={onSeen} data-key="d">
          Seen
        </Button>
      </div>
      {isWriting && <InlineFollowUp id={card.id} onSend={(prompt) => actions.followUp(card, prompt)} />}
    </>
  )
}

/** The same draft as on the session's page. It stays until the server has accepted it. */
function InlineFollowUp({ id, onSend }: { id: number; onSend: (prompt: string) => Promise<boolean> }): ReactNode {
  const draft = `session.${id}`
  const [text, setText] = useDraft(draft)
  const [isBusy, setBusy] = useState(false)
  // Ctrl+Enter that is held submits again before the button is busy, and takes no notice of it afterwards.
  const isUnderway = useRef(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const prompt = draftOf(draft)
    if (isUnderway.current || prompt.trim() === '') return
    isUnderway.current = true
    setBusy(true)
    const accepted = sendingDraft(draft, { isMessage: true })
    if (await onSend(prompt)) accepted()
    isUnderway.current = false
    setBusy(false)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <TextArea
        label="Message"
        isLabelHidden
        rows={2}
        autoFocus
        value={text}
        placeholder="What should it do next?"
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
        }}
      />
      <div className="flex justify-end">
        <Button type="submit" size="sm" look="primary" icon="send" disabled={text.trim() === ''} isBusy={isBusy}>
          Send
        </Button>
      </div>
    </form>
  )
}
