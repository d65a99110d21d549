import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import type { TestApp } from '../app/app.ts'

const { start } = demoRuntime

/** The next agent that is started runs, but never writes its prompt into its transcript: there is no receipt. */
export function makeNextAgentIgnorePrompt(app: TestApp): void {
  vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
    const home = await mkdtemp(join(app.home, 'ignored-prompt-'))
    return start({ ...order, prompt: 'sleep 120', conversation: { ...order.conversation, home } })
  })
}
