import type { ReactNode } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { FormDialog } from '../../shared/kit/form-dialog.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useTypedForm } from '../../shared/state/typed-form.ts'
import { type Budget, nameOfBudget } from './budget.ts'

/** Without a budget it makes a new one; of an existing one only the limit can change. */
export function BudgetDialog({ budget, onClose }: { budget: Budget | undefined; onClose: () => void }): ReactNode {
  return budget ? <ChangeLimit budget={budget} onClose={onClose} /> : <NewBudget onClose={onClose} />
}

type Unit = 'dollars' | 'tokens'

const limitField = {
  label: 'Limit',
  type: 'number',
  min: '0',
  step: 'any',
  required: true,
  inputMode: 'decimal',
} as const

function ChangeLimit({ budget, onClose }: { budget: Budget; onClose: () => void }): ReactNode {
  const { id, period, limit_usd, limit_tokens } = budget
  const unit = limit_usd === null ? 'tokens' : 'dollars'
  const { values, field, discard, sending, accepted } = useTypedForm(`budget.${id}`, {
    limit: String(limit_usd ?? limit_tokens ?? ''),
  })
  const update = useWrite('budgets.update', useDone('The limit is changed', accepted, onClose))
  const submit = () => {
    sending()
    update.mutate({ id: String(id), ...limitOf(unit, values.limit) })
  }
  return (
    <FormDialog
      title={`Limit of ${nameOfBudget(budget)}`}
      button="Save the limit"
      isBusy={update.isPending}
      error={update.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <TextField
        {...limitField}
        hint={unit === 'tokens' ? `Tokens a ${period}` : `US dollars a ${period}`}
        {...field('limit')}
      />
    </FormDialog>
  )
}

const noBudget = {
  scope: 'service' as Budget['scope'],
  period: 'day' as Budget['period'],
  agent_root: '',
  session_id: '',
  limit: '',
  unit: 'dollars' as Unit,
}

function NewBudget({ onClose }: { onClose: () => void }): ReactNode {
  const { values, field, discard, sending, accepted } = useTypedForm('budget.new', noBudget)
  const { scope, period, session_id, limit, unit } = values
  const { data } = useRead('configs.show', {}, { isEnabled: scope === 'agent_root' })
  const roots = (data?.agent_roots ?? []).map(({ name }) => ({ value: name, label: name }))
  // The browser shows the first one until another is chosen.
  const agent_root = values.agent_root || (roots[0]?.value ?? '')
  const create = useWrite('budgets.create', useDone('The budget is in force', accepted, onClose))
  const submit = () => {
    sending()
    create.mutate({
      scope,
      period,
      ...(scope === 'agent_root' && { agent_root }),
      ...(scope === 'session' && { session_id: session_id.trim() }),
      ...limitOf(unit, limit),
    })
  }
  return (
    <FormDialog
      title="Add a budget"
      button="Add the budget"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onDiscard={discard}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3">
        <Select
          label="Limits"
          options={[
            { value: 'service', label: 'The whole service' },
            { value: 'agent_root', label: 'One root' },
            { value: 'session', label: 'One session' },
          ]}
          {...field('scope')}
        />
        <Select
          label="Each"
          options={[
            { value: 'day', label: 'Day (UTC)' },
            { value: 'month', label: 'Month (UTC)' },
          ]}
          {...field('period')}
        />
      </div>
      {scope === 'agent_root' && <Select label="Root" options={roots} {...field('agent_root')} value={agent_root} />}
      {scope === 'session' && (
        <TextField label="Session" required hint="Its number or its slug" {...field('session_id')} />
      )}
      <div className="grid grid-cols-2 gap-3">
        <TextField {...limitField} {...field('limit')} />
        <Select
          label="Counted in"
          options={[
            { value: 'dollars', label: 'US dollars' },
            { value: 'tokens', label: 'Tokens' },
          ]}
          {...field('unit')}
        />
      </div>
    </FormDialog>
  )
}

/** What both writes have in common. */
function useDone(sentence: string, accepted: () => void, onClose: () => void) {
  const toasts = useToasts()
  return {
    complains: false,
    refreshes: ['board'] as const,
    onSuccess: () => {
      accepted()
      toasts.say(sentence)
      onClose()
    },
  }
}

function limitOf(unit: Unit, limit: string) {
  return unit === 'tokens' ? { limit_tokens: Number(limit) } : { limit_usd: Number(limit) }
}
