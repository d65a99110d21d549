import type { SpawnedSession } from '@yardmaster/contract/backlog/fields'
import { limits } from '@yardmaster/contract/limits'
import type { Genesis, PriorityClass } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { createSession, planSession, type SessionPlan } from '../lifecycle/lifecycle.ts'
import { selectSession } from '../sessions/session.ts'
import { updateItem } from './item-store.ts'
import type { RankedRow } from './item-table.ts'
import { textIn } from './present.ts'

/** Who starts items: by its own account, or proven by the key of its turn. */
export type Starter = {
  actingSessionId: number | undefined
  /** The session whose agent starts them, if its key proves that. */
  agentOf: number | undefined
  /** The roots that the caller is limited to; undefined for all. */
  roots: readonly string[] | undefined
  /** The origin of the sessions that have no parent. */
  genesis: Genesis
}

/** How the sessions of started items are made. Checked before the transaction: it may start a process and read files. */
export async function planStart(app: App, { roots }: Starter, schedulingClass: PriorityClass): Promise<SessionPlan> {
  const { agentRoot } = app.backlog
  if (roots && !roots.includes(agentRoot))
    refuse('cannot_spawn', `The caller is limited to the roots ${roots.join(', ') || 'none'}, and not to ${agentRoot}`)
  try {
    return await planSession(app, { agent_root: agentRoot, scheduling_class: schedulingClass })
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('cannot_spawn', error.messages)
    throw error
  }
}

export type Started = { item: RankedRow; session: SpawnedSession }

/** Creates a session for each item and marks the items started, in the caller's transaction. The first item ranks highest. */
export async function startItems(
  app: App,
  tx: Transaction,
  items: readonly RankedRow[],
  { plan, starter }: { plan: SessionPlan; starter: Starter },
): Promise<{ id: number; session: SpawnedSession }[]> {
  const parentId = starter.agentOf ?? starter.actingSessionId
  const parent = parentId === undefined ? undefined : await selectSession(tx, { id: parentId })
  const started: { id: number; session: SpawnedSession }[] = []
  for (const [index, item] of items.entries()) {
    const { session } = await createSession(
      app,
      tx,
      { genesis: starter.genesis, isByAgent: starter.agentOf !== undefined, isByPerson: parentId === undefined },
      {
        request: {
          ...plan.request,
          custom_metadata: metadataOf(item),
          ...(parent && {
            parent_session_id: { id: parent.id },
            precedence: Math.min(parent.precedence + items.length - index, limits.precedence.max),
          }),
        },
        resolved: { ...plan.resolved, title: titleOf(item), prompt: promptOf(item) },
      },
    )
    await updateItem(tx, item.id, {
      status: 'started',
      started_session_id: session.id,
      started_by_session_id: parent?.id ?? null,
    })
    started.push({ id: item.id, session: { ...session, url: await urlOf(app, session.id) } })
  }
  return started
}

/** Empty on a host that has no address of its own: the rest of the address is right everywhere. */
async function urlOf(app: App, id: number): Promise<string> {
  return `${(await app.serviceUrl) ?? ''}/sessions/${id}`
}

function metadataOf({ id, key, issue_url }: RankedRow) {
  return {
    spawned_by: 'work-backlog',
    work_backlog_item_id: id,
    work_backlog_key: key,
    work_backlog_issue: issue_url,
  }
}

/** `Implement web#498 (Login redirect loops)`. What is too long is cut in the brackets, never before. */
export function titleOf({ key, repo, issue_url, title }: Pick<RankedRow, 'key' | 'repo' | 'issue_url' | 'title'>) {
  const [, number] = /\/issues\/(\d+)\/?(?:[?#].*)?$/.exec(issue_url ?? '') ?? []
  const name = number === undefined ? key : `${repo.split('/')[1]}#${number}`
  const prefix = `Implement ${name}`
  const room = limits.title - Array.from(prefix).length - ' ()'.length
  return room < 2 ? truncate(prefix, limits.title) : `${prefix} (${truncate(title, room)})`
}

function promptOf({ issue_url, payload }: Pick<RankedRow, 'issue_url' | 'payload'>): string {
  const prompt = textIn(payload, 'prompt')
  if (issue_url === null) return prompt ?? ''
  return `${issue_url}\n\n${prompt ?? 'Implement this issue: read it and its discussion, make the change with tests, and open a pull request that names it.'}`
}
