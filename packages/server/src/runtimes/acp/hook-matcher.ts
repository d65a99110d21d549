import { runInNewContext } from 'node:vm'

/**
 * Whether a hook applies to a tool with these names. A matcher is a name or a regular expression for a whole name; `*` and no
 * matcher apply to every tool. In doubt the hook applies: running a guard once too often is safe.
 */
export function appliesTo(matcher: string | undefined, names: readonly string[]): boolean {
  if (matcher === undefined || matcher === '*' || matcher === '') return true
  if (names.length === 0) return true
  return names.some((name) => name === matcher || name.length > maxNameCharacters || matches(matcher, name))
}

/** Why the matcher is invalid, if it is. */
export function problemWithMatcher(matcher: string | undefined): string | undefined {
  if (matcher === undefined || matcher === '*') return undefined
  try {
    new RegExp(matcher)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Has a time limit: the agent chooses the name, and an expression may take exponential time. */
function matches(matcher: string, name: string): boolean {
  try {
    return runInNewContext(expression, { matcher, name }, { timeout: timeoutMs }) === true
  } catch (error) {
    return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  }
}

const expression = "new RegExp('^(?:' + matcher + ')$').test(name)"
/** Wall-clock time: a loaded host may suspend the process for tens of milliseconds. */
const timeoutMs = 250
const maxNameCharacters = 200
