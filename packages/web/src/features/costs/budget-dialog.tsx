import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { Input } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Select, TextField } from '../../shared/kit/field.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Budget, nameOfBudget } from './budget.ts'

type Unit = 'dollars' | 'tokens'

/** Without a budget it makes a new one; of an existing one only the limit can change. */
export function BudgetDialog({ budget, onClose }: { budget: Budget | undefined; onClose: () => void }): ReactNode {
  const id = useId()
  const toasts = useToasts()
  const done = (sentence: string) => () => {
    toasts.say(sentence)
    onClose()
  }
  const create = useWrite('budgets.create', {
    complains: false,
    refreshes: ['board'],
    onSuccess: done('The budget is in force'),
  })
  const update = useWrite('budgets.update', {
    complains: false,
    refreshes: ['board'],
    onSuccess: done('The limit is changed'),
  })
  const [scope, setScope] = useState<Budget['scope']>('service')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const unit: Unit = budget ? unitOf(budget) : text('unit') === 'tokens' ? 'tokens' : 'dollars'
    const limit = unit === 'tokens' ? { limit_tokens: Number(text('limit')) } : { limit_usd: Number(text('limit')) }
    if (budget) return update.mutate({ id: String(budget.id), ...limit })
    create.mutate({
      scope,
      period: text('period') as Input<'budgets.create'>['period'],
      ...(scope === 'agent_root' && { agent_root: text('agent_root') }),
      ...(scope === 'session' && { session_id: text('session_id') }),
      ...limit,
    })
  }
  return (
    <Dialog
      title={budget ? `Limit of ${nameOfBudget(budget)}` : 'Add a budget'}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} isBusy={create.isPending || update.isPending}>
            {budget ? 'Save the limit' : 'Add the budget'}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="flex flex-col gap-4">
        {!budget && <NewScope scope={scope} onScope={setScope} />}
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Limit"
            name="limit"
            type="number"
            min="0"
            step="any"
            required
            inputMode="decimal"
            defaultValue={budget ? (budget.limit_usd ?? budget.limit_tokens ?? '') : ''}
            hint={
              budget && (unitOf(budget) === 'tokens' ? `Tokens a ${budget.period}` : `US dollars a ${budget.period}`)
            }
          />
          {!budget && (
            <Select
              label="Counted in"
              name="unit"
              options={[
                { value: 'dollars', label: 'US dollars' },
                { value: 'tokens', label: 'Tokens' },
              ]}
            />
          )}
        </div>
        <ErrorNote error={create.error ?? update.error} />
      </form>
    </Dialog>
  )
}

type ScopeProps = { scope: Budget['scope']; onScope: (scope: Budget['scope']) => void }

function NewScope({ scope, onScope }: ScopeProps): ReactNode {
  const { data } = useRead('configs.show', {}, { isEnabled: scope === 'agent_root' })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <Select
          label="Limits"
          value={scope}
          onChange={(event) => onScope(event.currentTarget.value as Budget['scope'])}
          options={[
            { value: 'service', label: 'The whole service' },
            { value: 'agent_root', label: 'One root' },
            { value: 'session', label: 'One session' },
          ]}
        />
        <Select
          label="Each"
          name="period"
          options={[
            { value: 'day', label: 'Day (UTC)' },
            { value: 'month', label: 'Month (UTC)' },
          ]}
        />
      </div>
      {scope === 'agent_root' && (
        <Select
          label="Root"
          name="agent_root"
          options={(data?.agent_roots ?? []).map(({ name }) => ({ value: name, label: name }))}
        />
      )}
      {scope === 'session' && <TextField label="Session" name="session_id" required hint="Its number or its slug" />}
    </>
  )
}

function unitOf({ limit_usd }: Budget): Unit {
  return limit_usd === null ? 'tokens' : 'dollars'
}
