import { limits } from '@yardmaster/contract/limits'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Segments } from '../../shared/kit/segments.tsx'
import { filtersOf, type OutcomesSearch } from './outcomes-search.ts'

type AnalyseDialogProps = { search: OutcomesSearch; onStarted: (batch: number) => void; onClose: () => void }

const { concurrency, found, named } = limits.analysisBatch

/** Named sessions, or all archived ones without an analysis under some filters. */
export function AnalyseDialog({ search, onStarted, onClose }: AnalyseDialogProps): ReactNode {
  const id = useId()
  const [way, setWay] = useState<'all' | 'some'>('all')
  const analyze = useWrite('outcome_analyses.analyze', {
    complains: false,
    onSuccess: ({ analysis_batch }) => onStarted(analysis_batch.id),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const { outcome: _, ...filters } = filtersOf({
      root: text('root'),
      from: text('from'),
      to: text('to'),
    })
    analyze.mutate({
      ...(way === 'some'
        ? {
            session_ids: text('sessions')
              .split(/[\s,]+/)
              .filter(Boolean),
          }
        : filters),
      concurrency: Number(text('concurrency')),
    })
  }
  return (
    <Dialog
      title="Analyse sessions"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={analyze.isPending}>
            Start
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        <div>
          <Segments
            label="Which sessions"
            value={way}
            onChange={setWay}
            options={[
              { value: 'all', label: 'All without an analysis' },
              { value: 'some', label: 'Named sessions' },
            ]}
          />
        </div>
        {way === 'some' ? (
          <TextField
            label="Sessions"
            name="sessions"
            required
            placeholder="790, fix-login"
            hint={`Archived sessions, by number or slug, at most ${named}`}
          />
        ) : (
          <>
            <p className="text-muted">
              Takes up to {found} archived sessions that have no analysis. Each is analysed by a spot session of its
              own, which costs tokens.
            </p>
            <TextField label="Root" name="root" defaultValue={search.root ?? ''} hint="Empty for all roots" />
            <div className="grid grid-cols-2 gap-3">
              <TextField label="Created from" name="from" type="date" defaultValue={search.from ?? ''} />
              <TextField label="Created to" name="to" type="date" defaultValue={search.to ?? ''} />
            </div>
          </>
        )}
        <TextField
          label="At a time"
          name="concurrency"
          type="number"
          required
          min={concurrency.min}
          max={concurrency.max}
          defaultValue={concurrency.default}
        />
        <ErrorNote error={analyze.error} />
      </form>
    </Dialog>
  )
}
