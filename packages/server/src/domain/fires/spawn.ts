import { limits } from '@yardmaster/contract/limits'
import type { Genesis } from '@yardmaster/contract/sessions/fields'
import { Refusal, refuse } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { createSession, planSession } from '../lifecycle/lifecycle.ts'
import { selectSession } from '../sessions/session.ts'
import { genesisOfTypes, isRootMissing, type TriggerRow } from '../triggers/trigger.ts'
import { reserve } from './burst.ts'
import { selectPendingSession } from './fire-store.ts'
import type { Decision, Firing, SpawnPlan } from './firing.ts'
import { findRenamedRoot, resolveLists } from './resolve-catalog.ts'
import { newFence } from './template.ts'

/** Checks how a session would be spawned, before the transaction: that may start a process and read files. */
export async function planSpawn(app: App, trigger: TriggerRow, { isInvoked }: { isInvoked: boolean }) {
  try {
    const renamed = isRootMissing(app, trigger) ? await findRenamedRoot(app, app.db, trigger) : undefined
    const rootName = renamed ?? trigger.agent_root_name
    const plan = await planSession(app, {
      agent_root: rootName,
      title: truncate(trigger.name, limits.title),
      goal: trigger.goal,
      precedence: trigger.precedence,
      parent_session_id: trigger.made_by_session_id === null ? null : { id: trigger.made_by_session_id },
      // An invoke has another origin, whose class applies.
      scheduling_class: isInvoked ? null : trigger.scheduling_class,
      ...resolveLists(app, trigger),
    })
    return { plan, rootName } satisfies SpawnPlan
  } catch (error) {
    if (error instanceof Refusal) return { problem: error } satisfies SpawnPlan
    throw error
  }
}

/** The plan was not made because the trigger seemed to follow up a session: it is made now, and the fire starts over. */
export class PlanNeeded extends Error {}

/** Spawns a session, unless one is pending or the trigger fires too often. */
export async function spawn(firing: Firing): Promise<Decision> {
  const { app, tx, trigger, plan: spawnPlan, now, prompt } = firing
  if (trigger.skip_if_pending_session) {
    const pending = await selectPendingSession(tx, trigger.id)
    if (pending !== undefined)
      return { outcome: 'skipped', sessionId: pending, reason: `Session ${pending} is still waiting or running.` }
  }
  const { verdict, changes } = reserve(trigger, now)
  if (verdict === 'suppressed') {
    return {
      outcome: 'suppressed',
      sessionId: null,
      reason: `A burst is in progress: more than ${trigger.max_sessions_per_minute} sessions in a minute.`,
      changes: { ...changes, suppressed_event_count: trigger.suppressed_event_count + 1 },
    }
  }
  if (!spawnPlan) throw new PlanNeeded()
  if ('problem' in spawnPlan) throw spawnPlan.problem
  const { plan, rootName } = spawnPlan
  await refuseIfMakerArchived(firing)
  const isNotice = verdict === 'notice'
  const metadata = { trigger_id: trigger.id, trigger_name: trigger.name }
  const { session } = await createSession(
    app,
    tx,
    {
      genesis: genesisOf(firing),
      isByAgent: trigger.made_by_session_id !== null,
      metadata: isNotice ? { ...metadata, burst_notice: true as const } : metadata,
    },
    {
      ...plan,
      resolved: {
        ...plan.resolved,
        ...(isNotice && { title: truncate(`Burst: ${trigger.name}`, limits.title), goal: null }),
        prompt: isNotice ? noticePrompt(firing) : prompt,
      },
    },
  )
  const counted = { ...changes, sessions_created_count: trigger.sessions_created_count + 1 }
  const reason = rootName === trigger.agent_root_name ? null : `The root was renamed to ${rootName}.`
  if (isNotice) return { outcome: 'burst_notice', sessionId: session.id, reason, session, changes: counted }
  return {
    outcome: 'spawned',
    sessionId: session.id,
    reason,
    session,
    changes: {
      ...counted,
      ...(changes && { burst_window_session_ids: [...changes.burst_window_session_ids, session.id].slice(-listed) }),
      agent_root_name: rootName,
      last_session_id: session.id,
      missed_fire_count: 0,
      first_missed_fire_at: null,
    },
  }
}

/** A trigger that an agent made spawns children of the agent's session, and ends with it. */
async function refuseIfMakerArchived({ tx, trigger: { made_by_session_id: id } }: Firing): Promise<void> {
  const maker = id === null ? undefined : await selectSession(tx, { id })
  if (maker?.status === 'archived')
    refuse('no_session_created', `Session ${maker.id}, which made the trigger, is archived.`)
}

/** The origin of a trigger's sessions: that of the invoke, or the first of its kinds of condition. */
function genesisOf({ events: [{ genesis }], conditions }: Firing): Genesis {
  return genesis ?? genesisOfTypes(conditions.map(({ condition_type }) => condition_type))
}

const listed = 25
const excerptLength = 500

function noticePrompt({ trigger, events: [event], prompt }: Firing): string {
  const fence = newFence()
  const links = trigger.burst_window_session_ids.slice(-listed).map((id) => `- /api/v1/sessions/${id}`)
  return fence.explain(
    [
      `Trigger ${trigger.id} (${trigger.name}) fired more than ${trigger.max_sessions_per_minute} times within a minute.`,
      'Further fires start nothing until the burst is over. Find out why it fires so often, and report it.',
      ...(links.length > 0 ? ['', 'Sessions that it started within the minute:', ...links] : []),
      '',
      `The trigger: /api/v1/triggers/${trigger.id}, its fires: /api/v1/triggers/${trigger.id}/fires`,
      `The event that exceeded the limit (${event.by}, ${event.values.link ?? event.key}):`,
      fence.around(truncate(prompt, excerptLength)),
    ].join('\n'),
  )
}
