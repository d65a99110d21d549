import { type FormEvent, type ReactNode, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { viewerZone } from '../../shared/kit/time.tsx'
import NotesPanel from '../sessions/notes-panel.tsx'
import type { BoardActions } from './board-actions.ts'
import type { BoardCard } from './board-cache.ts'
import type { RowDialog } from './row-menu.ts'
import { nameOfCard } from './row-words.ts'
import { snoozePresets, wallTime } from './snooze.ts'

type RowDialogProps = {
  cards: readonly BoardCard[]
  actions: BoardActions
  onClose: () => void
  /** Closed by a choice. */
  onDone: () => void
}

/** Questions of a row or of the bulk bar: until when, where to, how urgent. */
export default function RowDialogs({ kind, ...props }: RowDialogProps & { kind: RowDialog }): ReactNode {
  if (kind === 'snooze') return <SnoozeDialog {...props} />
  if (kind === 'notes') return <NotesDialog {...props} />
  return kind === 'category' ? <CategoryChoice {...props} /> : <PriorityDialog {...props} />
}

function subjectOf(cards: readonly BoardCard[]): string {
  const [only] = cards
  return cards.length === 1 && only ? `“${nameOfCard(only)}”` : `${cards.length} sessions`
}

const choice = 'flex min-h-9 items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover'

function SnoozeDialog({ cards, actions, onClose, onDone }: RowDialogProps): ReactNode {
  const [now] = useState(() => new Date())
  const [until, setUntil] = useState(() => wallTime(new Date(now.getTime() + 86_400_000)))
  const snooze = (end: string) => {
    onDone()
    void actions.snooze(cards, end)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    snooze(until)
  }
  return (
    <Dialog title={`Snooze ${subjectOf(cards)}`} isOpen onClose={onClose} width="sm">
      <div className="flex flex-col gap-3">
        <p className="text-muted">It leaves the board until then. The agent goes on.</p>
        <div className="flex flex-col">
          {snoozePresets(now).map(({ label, until: end }) => (
            <button key={label} type="button" onClick={() => snooze(end)} className={choice}>
              <Icon name="clock" size={14} className="text-muted" />
              {label}
            </button>
          ))}
        </div>
        <form onSubmit={submit} className="flex items-end gap-2 border-line border-t pt-3">
          <div className="min-w-0 grow">
            <TextField
              label={`Until (${viewerZone})`}
              type="datetime-local"
              required
              min={wallTime(now)}
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
            />
          </div>
          <Button type="submit" look="primary">
            Snooze
          </Button>
        </form>
      </div>
    </Dialog>
  )
}

/** What people noted about a session, saved while it is written. */
function NotesDialog({ cards, onClose }: RowDialogProps): ReactNode {
  const id = String(cards[0]?.id)
  const { data, error } = useRead('sessions.show', { id })
  const shown = data && String(data.session.id) === id ? data : undefined
  return (
    <Dialog title={`Notes on ${subjectOf(cards)}`} isOpen onClose={onClose}>
      {error && !shown && <ErrorNote error={error} />}
      {shown ? <NotesPanel session={shown.session} id={id} /> : <Skeleton rows={4} />}
    </Dialog>
  )
}

function CategoryChoice({ cards, actions, onClose, onDone }: RowDialogProps): ReactNode {
  const { data, error } = useRead('categories.list', {})
  const current = cards.length === 1 ? (cards[0]?.category_id ?? null) : undefined
  const all = [
    ...(data?.categories ?? []).map(({ id, name }) => ({ id: id as number | null, name })),
    { id: null, name: 'Uncategorized' },
  ]
  return (
    <Dialog title={`Move ${subjectOf(cards)}`} isOpen onClose={onClose} width="sm">
      <ErrorNote error={error} />
      <div className="flex flex-col">
        {all.map((category) => (
          <button
            key={category.id}
            type="button"
            disabled={category.id === current}
            onClick={() => {
              onDone()
              void actions.setCategory(cards, category)
            }}
            className={`${choice} disabled:text-muted`}
          >
            <Icon name={category.id === current ? 'check' : 'tag'} size={14} className="text-muted" />
            {category.name}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

const classes = [
  { value: 'spot', label: 'Spot: waits for a free slot', sends: 'spot' },
  { value: 'priority', label: 'Priority: starts at once', sends: 'priority' },
  { value: 'default', label: 'Default: by how it was created', sends: null },
] as const

/** Sends only what was chosen: the sessions may differ in the rest, and a class that is sent is no longer the default one. */
function PriorityDialog({ cards, actions, onClose, onDone }: RowDialogProps): ReactNode {
  const only = cards.length === 1 ? cards[0] : undefined
  const asItIs = only ? `As it is: ${only.priority_class}` : 'As they are'
  // As it was when the dialog opened: the card may change meanwhile.
  const [current] = useState(only ? String(only.precedence) : '')
  const [level, setLevel] = useState('')
  const [precedence, setPrecedence] = useState(current)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const chosen = classes.find(({ value }) => value === level)
    const changes = {
      ...(chosen && { scheduling_class: chosen.sends }),
      ...(precedence !== current && { precedence: Number(precedence) }),
    }
    if (Object.keys(changes).length === 0) return onClose()
    onDone()
    void actions.setPriority(cards, changes)
  }
  return (
    <Dialog title={`Priority of ${subjectOf(cards)}`} isOpen onClose={onClose} width="sm">
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Select
          label="Class"
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value)}
          options={[{ value: '', label: asItIs }, ...classes]}
        />
        <TextField
          label="Precedence"
          type="number"
          step={1}
          required={only !== undefined}
          value={precedence}
          placeholder={asItIs}
          onChange={(event) => setPrecedence(event.currentTarget.value)}
          hint="Higher is handled sooner within the spot queue."
        />
        <div className="flex justify-between gap-2">
          <Button
            icon="chevron-up"
            onClick={() => {
              onDone()
              void actions.setPriority(cards, { place: 'top_of_spot' })
            }}
          >
            Top of the queue
          </Button>
          <Button type="submit" look="primary">
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
