import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge, type Tone } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Dialog } from '../../shared/kit/dialog.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { type Budget, nameOfBudget } from './budget.ts'
import { BudgetDialog } from './budget-dialog.tsx'
import { compact, dollars } from './dollars.ts'
import { HeldSessions } from './held-sessions.tsx'

const states: Record<Budget['state'], { tone: Tone; word: string; bar: string }> = {
  ok: { tone: 'ok', word: 'within the limit', bar: 'bg-ok' },
  warned: { tone: 'needs', word: 'above 80 %', bar: 'bg-needs' },
  exhausted: { tone: 'failed', word: 'used up', bar: 'bg-failed' },
}

/** What may be spent, how much of it is spent, and what a used-up budget holds. */
export function BudgetsPanel(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('budgets.list', { per_page: 100 }, { everyMs: 60_000 })
  const [edited, setEdited] = useState<Budget | 'new'>()
  const [deleted, setDeleted] = useState<Budget>()
  const budgets = data?.budgets ?? []
  return (
    <Panel
      title="Budgets"
      actions={
        <Button size="sm" icon="plus" onClick={() => setEdited('new')}>
          Add a budget
        </Button>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton rows={2} />}
      {data && budgets.length === 0 && (
        <EmptyState icon="gauge" title="Nothing limits what is spent">
          A budget limits a session, a root or the whole service, by day or by month. At 80 % people are told; at 100 %
          running turns end and spot turns wait.
        </EmptyState>
      )}
      <ul aria-label="Budgets">
        {budgets.map((budget) => (
          <BudgetRow
            key={budget.id}
            budget={budget}
            onEdit={() => setEdited(budget)}
            onDelete={() => setDeleted(budget)}
          />
        ))}
      </ul>
      {budgets.some(({ state }) => state === 'exhausted') && <HeldSessions />}
      {edited && <BudgetDialog budget={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteDialog budget={deleted} onClose={() => setDeleted(undefined)} />}
    </Panel>
  )
}

type RowProps = { budget: Budget; onEdit: () => void; onDelete: () => void }

function BudgetRow({ budget, onEdit, onDelete }: RowProps): ReactNode {
  const { tone, word, bar } = states[budget.state]
  const share = Math.min(1, budget.spent_share)
  return (
    <li className="flex flex-col gap-1.5 border-line border-b px-3 py-2.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex min-w-0 grow basis-0 items-center gap-3">
          <span className="min-w-0 truncate font-medium">
            <BudgetScope budget={budget} />
          </span>
          <Badge tone={tone}>{word}</Badge>
        </span>
        <span className="tabular whitespace-nowrap max-md:order-last max-md:basis-full">
          <strong>{spentOf(budget)}</strong> of {limitOf(budget)}
        </span>
        <Menu
          label={`Actions of the budget of ${nameOfBudget(budget)}`}
          items={[
            { label: 'Change the limit', icon: 'pencil', onSelect: onEdit },
            { label: 'Delete', icon: 'trash-2', isDanger: true, onSelect: onDelete },
          ]}
        />
      </div>
      <div className="h-1.5 overflow-hidden rounded-full bg-hover">
        <div className={`h-full rounded-full ${bar}`} style={{ width: `${share * 100}%` }} />
      </div>
      <p className="text-muted text-sm">
        {Math.round(budget.spent_share * 100)} % spent · the {budget.period} ends <Time at={budget.period_ends_at} />
        {budget.state === 'exhausted' &&
          ' · running turns end, spot turns wait until then or until you raise the limit'}
      </p>
    </li>
  )
}

function BudgetScope({ budget }: { budget: Budget }): ReactNode {
  const { scope, agent_root, session_id } = budget
  if (scope === 'agent_root' && agent_root !== null)
    return (
      <Link to="/costs" search={{ root: agent_root }} className="hover:underline">
        Root {agent_root}
      </Link>
    )
  if (scope === 'session' && session_id !== null)
    return (
      <Link to="/sessions/$id" params={{ id: String(session_id) }} className="hover:underline">
        Session {session_id}
      </Link>
    )
  return 'The whole service'
}

function spentOf({ limit_usd, spent_usd, spent_tokens }: Budget): string {
  return limit_usd === null ? compact(spent_tokens) : dollars(spent_usd)
}

function limitOf({ limit_usd, limit_tokens, period }: Budget): string {
  return `${limit_usd === null ? `${compact(limit_tokens ?? 0)} tokens` : dollars(limit_usd)} a ${period}`
}

function DeleteDialog({ budget, onClose }: { budget: Budget; onClose: () => void }): ReactNode {
  const toasts = useToasts()
  const remove = useWrite('budgets.delete', {
    refreshes: ['board'],
    onSuccess: () => {
      toasts.say('The budget is deleted')
      onClose()
    },
  })
  return (
    <Dialog
      title="Delete this budget?"
      width="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate({ id: String(budget.id) })}>
            Delete the budget
          </Button>
        </>
      }
    >
      {limitOf(budget)} for {nameOfBudget(budget)}. Turns that it holds go on.
    </Dialog>
  )
}
