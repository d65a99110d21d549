import { Link } from '@tanstack/react-router'
import { type MouseEvent, memo, type ReactNode, useEffect, useRef } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { part, untilLoaded } from '../../shared/kit/part.tsx'
import { Status, statusWord } from '../../shared/kit/status.tsx'
import { formatTime } from '../../shared/kit/time.tsx'
import { dollars } from '../costs/dollars.ts'
import type { BoardCard } from './board-cache.ts'
import type { AttachRow } from './drag.ts'
import type { RowDeeds } from './row-menu.ts'
import { ageOf, lastWords, nameOfCard, placeOf, silenceOf } from './row-words.ts'

const Leaving = part(() => import('./leaving-note.tsx'))

type BoardRowProps = {
  card: BoardCard
  sectionKey: string
  now: number
  isAtCursor: boolean
  isSelected: boolean
  /** Some row is selected: a click on the box of another one must not need a precise hand. */
  isSelecting: boolean
  /** On a phone a tap selects the row then, instead of opening it. */
  isTapSelecting: boolean
  /** Why it is about to leave the list: "moved to Failed". */
  leaving?: string | undefined
  onSelect: (id: number, isRange: boolean) => void
  onCursor: (id: number) => void
  deeds: RowDeeds
  attach?: AttachRow | undefined
}

/** One line of the board, 36 px high; two lines on a phone. */
export const BoardRow = memo(function BoardRow(props: BoardRowProps): ReactNode {
  const { card, sectionKey, now, isAtCursor, isSelected, isSelecting, isTapSelecting, leaving, deeds, attach } = props
  const { onSelect, onCursor } = props
  const element = useRef<HTMLDivElement>(null)
  const { id } = card
  useEffect(() => {
    if (attach && element.current) return attach(element.current, { id, key: sectionKey })
  }, [attach, id, sectionKey])
  const name = nameOfCard(card)
  const select = (event: MouseEvent) => {
    event.stopPropagation()
    onSelect(id, event.shiftKey)
  }
  const onClick = (event: MouseEvent) => {
    // The box selects by itself. A click on it that is prevented would leave it without its tick.
    if (event.target instanceof HTMLInputElement) return
    const isTap = isTapSelecting && event.target instanceof Element && event.target.closest('a') !== null
    if (!event.shiftKey && !isTap) return
    // Shift selects a range; the browser would open a window.
    event.preventDefault()
    onSelect(id, event.shiftKey)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link and the box of the row do the same by the keyboard.
    <div
      ref={element}
      data-session={id}
      data-cursor={isAtCursor || undefined}
      data-selected={isSelected || undefined}
      data-leaving={leaving !== undefined || undefined}
      onClickCapture={onClick}
      onFocus={() => onCursor(id)}
      className="group/row relative flex h-9 items-center gap-2.5 border-line border-b bg-surface pr-1.5 pl-2 hover:bg-hover data-cursor:shadow-[inset_2px_0_0_var(--color-accent)] data-selected:bg-selected data-leaving:bg-canvas data-[drop]:shadow-[inset_0_2px_0_var(--color-accent)] data-[dragged]:opacity-50 max-md:h-14"
    >
      <span className={`relative z-1 flex shrink-0 items-center ${isSelecting ? '' : 'max-md:hidden'}`}>
        <input
          type="checkbox"
          checked={isSelected}
          onClick={select}
          onChange={() => undefined}
          aria-label={`Select ${name}`}
          className={`size-4 cursor-pointer group-hover/row:opacity-100 focus:opacity-100 ${isSelecting ? '' : 'opacity-0'}`}
        />
      </span>
      <Status of={card.status} need={card.needs_you} className="w-24 shrink-0 max-md:w-4 max-md:overflow-hidden" />
      <span
        className={`flex min-w-0 grow flex-col md:flex-row md:items-center md:gap-3 ${leaving === undefined ? '' : 'line-through decoration-faint'}`}
      >
        <span className="flex min-w-0 items-center gap-1.5 md:w-[25cqw] md:shrink-0 md:@max-4xl:w-[30cqw]">
          <Link
            to="/sessions/$id"
            params={{ id: String(id) }}
            draggable={false}
            className="min-w-0 truncate font-medium outline-offset-0 before:absolute before:inset-0"
          >
            {name}
          </Link>
          <Marks card={card} />
        </span>
        <span className="truncate text-muted text-sm @max-4xl:hidden md:w-40 md:shrink-0">{placeOf(card)}</span>
        <span className="min-w-0 grow truncate text-muted text-sm">{lastWords(card, now)}</span>
      </span>
      {leaving === undefined ? (
        <Figures card={card} now={now} />
      ) : (
        <Leaving card={card} reason={leaving} deeds={deeds} />
      )}
      <span className="relative flex shrink-0 items-center">
        <IconButton
          size="sm"
          icon="panel-right"
          label={`Open ${name} beside the board`}
          onClick={() => deeds.peek(id)}
          className="opacity-0 focus-visible:opacity-100 group-hover/row:opacity-100 max-lg:hidden"
        />
        <IconButton
          size="sm"
          icon="file-text"
          label={`Notes on ${name}`}
          onClick={() => deeds.openDialog('notes', [card])}
          className={`group-hover/row:opacity-100 focus-visible:opacity-100 ${card.notes ? '' : 'opacity-0 max-md:hidden'}`}
        />
        <IconButton
          size="sm"
          icon="star"
          label={card.favorited ? `Take ${name} from the favourites` : `Make ${name} a favourite`}
          isPressed={card.favorited === true}
          onClick={() => deeds.actions.toggleFavorite(card)}
          className={`group-hover/row:opacity-100 focus-visible:opacity-100 aria-pressed:[&_path]:fill-current max-md:hidden ${card.favorited ? '' : 'opacity-0'}`}
        />
        <Menu
          label={`Actions of ${name}`}
          items={async () => (await untilLoaded(() => import('./row-menu.ts'))).rowMenuItems(card, sectionKey, deeds)}
        />
      </span>
    </div>
  )
})

function Marks({ card }: { card: BoardCard }): ReactNode {
  const { favorited, paused, asleep, heartbeat, wake, visibility, snoozed_until } = card
  return (
    <>
      {favorited && <Mark icon="star" label="Favourite" className="text-needs md:hidden" />}
      {paused && <Mark icon="circle-pause" label="Paused by a person" />}
      {asleep && <Mark icon="moon" label="Sleeps until it is woken" />}
      {heartbeat && <Mark icon="heart-pulse" label="Nudged while it rests" />}
      {wake && <Mark icon="timer" label={wake.at ? `Wakes at ${formatTime(wake.at)}` : 'Wakes when an event comes'} />}
      {visibility === 'hidden' && <Mark icon="eye-off" label="Hidden" />}
      {visibility === 'snoozed' && (
        <Mark icon="clock" label={snoozed_until ? `Snoozed until ${formatTime(snoozed_until)}` : 'Snoozed'} />
      )}
    </>
  )
}

function Mark({
  icon,
  label,
  className = 'text-faint',
}: {
  icon: Parameters<typeof Icon>[0]['name']
  label: string
  className?: string
}): ReactNode {
  return (
    <span data-tip={label} className={`relative inline-flex shrink-0 ${className}`}>
      <Icon name={icon} size={13} />
      <span className="unseen">{label}</span>
    </span>
  )
}

function Figures({ card, now }: { card: BoardCard; now: number }): ReactNode {
  const { queued, cost_usd, pull_request, touched_at, priority_class } = card
  const silence = silenceOf(card, now)
  return (
    <>
      <span className="flex shrink-0 items-center gap-1.5">
        {silence && <Badge tip="Its agent has written nothing for so long">{silence}</Badge>}
        {priority_class === 'priority' && (
          <span className="max-md:hidden">
            <Mark icon="zap" label="Priority class" className="text-accent-text" />
          </span>
        )}
        {queued !== undefined && (
          <Badge tone="accent" tip={`${queued} queued ${queued === 1 ? 'message' : 'messages'}`}>
            q{queued}
          </Badge>
        )}
        {pull_request && (
          <a
            href={pull_request.url}
            target="_blank"
            rel="noreferrer"
            data-tip={`Pull request: ${pull_request.state}${pull_request.has_conflict ? ', has a conflict' : ''}`}
            className={`relative inline-flex h-6 items-center gap-1 rounded-sm px-1 text-sm hover:underline ${pull_request.has_conflict ? 'text-failed' : 'text-muted'}`}
          >
            <Icon name="git-pull-request" size={13} />
            {/\d+$/.exec(pull_request.url)?.[0] ?? 'PR'}
            <span className="unseen">
              {` pull request, ${pull_request.state}${pull_request.has_conflict ? ', has a conflict' : ''}`}
            </span>
          </a>
        )}
      </span>
      <span className="tabular w-14 shrink-0 text-right text-muted text-sm max-md:hidden">
        {cost_usd !== undefined && dollars(cost_usd)}
      </span>
      <time
        dateTime={touched_at}
        data-tip={formatTime(touched_at)}
        className="tabular relative w-9 shrink-0 text-right text-muted text-sm max-md:max-w-32"
      >
        {ageOf(touched_at, now)}
      </time>
    </>
  )
}

/** Why a card does not belong to the filter any more, in the words of the row. */
export function leavingWords(
  card: BoardCard,
  { status, archived, shown }: { status?: string; archived?: true; shown?: string },
): string | undefined {
  if (status !== undefined && card.status !== status) return `moved to ${statusWord(card.status)}`
  if (card.status === 'archived' && !archived && status !== 'archived') return 'archived'
  if (shown === undefined && card.visibility) return card.visibility
  if (shown === 'off_board' && !card.visibility) return 'on the board again'
  return undefined
}
