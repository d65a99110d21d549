import { limits } from '@yardmaster/contract/limits'
import {
  goalKinds,
  outcomeKinds,
  type Segment,
  triggerKinds,
  triggerSources,
} from '@yardmaster/contract/outcomes/fields'
import { isAtMost } from '@yardmaster/contract/text'
import { truncate } from '../../platform/truncate.ts'

const { segmentTree: max } = limits

export type ReadTree = { root: Segment; figures: TreeFigures; warnings: string[] }

type TreeFigures = {
  segment_count: number
  failure_segment_count: number
  success_segment_count: number
  max_depth: number
}

/** Checks a whole tree and drops what it does not know. Returns every problem, or the tree. */
export function readTree(given: unknown): { problems: string[] } | ReadTree {
  const reading: Reading = { problems: [], warnings: [], count: 0, failures: 0, maxDepth: 0 }
  const root = readSegment(given, { id: 'S0', depth: 1, before: undefined }, reading)
  if (reading.count > max.segments) reading.problems.unshift(`The tree has more than ${max.segments} segments`)
  if (reading.problems.length > 0 || !root) return { problems: reported(reading.problems) }
  const { count, failures, maxDepth, warnings } = reading
  return {
    root,
    figures: {
      segment_count: count,
      failure_segment_count: failures,
      success_segment_count: count - failures,
      max_depth: maxDepth,
    },
    warnings: reported(warnings),
  }
}

function reported(sentences: readonly string[]): string[] {
  const more = sentences.length - max.problems
  return more > 0 ? [...sentences.slice(0, max.problems), `(and ${more} more problems)`] : [...sentences]
}

type Reading = { problems: string[]; warnings: string[]; count: number; failures: number; maxDepth: number }
type Place = { id: string; depth: number; before: unknown }

/** Undefined if the segment is no object, or too many came before it. The problems say what is wrong. */
function readSegment(given: unknown, place: Place, reading: Reading): Segment | undefined {
  const { id, depth, before } = place
  reading.count += 1
  if (reading.count > max.segments) return undefined
  reading.maxDepth = Math.max(reading.maxDepth, depth)
  const problem = (sentence: string): undefined => void reading.problems.push(`Segment ${id}: ${sentence}`)
  if (!isObject(given)) return problem('must be an object')
  if (given.id !== id) problem(`id must be ${id}, as its place says`)
  const trigger = readTrigger(given.trigger, problem)
  if (trigger.kind === 'Correction') checkCorrection(id, before, reading)
  const goal = readGoal(given.goal, problem)
  const outcome = readOutcome(given.outcome, problem)
  if (outcome.kind === 'Failure') reading.failures += 1
  const meta = readMeta(given.meta, problem)
  return { id, trigger, goal, outcome, meta, children: readChildren(given.children, place, reading) }
}

type Report = (sentence: string) => undefined

function readTrigger(given: unknown, problem: Report): Segment['trigger'] {
  const fields = fieldsOf(given, 'trigger', problem)
  return {
    kind: oneOf(triggerKinds, fields.kind, 'trigger.kind', problem),
    source: oneOf(triggerSources, fields.source, 'trigger.source', problem),
  }
}

function readGoal(given: unknown, problem: Report): Segment['goal'] {
  const fields = fieldsOf(given, 'goal', problem)
  return {
    text: requiredText(fields.text, 'goal.text', max.goal, problem),
    kind: oneOf(goalKinds, fields.kind, 'goal.kind', problem),
  }
}

function readOutcome(given: unknown, problem: Report): Segment['outcome'] {
  const fields = fieldsOf(given, 'outcome', problem)
  return {
    kind: oneOf(outcomeKinds, fields.kind, 'outcome.kind', problem),
    explanation: requiredText(fields.explanation, 'outcome.explanation', max.explanation, problem),
  }
}

/** There must be something to correct. That it failed is usual, so another outcome is only a warning. */
function checkCorrection(id: string, before: unknown, reading: Reading): void {
  if (before === undefined) {
    reading.problems.push(`Segment ${id}: trigger.kind must not be Correction without a segment before it`)
    return
  }
  const outcome = isObject(before) && isObject(before.outcome) ? before.outcome.kind : undefined
  if (outcome === 'Success') reading.warnings.push(`Segment ${id}: it corrects a segment that succeeded`)
}

function readMeta(given: unknown, problem: Report): Segment['meta'] {
  if (given !== undefined && given !== null && !isObject(given)) problem('meta must be an object')
  const fields = isObject(given) ? given : {}
  return {
    event_range: eventRange(fields.event_range ?? null, problem),
    wall_clock_s: numberIn(fields.wall_clock_s),
    tokens_in: integerIn(fields.tokens_in),
    tokens_out: integerIn(fields.tokens_out),
    model: typeof fields.model === 'string' ? truncate(fields.model, max.metaText, '') : null,
  }
}

function eventRange(given: unknown, problem: Report): Segment['meta']['event_range'] {
  if (given === null) return null
  const [first, last] = Array.isArray(given) && given.length === 2 ? given : []
  if (typeof first === 'string' && typeof last === 'string')
    return [truncate(first, max.metaText, ''), truncate(last, max.metaText, '')]
  problem('meta.event_range must be null or a pair of strings')
  return null
}

function readChildren(given: unknown, { id, depth }: Place, reading: Reading): Segment[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) {
    reading.problems.push(`Segment ${id}: children must be a list`)
    return []
  }
  if (given.length > 0 && depth >= max.depth) {
    reading.problems.push(`Segment ${id}: the tree has more than ${max.depth} levels`)
    return []
  }
  const children: Segment[] = []
  for (const [index, child] of given.entries()) {
    if (reading.count > max.segments) break
    const read = readSegment(child, { id: `${id}.${index}`, depth: depth + 1, before: given[index - 1] }, reading)
    if (read) children.push(read)
  }
  return children
}

function fieldsOf(given: unknown, name: string, problem: Report): Record<string, unknown> {
  if (isObject(given)) return given
  if (given !== undefined && given !== null) problem(`${name} must be an object`)
  return {}
}

/** The first word stands in for a wrong one: a tree with problems is not stored. */
function oneOf<Word extends string>(
  words: readonly [Word, ...Word[]],
  given: unknown,
  name: string,
  problem: Report,
): Word {
  const known = words.find((word) => word === given)
  if (known !== undefined) return known
  problem(`${name} must be one of: ${words.join(', ')}`)
  return words[0]
}

function requiredText(given: unknown, name: string, most: number, problem: Report): string {
  const text = typeof given === 'string' ? given.trim() : ''
  if (text === '') problem(`${name} is required`)
  else if (!isAtMost(text, most)) problem(`${name} is too long (maximum is ${most} characters)`)
  return text
}

function numberIn(given: unknown): number | null {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

function integerIn(given: unknown): number | null {
  const number = numberIn(given)
  return Number.isSafeInteger(number) ? number : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
