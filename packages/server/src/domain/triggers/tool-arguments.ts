import { readConditionType } from '@yardmaster/contract/triggers/conditions'
import { refuse } from '../../platform/refusal.ts'

type Arguments = Readonly<Record<string, unknown>>
type Stored = { id: number; condition_type: string; configuration: Arguments }

/** What a trigger that reacts to every session may spawn in a minute, unless the caller says otherwise. */
const broadcastCap = 10

/** Other ways to name a condition, for a trigger with one. */
export const conditionArguments = {
  trigger_type: { type: ['string', 'null'], description: 'Instead of `conditions`: the type of the one condition.' },
  configuration: { type: ['object', 'null'], description: 'With `trigger_type`: the details of that condition.' },
}

/**
 * Turns what a model writes into what the endpoint takes, and refuses what the endpoint would accept and a model hardly means:
 * flags without effect, and a change that drops a limit of a condition because it did not repeat it. `before` is the trigger
 * as it is shown, when there is one.
 */
export function readTriggerArguments(given: Arguments, before: unknown): Arguments {
  const { trigger_type: type, configuration, ...args } = given
  const trigger = Object(Object(before).trigger)
  const stored: readonly Stored[] = trigger.conditions ?? []
  const isFlat = (type ?? configuration ?? null) !== null
  if (isFlat && (args.conditions ?? null) !== null)
    refuse('invalid_parameter', 'Give either conditions, or trigger_type and configuration')
  refuseIdleFlags(args, trigger)
  if (args.status === 'failed') refuse('invalid_parameter', 'The status failed is set by the service; use disabled')
  const conditions = isFlat ? [flatCondition(type, configuration, stored)] : args.conditions
  if (!Array.isArray(conditions)) return args
  const written = conditions.map(readRemoval)
  for (const condition of written) refuseLoss(condition, stored)
  return { ...args, conditions: written, ...(before === undefined && capOf(args, written)) }
}

function refuseIdleFlags(args: Arguments, trigger: Arguments): void {
  const isReusing = args.reuse_session ?? trigger.reuse_session ?? false
  const idle = ['enqueue_messages', 'resuscitate_archived'].filter((flag) => args[flag] === true)
  if (isReusing !== true && idle.length > 0) refuse('invalid_parameter', `${idle.join(' and ')} need reuse_session`)
}

function flatCondition(type: unknown, configuration: unknown, stored: readonly Stored[]): Arguments {
  const isTyped = (type ?? null) !== null
  const known = stored.filter(({ condition_type }) => !isTyped || condition_type === readConditionType(type))
  if (known.length > 1)
    refuse('invalid_parameter', `The trigger has several conditions of that type; name one by its id in conditions`)
  const [own] = known
  return { ...(own && { id: own.id }), condition_type: isTyped ? type : own?.condition_type, configuration }
}

/** `{id, remove: true}` deletes a condition. */
function readRemoval(condition: unknown): Arguments {
  const { remove, ...rest } = Object(condition)
  return remove === true ? { ...rest, _destroy: true } : rest
}

const keptKeys = ['exclude_labels', 'watched_session_id']

function refuseLoss({ id, configuration }: Arguments, stored: readonly Stored[]): void {
  const before = stored.find((condition) => String(condition.id) === String(id))?.configuration
  if (!before || typeof configuration !== 'object' || configuration === null) return
  const lost = keptKeys.filter((key) => isSet(before[key]) && !Object.hasOwn(configuration, key))
  if (lost.length > 0)
    refuse(
      'invalid_parameter',
      `Condition ${id} would lose its ${lost.join(' and ')}; repeat it, or empty it on purpose`,
    )
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

function capOf({ max_sessions_per_minute: cap }: Arguments, conditions: readonly Arguments[]): Arguments {
  const isBroadcast = conditions.some(
    ({ condition_type: type, configuration }) =>
      readConditionType(type) === 'ao_event' && !isSet(Object(configuration).watched_session_id),
  )
  return isBroadcast && (cap ?? null) === null ? { max_sessions_per_minute: broadcastCap } : {}
}
