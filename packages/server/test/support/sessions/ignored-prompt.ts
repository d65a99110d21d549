import { chown, mkdtemp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { vi } from 'vitest'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'

const { start } = demoRuntime

/** The next agent that is started runs, but never writes its prompt into its transcript: there is no receipt. */
export function makeNextAgentIgnorePrompt(): void {
  vi.spyOn(demoRuntime, 'start').mockImplementationOnce(async (order) => {
    const { uid, gid } = await stat(order.conversation.home)
    const home = await mkdtemp(join(order.conversation.home, 'ignored-prompt-'))
    await chown(home, uid, gid)
    return start({ ...order, prompt: 'sleep 120', conversation: { ...order.conversation, home } })
  })
}
