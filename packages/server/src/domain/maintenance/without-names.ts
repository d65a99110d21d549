import type { Health } from '@yardmaster/contract/health/report-fields'

const leftOut = '[left out]'

/** What is hidden of each object that has the key. */
const hiddenBeside: Record<string, object> = {
  git_root: { git_root: null, slug: null, title: null },
  failure_reason: { last_error: null },
  content: { content: leftOut },
  command: { command: leftOut },
  // The accounts are named by the addresses of people.
  credentials_owner: { credentials_owner: null, credentials_detail: null },
}

/**
 * The report for readers that show no key and no password: which sessions and processes, but none of their names, and nothing
 * that an agent, git or another service said about them, because an error quotes its repository or its address.
 */
export function withoutNames(health: Health): Health {
  return JSON.parse(JSON.stringify(health, hideNames))
}

function hideNames(key: string, value: unknown): unknown {
  if (key === 'last_error' && value !== null) return leftOut
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.assign({}, value, ...Object.keys(hiddenBeside).map((each) => (each in value ? hiddenBeside[each] : {})))
}
