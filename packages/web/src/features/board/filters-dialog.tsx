import type { FormEvent, ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button, IconButton } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Select, Switch, TextField } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { useDraft } from '../../shared/state/draft.ts'
import { type BoardSearch, boardSearch, viewOf } from './board-search.ts'
import type { useSavedViews } from './saved-views.ts'

type FiltersDialogProps = {
  search: BoardSearch
  saved: ReturnType<typeof useSavedViews>
  onChange: (search: BoardSearch) => void
  onClose: () => void
}

/** Every filter of the board; each takes effect at once. */
export default function FiltersDialog({ search, saved, onChange, onClose }: FiltersDialogProps): ReactNode {
  const configs = useRead('configs.show', {})
  const roots = configs.data?.agent_roots.map((root) => root.name) ?? []
  const runtimes = Object.keys(configs.data?.runtime_models ?? {})
  const [name, setName] = useDraft('board.view')
  const set = (change: Record<string, unknown>) => onChange(boardSearch({ ...search, ...change }))
  const blank = (value: string) => (value === '' ? undefined : value)
  const save = (event: FormEvent) => {
    event.preventDefault()
    saved.save(name.trim(), viewOf(search))
    setName('')
  }
  return (
    <Dialog title="Filters" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-3 md:grid-cols-2">
          <Select
            label="Root"
            value={search.root ?? ''}
            onChange={(event) => set({ root: blank(event.currentTarget.value) })}
            options={filterChoices('Every root', [search.root, ...roots])}
          />
          <Select
            label="Runtime"
            value={search.runtime ?? ''}
            onChange={(event) => set({ runtime: blank(event.currentTarget.value) })}
            options={filterChoices('Every runtime', [search.runtime, ...runtimes])}
          />
          <Select
            label="Class"
            value={search.class ?? ''}
            onChange={(event) => set({ class: blank(event.currentTarget.value) })}
            options={filterChoices('Every class', ['spot', 'priority'])}
          />
          <Select
            label="On the board"
            value={search.shown ?? ''}
            onChange={(event) => set({ shown: blank(event.currentTarget.value) })}
            options={[
              { value: '', label: 'On the board' },
              { value: 'off_board', label: 'Hidden or snoozed' },
              { value: 'all', label: 'Both' },
            ]}
          />
        </div>
        <Switch
          label="Show archived sessions"
          isOn={search.archived === true}
          onChange={(isOn) => set({ archived: isOn || undefined })}
        />
        <section className="border-line border-t pt-3">
          <h3 className="mb-2 font-semibold">Saved views</h3>
          <ul>
            {saved.views.map((view) => (
              <li key={view.name} className="flex h-9 items-center justify-between gap-2">
                <button type="button" onClick={() => onChange(view.search)} className="truncate hover:underline">
                  {view.name}
                </button>
                <IconButton
                  size="sm"
                  icon="trash-2"
                  label={`Delete the view ${view.name}`}
                  onClick={() => saved.remove(view.name)}
                />
              </li>
            ))}
          </ul>
          <form onSubmit={save} className="flex items-end gap-2">
            <div className="min-w-0 grow">
              <TextField
                label="Save this view as"
                value={name}
                maxLength={40}
                onChange={(event) => setName(event.currentTarget.value)}
                hint="Kept in this browser."
              />
            </div>
            <Button type="submit" disabled={name.trim() === ''} className="mb-5.5">
              Save
            </Button>
          </form>
        </section>
      </div>
    </Dialog>
  )
}
