import { type Child, launch } from '../platform/process/launch.ts'
import type { TurnOrder } from './runtime.ts'

type AgentProgram = Omit<Parameters<typeof launch>[0], 'marker'>

/**
 * Starts an agent's process and says so before it is given anything. If it turns out not to be wanted, or whatever comes
 * next fails, it is stopped: an agent that nobody stays with does not exist.
 */
export async function launchAgent<T>(
  order: TurnOrder,
  program: AgentProgram,
  begin: (child: Child) => Promise<T> | T,
): Promise<T> {
  const child = await launch({ ...program, marker: order.marker })
  try {
    await order.onUp(child.identity)
    return await begin(child)
  } catch (error) {
    await child.stop({ graceMs: 0 })
    throw error
  }
}
