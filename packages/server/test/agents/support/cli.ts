import { inject } from 'vitest'
import type { pinnedClis } from '../../../src/runtimes/cli.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** By runtime, the path of its program. */
    agentClis: Record<string, string>
  }
}

export type CliName = (typeof pinnedClis)[number]['runtime']

/** The program of a real CLI. */
export function cli(runtime: CliName): string {
  const program = inject('agentClis')[runtime]
  if (program === undefined) throw new Error('There are no agents here: run these tests by `npm run test:agents`.')
  return program
}
