import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/demo.ts'
import type { TestApp } from '../app/app.ts'

const { start } = demoRuntime

/** The next agent that is started is up and running, and never takes up the prompt it was given. */
export function letNextAgentBeDeaf(app: TestApp): void {
  vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
    const home = await mkdtemp(join(app.home, 'deaf-'))
    return start({ ...order, prompt: 'sleep 120', conversation: { ...order.conversation, home } })
  })
}
