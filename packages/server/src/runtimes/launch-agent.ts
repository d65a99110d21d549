import { type Child, launch } from '../platform/process/launch.ts'
import type { Program } from '../platform/process/program.ts'
import type { TurnOrder } from './runtime.ts'

type AgentProgram = Program & Pick<Parameters<typeof launch>[0], 'maxLineBytes' | 'stdin'>

/** Starts an agent's process and reports it through `onUp` before `begin`. Kills the process if `onUp` or `begin` fails. */
export async function launchAgent<T>(
  order: TurnOrder,
  { env, ...rest }: AgentProgram,
  begin: (child: Child) => Promise<T> | T,
): Promise<T> {
  const { traceparent } = order
  const program = { ...rest, env: { ...env, ...(traceparent && { TRACEPARENT: traceparent }) } }
  const child = await launch({ ...program, ...(await order.confine(program)), marker: order.marker })
  try {
    await order.onUp(child.identity)
    return await begin(child)
  } catch (error) {
    await child.stop({ graceMs: 0 })
    throw error
  }
}
