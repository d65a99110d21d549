import type { Health } from '@yardmaster/contract/health/report-fields'

const leftOut = '[left out]'

/** What is hidden of each object that has the key. */
const hiddenBeside: Record<string, object> = {
  git_root: { git_root: null, slug: null, title: null },
  failure_reason: { last_error: null },
  content: { content: leftOut },
  command: { command: leftOut },
}

/**
 * The report for readers that show no key and no password: which sessions and processes, but none of their names, and nothing
 * that an agent or git wrote about them, because an error of git quotes its repository.
 */
export function withoutNames(health: Health): Health {
  return JSON.parse(JSON.stringify(health, hideNames))
}

function hideNames(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.assign({}, value, ...Object.keys(hiddenBeside).map((key) => (key in value ? hiddenBeside[key] : {})))
}
