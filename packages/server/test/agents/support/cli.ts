import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** By runtime, the path of its program. */
    agentClis: Record<string, string>
  }
}

export type CliName = 'runtime_alpha' | 'runtime_beta' | 'acp'

/** The program of a real CLI. */
export function cli(runtime: CliName): string {
  const program = inject('agentClis')[runtime]
  if (program === undefined) throw new Error('There are no agents here: run these tests by `npm run test:agents`.')
  return program
}
