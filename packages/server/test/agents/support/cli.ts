import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of each driver's program. */
    agentClis: Record<string, string>
  }
}

export type CliName = 'runtime_alpha' | 'runtime_beta' | 'acp'

/** The program of a real CLI. */
export function cli(runtime: CliName): string {
  const program = inject('agentClis')[runtime]
  if (program === undefined) throw new Error('No agents are installed: run these tests with `npm run test:agents`.')
  return program
}
