import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Callout } from '../../shared/kit/callout.tsx'

/** What would hinder the session, said before it is created. */
export function NewSessionWarnings({ runtime, servers }: { runtime: string; servers: readonly string[] }): ReactNode {
  const catalog = useRead('catalog.show', {}).data?.catalog
  const known = useRead('mcp_servers.list', {}).data?.mcp_servers ?? []
  const tool = useRead('clis.status', {}).data?.cli_status.tools[runtime]
  const broken = known.filter(({ name, unavailable }) => unavailable && servers.includes(name))
  const toolProblem =
    tool?.installed === false ? 'is not installed' : tool?.authenticated === false ? 'is not signed in' : undefined
  return (
    <>
      {catalog?.degraded && (
        <Callout tone="needs">
          The files of the catalog are invalid, so the last valid ones are used. {catalog.error}{' '}
          <Link to="/catalog" className="underline">
            See the catalog
          </Link>
        </Callout>
      )}
      {tool && toolProblem && (
        <Callout tone="needs">
          {tool.name} {toolProblem}: the session will fail.{' '}
          <Link to="/clis" className="underline">
            What to do
          </Link>
        </Callout>
      )}
      {broken.map(({ name, title, unavailable_reason }) => (
        <Callout key={name} tone="needs">
          {title} is left out: {unavailable_reason}
        </Callout>
      ))}
      {runtime === 'demo' && (
        <Callout>
          The demo agent has no model. It works through the prompt line by line: <code>say</code>, <code>run</code>,{' '}
          <code>write</code>, <code>sleep</code>, <code>ask</code>, <code>fail</code>; anything else it repeats.
        </Callout>
      )}
    </>
  )
}
