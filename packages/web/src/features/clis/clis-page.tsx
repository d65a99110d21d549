import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead, useWrite } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { Code, Copyable } from '../../shared/kit/copy-button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { useToasts } from '../../shared/kit/toasts.tsx'

type Tool = Result<'clis.status'>['cli_status']['tools'][string]

export default function ClisPage(): ReactNode {
  const toasts = useToasts()
  // No event announces the end of a check; it takes a few seconds.
  const { data, error, isLoading, refetch } = useRead('clis.status', {}, { everyMs: 5_000 })
  const check = useWrite('clis.refresh', { onSuccess: ({ message }) => toasts.say(message) })
  const clear = useWrite('clis.clear_cache', { onSuccess: ({ message }) => toasts.say(message) })
  const status = data?.cli_status
  const tools = Object.entries(status?.tools ?? {})
  const actions = (
    <>
      <Button icon="trash-2" isBusy={clear.isPending} onClick={() => clear.mutate({})}>
        Clear caches
      </Button>
      <Button icon="refresh-cw" isBusy={check.isPending} onClick={() => check.mutate({})}>
        Check again
      </Button>
    </>
  )
  return (
    <Page title="CLIs" note="The programs that agents run" actions={actions}>
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel title={status && <Summary status={status} />}>
        {isLoading && <Skeleton />}
        {data && tools.length === 0 && (
          <EmptyState icon="terminal" title="No program was checked yet">
            A host that runs turns checks them when it starts.
          </EmptyState>
        )}
        <ul>
          {tools.map(([key, tool]) => (
            <ToolRow key={key} runtime={key} tool={tool} />
          ))}
        </ul>
      </Panel>
      {status?.host && (
        <p className="flex flex-wrap items-center gap-x-1 text-muted text-sm">
          Checked on the host <Code label="id of the host">{status.host}</Code>
        </p>
      )}
      <p className="text-muted text-sm">
        Clearing the caches makes the next start of an MCP server download its package again.
      </p>
    </Page>
  )
}

function Summary({ status }: { status: Result<'clis.status'>['cli_status'] }): ReactNode {
  const { generated_at, unauthenticated_count } = status
  if (!generated_at) return 'Not checked yet'
  const text = unauthenticated_count === 0 ? 'All signed in' : `${unauthenticated_count} without a sign-in`
  return (
    <>
      {text}
      <span className="ml-2 font-normal text-muted text-sm">
        checked <Time at={generated_at} />
      </span>
    </>
  )
}

function ToolRow({ runtime, tool }: { runtime: string; tool: Tool }): ReactNode {
  const { name, installed, authenticated, version, install_instructions, auth_instructions, env_var_name, error } = tool
  const todo = installed === false ? install_instructions : authenticated === false ? auth_instructions : undefined
  return (
    <li className="flex flex-col gap-1 border-line border-b px-3 py-2.5 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{name}</span>
        <span className="font-mono text-muted text-sm">{runtime}</span>
        <span className="grow" />
        {version && <span className="tabular text-muted text-sm">{version}</span>}
        <State isTrue={installed} yes="installed" no="not installed" />
        {installed !== false && <State isTrue={authenticated} yes="signed in" no="not signed in" />}
      </div>
      {todo && (
        <Copyable value={todo} label={`what to do for ${name}`} className="whitespace-pre-line break-words text-muted">
          {todo}
        </Copyable>
      )}
      {todo && installed && env_var_name && <Code label="variable">{env_var_name}</Code>}
      {error && <p className="break-words text-failed text-sm">{error}</p>}
    </li>
  )
}

function State({ isTrue, yes, no }: { isTrue: boolean | null; yes: string; no: string }): ReactNode {
  if (isTrue === null) return <Badge>not checked</Badge>
  return (
    <Badge tone={isTrue ? 'ok' : 'needs'} icon={isTrue ? 'check' : 'triangle-alert'}>
      {isTrue ? yes : no}
    </Badge>
  )
}
