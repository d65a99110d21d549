import { runInNewContext } from 'node:vm'

/**
 * Whether a hook is about a tool that is known by these names. A matcher is a name or a regular expression for the whole of
 * one; `*` and none at all are every tool. Where it cannot be told, it is: a guard is asked once too often rather than not.
 */
export function isAbout(matcher: string | undefined, names: readonly string[]): boolean {
  if (matcher === undefined || matcher === '*' || matcher === '') return true
  if (names.length === 0) return true
  return names.some((name) => name === matcher || name.length > maxNameCharacters || matches(matcher, name))
}

/** Why a matcher cannot be used, if it cannot. */
export function problemWithMatcher(matcher: string | undefined): string | undefined {
  if (matcher === undefined || matcher === '*') return undefined
  try {
    new RegExp(matcher)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** An expression may take for ever with a name that the agent chose, so it has a moment and no more. */
function matches(matcher: string, name: string): boolean {
  try {
    return runInNewContext(expression, { matcher, name }, { timeout: patienceMs }) === true
  } catch (error) {
    return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  }
}

const expression = "new RegExp('^(?:' + matcher + ')$').test(name)"
const patienceMs = 20
const maxNameCharacters = 200
