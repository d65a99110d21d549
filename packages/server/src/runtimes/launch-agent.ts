import { type Child, launch } from '../platform/process/launch.ts'
import type { Program } from '../platform/process/program.ts'
import type { TurnOrder } from './runtime.ts'

type AgentProgram = Program & Pick<Parameters<typeof launch>[0], 'maxLineBytes' | 'stdin'>

/** Starts an agent's process and reports it through `onUp` before `begin`. Kills the process if `onUp` or `begin` fails. */
export async function launchAgent<T>(
  order: TurnOrder,
  program: AgentProgram,
  begin: (child: Child) => Promise<T> | T,
): Promise<T> {
  const child = await launch({ ...program, ...(await order.confine(program)), marker: order.marker })
  try {
    await order.onUp(child.identity)
    return await begin(child)
  } catch (error) {
    await child.stop({ graceMs: 0 })
    throw error
  }
}
