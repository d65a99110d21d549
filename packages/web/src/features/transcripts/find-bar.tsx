import { type ReactNode, useEffect, useState } from 'react'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import type { Loaded } from './use-entries.ts'
import { useFind } from './use-find.ts'

type FindBarProps = {
  id: string
  loaded: Loaded | undefined
  phrase: string
  onPhrase: (phrase: string) => void
  onGo: (sequence: number) => void
  onClose: () => void
}

/** Finds a phrase in the transcript; Enter goes to the one before, as the newest is found first. */
export default function FindBar({ id, loaded, phrase, onPhrase, onGo, onClose }: FindBarProps): ReactNode {
  const { sequences, isSearching, unsearched, searchAll, failure } = useFind(id, loaded, phrase)
  const [current, setCurrent] = useState<number>()
  const place = current === undefined ? -1 : sequences.indexOf(current)
  const newest = sequences.at(-1)
  useEffect(() => {
    if (current !== undefined && place >= 0) return
    setCurrent(newest)
    if (newest !== undefined) onGo(newest)
  }, [newest, current, place, onGo])
  const step = (by: 1 | -1) => {
    const next = sequences.at((place + by) % Math.max(1, sequences.length))
    if (next === undefined) return
    setCurrent(next)
    onGo(next)
  }
  const isTooShort = phrase.trim().length < 2
  return (
    <search className="border-line border-b bg-surface px-3 py-1.5">
      <div className="flex items-center gap-1">
        <Icon name="search" size={14} className="text-faint" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to find something.
          autoFocus
          type="text"
          aria-label="Find in the transcript"
          placeholder="Find in the transcript"
          value={phrase}
          onChange={(event) => onPhrase(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
            else if (event.key === 'Escape') onClose()
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
          className="h-7 min-w-0 grow bg-transparent px-1 outline-none"
        />
        <span role="status" className="tabular whitespace-nowrap text-muted text-sm">
          {isTooShort
            ? ''
            : `${sequences.length === 0 ? 0 : place + 1} of ${sequences.length}${isSearching ? '…' : ''}`}
        </span>
        <IconButton
          size="sm"
          icon="chevron-up"
          label="Earlier"
          disabled={sequences.length === 0}
          onClick={() => step(-1)}
        />
        <IconButton
          size="sm"
          icon="chevron-down"
          label="Later"
          disabled={sequences.length === 0}
          onClick={() => step(1)}
        />
        <IconButton size="sm" icon="x" label="Close" onClick={onClose} />
      </div>
      <ErrorNote error={failure?.error} onRetry={failure?.retry} />
      {unsearched > 0 && !failure && (
        <p className="flex flex-wrap items-center gap-x-2 text-muted text-sm">
          {`Of ${unsearched} long text${unsearched === 1 ? '' : 's'} only the beginning was searched.`}
          <Button size="sm" isBusy={isSearching} onClick={searchAll}>
            Search all of {unsearched === 1 ? 'it' : 'them'}
          </Button>
        </p>
      )}
    </search>
  )
}
