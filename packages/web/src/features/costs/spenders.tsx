import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { BarList } from '../../shared/kit/bar-list.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import type { Unit } from './costs-search.ts'
import { compact, dollars } from './dollars.ts'

type Costs = Result<'costs.show'>
type Spend = { cost_usd: number; tokens: number; api_calls: number }

const byUnit = {
  dollars: {
    value: ({ cost_usd }: Spend) => cost_usd,
    note: ({ tokens, api_calls }: Spend) => `${compact(tokens)} tokens, ${calls(api_calls)}`,
    format: dollars,
  },
  tokens: {
    value: ({ tokens }: Spend) => tokens,
    note: ({ cost_usd, api_calls }: Spend) => `${dollars(cost_usd)}, ${calls(api_calls)}`,
    format: compact,
  },
}

function calls(count: number): string {
  return count === 1 ? '1 call' : `${compact(count)} calls`
}

type SpendersProps = { costs: Costs; unit: Unit; onRoot: (root: string) => void }

/** Who spent it: roots, models, sessions, features of the service, and kinds of tokens. */
export function Spenders({ costs, unit, onRoot }: SpendersProps): ReactNode {
  const spend = byUnit[unit]
  return (
    <div className="gap-4 lg:columns-2">
      <Ranked title="By root" rows={costs.by_agent_root}>
        <BarList
          caption="Costs by root"
          rows={costs.by_agent_root}
          keyOf={({ agent_root }) => agent_root}
          label={({ agent_root }) =>
            /^other \(\d+\)$/.test(agent_root) ? (
              agent_root
            ) : (
              <button type="button" onClick={() => onRoot(agent_root)} className="font-medium hover:underline">
                {agent_root}
              </button>
            )
          }
          {...spend}
        />
      </Ranked>
      <Ranked title="By model" rows={costs.by_model}>
        <BarList
          caption="Costs by model"
          rows={costs.by_model}
          keyOf={({ model }) => model}
          label={({ model }) => model}
          {...spend}
        />
      </Ranked>
      <Ranked title="Sessions that cost most" rows={costs.top_sessions}>
        <BarList
          caption="Sessions that cost most"
          rows={costs.top_sessions}
          keyOf={({ session_id, cost_usd }) => session_id ?? `deleted ${cost_usd}`}
          label={({ session_id, title }) =>
            session_id === null ? (
              'A deleted session'
            ) : (
              <Link to="/sessions/$id" params={{ id: String(session_id) }} className="font-medium hover:underline">
                {title ?? `Session ${session_id}`}
              </Link>
            )
          }
          {...spend}
        />
      </Ranked>
      <Ranked title="By feature of the service" rows={costs.by_adhoc_source}>
        <BarList
          caption="Costs by feature of the service"
          rows={costs.by_adhoc_source}
          keyOf={({ source }) => source}
          label={({ source }) => words(source)}
          {...spend}
        />
      </Ranked>
      <Ranked title="By kind of token" rows={costs.cost_breakdown}>
        <BarList
          caption="Costs by kind of token"
          rows={costs.cost_breakdown}
          keyOf={({ component }) => component}
          label={({ component }) => words(component)}
          value={({ cost_usd }) => cost_usd}
          note={({ share }) => `${Math.round(share * 100)} %`}
          format={dollars}
        />
      </Ranked>
      <Ranked title="By runtime and agent" rows={costs.by_runtime}>
        <BarList
          caption="Costs by runtime and agent"
          rows={[
            ...costs.by_runtime.map(({ agent_runtime, ...rest }) => ({ name: agent_runtime, ...rest })),
            ...costs.by_thread_kind.map(({ kind, ...rest }) => ({
              name: kind === 'main' ? 'Main agents' : 'Subagents',
              ...rest,
            })),
          ]}
          keyOf={({ name }) => name}
          label={({ name }) => name}
          {...spend}
        />
      </Ranked>
    </div>
  )
}

function Ranked({
  title,
  rows,
  children,
}: {
  title: string
  rows: readonly unknown[]
  children: ReactNode
}): ReactNode {
  return (
    <div className="mb-4 break-inside-avoid">
      <Panel title={title}>
        {rows.length > 0 ? children : <p className="px-3 py-4 text-muted">Nothing in this window.</p>}
      </Panel>
    </div>
  )
}

function words(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
