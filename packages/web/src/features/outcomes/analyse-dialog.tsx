import { limits } from '@yardmaster/contract/limits'
import type { ReactNode } from 'react'
import { useWrite } from '../../shared/api/hooks.ts'
import { TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { Segments } from '../../shared/kit/segments.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'
import { filtersOf } from './outcome-filters.ts'
import type { OutcomesSearch } from './outcomes-search.ts'

type AnalyseDialogProps = { search: OutcomesSearch; onStarted: (batch: number) => void; onClose: () => void }

const { concurrency, found, named } = limits.analysisBatch

/** The API refuses a batch without any filter, so that an empty request costs nothing. Here a person has asked for all. */
const firstDay = '1970-01-01'

/** Named sessions, or all archived ones without an analysis under some filters. */
export function AnalyseDialog({ search, onStarted, onClose }: AnalyseDialogProps): ReactNode {
  const { values, change, field, discard, sending, accepted } = useTypedForm('analyse', {
    way: 'all' as 'all' | 'some',
    sessions: '',
    root: search.root ?? '',
    from: search.from ?? '',
    to: search.to ?? '',
    concurrency: String(concurrency.default),
  })
  const analyze = useWrite('outcome_analyses.analyze', {
    complains: false,
    onSuccess: ({ analysis_batch }) => {
      accepted()
      onStarted(analysis_batch.id)
    },
  })
  const submit = () => {
    const { way, sessions, root, from, to } = values
    const { outcome: _, ...filters } = filtersOf({ root: root.trim(), from, to })
    sending()
    analyze.mutate({
      ...(way === 'some'
        ? { session_ids: sessions.split(/[\s,]+/).filter(Boolean) }
        : Object.keys(filters).length > 0
          ? filters
          : { from: firstDay }),
      concurrency: Number(values.concurrency),
    })
  }
  return (
    <FormDialog
      title="Analyse sessions"
      button="Start"
      isBusy={analyze.isPending}
      error={analyze.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <div>
        <Segments
          label="Which sessions"
          value={values.way}
          onChange={(way) => change({ way })}
          options={[
            { value: 'all', label: 'All without an analysis' },
            { value: 'some', label: 'Named sessions' },
          ]}
        />
      </div>
      {values.way === 'some' ? (
        <TextField
          label="Sessions"
          required
          placeholder="790, fix-login"
          hint={`Archived sessions, by number or slug, at most ${named}`}
          {...field('sessions')}
        />
      ) : (
        <>
          <p className="text-muted">
            Takes up to {found} archived sessions that have no analysis. Each is analysed by a spot session of its own,
            which costs tokens.
          </p>
          <TextField label="Root" hint="Empty for all roots" {...field('root')} />
          <div className="grid grid-cols-2 gap-3">
            <TextField label="Created from (UTC)" type="date" {...field('from')} />
            <TextField label="Created to (UTC)" type="date" {...field('to')} />
          </div>
        </>
      )}
      <TextField
        label="At a time"
        type="number"
        required
        min={concurrency.min}
        max={concurrency.max}
        {...field('concurrency')}
      />
    </FormDialog>
  )
}
