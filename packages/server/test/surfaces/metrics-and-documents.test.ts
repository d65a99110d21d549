import { readFileSync } from 'node:fs'
import { fireOutcomes, fireSources } from '@yardmaster/contract/fires/fields'
import { refusals } from '@yardmaster/contract/problem'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '../../src/app/modules.ts'
import { failureReasons } from '../../src/domain/inbox/inbox.ts'
import { outcomeKinds } from '../../src/domain/turns/end-turn.ts'
import { queueNames } from '../../src/platform/jobs/queues.ts'
import { testApp } from '../support/app/app.ts'

const app = testApp()

type Exposed = { name: string; type: string; labels: string[] }
let exposed: Exposed[]
let text: string

beforeAll(async () => {
  text = (await app.get('/metrics')).body
  const { registry } = app.host.app.metrics
  exposed = registry.getMetricsAsArray().map((metric) => {
    // The library's types leave out the fields that its classes have.
    const { name, type, labelNames } = metric as unknown as { name: string; type: unknown; labelNames: string[] }
    return { name, type: String(type), labels: [...labelNames].sort() }
  })
})

/** The values of a label over all series of a metric. */
function valuesOf(metric: string, label: string): Set<string> {
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
  return new Set(lines.map((line) => new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? ''))
}

describe('GET /metrics of a host that has just started', () => {
  test('every queue, periodic task, subscription and job that a room declares has its metrics', () => {
    const subscriptions = modules.flatMap(({ subscriptions = [] }) => subscriptions.map(({ name }) => name))
    const periodic = modules.flatMap((room) => (room.periodic ?? []).map(({ name }) => name))
    const jobs = modules.flatMap(({ handlers = [] }) => handlers.map(({ job }) => job.name))
    const declared: [metric: string, label: string, values: readonly string[]][] = [
      ['yardmaster_queue_jobs', 'queue', queueNames],
      ['yardmaster_queue_oldest_ready_seconds', 'queue', queueNames],
      ['yardmaster_queue_paused', 'queue', queueNames],
      ['yardmaster_jobs_total', 'job', jobs],
      ['yardmaster_periodic_runs_total', 'name', [...periodic, ...subscriptions.map((name) => `subscription:${name}`)]],
      ['yardmaster_periodic_late', 'name', periodic],
      ['yardmaster_periodic_lag_seconds', 'name', periodic],
      ['yardmaster_periodic_consecutive_failures', 'name', periodic],
      ['yardmaster_subscription_events_total', 'subscription', subscriptions],
      ['yardmaster_subscription_events_behind', 'subscription', subscriptions],
      ['yardmaster_subscription_lag_seconds', 'subscription', subscriptions],
    ]
    for (const [metric, label, values] of declared)
      expect([metric, [...valuesOf(metric, label)].sort()]).toEqual([metric, [...new Set(values)].sort()])
  })

  test('every outcome of a turn, reason of a failure, outcome of a fire and kind of refusal has its series', () => {
    expect([...valuesOf('yardmaster_turn_seconds_count', 'outcome')].sort()).toEqual([...outcomeKinds].sort())
    expect([...valuesOf('yardmaster_turn_failures_total', 'reason')].sort()).toEqual([...failureReasons].sort())
    expect([...valuesOf('yardmaster_fires_total', 'outcome')].sort()).toEqual([...fireOutcomes].sort())
    expect([...valuesOf('yardmaster_fires_total', 'by')].sort()).toEqual([...fireSources].sort())
    expect([...valuesOf('yardmaster_refusals_total', 'kind')].sort()).toEqual(Object.keys(refusals).sort())
  })

  test('every series names its host', () => {
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const { hostId } = app.host.app.home
    expect(series.filter((line) => !line.includes(`host="${hostId}"`))).toEqual([])
  })
})

function documentOf(name: string): string {
  return readFileSync(new URL(`../../../../docs/operations/${name}`, import.meta.url), 'utf8')
}

test('docs/operations/metrics.md lists every metric with its type and labels, and no other', () => {
  const [, rows = ''] = /<!-- metrics -->\n(.*?)<!-- \/metrics -->/s.exec(documentOf('metrics.md')) ?? []
  const documented = rows
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name = '', type = '', labels = ''] = line.split('|').map((cell) => cell.trim())
      return {
        name: name.replaceAll('`', ''),
        type,
        labels: [...labels.matchAll(/`(\w+)`/g)].map(([, l = '']) => l).sort(),
      }
    })
  const byName = (a: Exposed, b: Exposed) => a.name.localeCompare(b.name)
  expect(documented.toSorted(byName)).toEqual(exposed.toSorted(byName))
})

type Rule = { alert: string; expression: string }

/** The rules are written in a part of YAML that this reads: one key a line, and folded text below `expr: >-`. */
function rules(): Rule[] {
  const found: Rule[] = []
  let isFolded = false
  for (const line of documentOf('alerts.yaml').split('\n')) {
    const rule = found.at(-1)
    const alert = /^ {6}- alert: (\w+)$/.exec(line)?.[1]
    const expression = /^ {8}expr: (.*)$/.exec(line)?.[1]
    if (alert !== undefined) found.push({ alert, expression: '' })
    else if (expression !== undefined && rule) {
      isFolded = expression === '>-'
      rule.expression = isFolded ? '' : expression
    } else if (isFolded && rule && /^ {10}\S/.test(line)) rule.expression += ` ${line.trim()}`
    else isFolded = false
  }
  return found
}

type Board = { panels: { title: string; targets?: { expr: string }[] }[] }

function boardExpressions(): string[] {
  const { panels }: Board = JSON.parse(documentOf('dashboard.json'))
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
}

const words = ['by', 'and', 'or', 'unless', 'on', 'ignoring', 'without', 'bool']
/** Prometheus adds these to what it scrapes. */
const addedLabels = ['host', 'job', 'instance', 'le']

/** The metrics that an expression names, each with the labels of its selector. */
function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const bare = expression.replace(/\$__rate_interval|\[\w+\]/g, '').replace(/\b(by|on|without|ignoring) \([^)]*\)/g, '')
  return [...bare.matchAll(/([a-zA-Z_]\w*)(\{[^}]*\})?(\s*\()?/g)].flatMap(([, name = '', selector = '', call]) =>
    call !== undefined || words.includes(name)
      ? []
      : [{ name, labels: [...selector.matchAll(/(\w+)(?:=~|!=|!~|=)/g)].map(([, label = '']) => label) }],
  )
}

function problemsOf(expression: string): string[] {
  const named = metricsIn(expression)
  if (named.length === 0) return [`${expression} names no metric`]
  const known = named.map(({ name, labels }) => {
    const metric = exposed.find((each) =>
      each.type === 'histogram' ? new RegExp(`^${each.name}_(bucket|sum|count)$`).test(name) : each.name === name,
    )
    return { name, labels, metric }
  })
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const ofAll = [...addedLabels, ...known.flatMap(({ metric }) => metric?.labels ?? [])]
  return [
    ...known.flatMap(({ name, labels, metric }) =>
      metric || name === 'up'
        ? labels
            .filter((label) => ![...addedLabels, ...(metric?.labels ?? [])].includes(label))
            .map((l) => `${name}: ${l}`)
        : [`${name} does not exist`],
    ),
    ...grouped.filter((label) => !ofAll.includes(label)).map((label) => `${expression} groups by ${label}`),
  ]
}

test('the check of expressions finds an unknown metric, an unknown label and an unknown group', () => {
  expect(problemsOf('sum by (queue) (rate(yardmaster_jobs_total{queue="a"}[5m])) > 0')).toEqual([])
  expect(problemsOf('max(yardmaster_gone) > 1')).toEqual(['yardmaster_gone does not exist'])
  expect(problemsOf('yardmaster_turns{queue="a"}')).toEqual(['yardmaster_turns: queue'])
  expect(problemsOf('sum by (reason) (yardmaster_turns)')).toHaveLength(1)
  expect(problemsOf('yardmaster_turn_seconds')).toHaveLength(1)
})

test('every expression of docs/operations/dashboard.json names metrics and labels that a host exposes', () => {
  const expressions = boardExpressions()
  expect(expressions.length).toBeGreaterThan(30)
  expect(expressions.flatMap(problemsOf)).toEqual([])
})

test('every expression of docs/operations/alerts.yaml names metrics and labels that a host exposes', () => {
  expect(rules().length).toBeGreaterThan(15)
  expect(rules().flatMap(({ expression }) => problemsOf(expression))).toEqual([])
})

test('docs/operations/alerts.md has a section about every alert, and about no other', () => {
  const sections = [...documentOf('alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(sections.sort()).toEqual(
    rules()
      .map(({ alert }) => alert)
      .sort(),
  )
})
