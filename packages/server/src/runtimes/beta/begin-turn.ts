import { z } from 'zod'
import type { JsonRpc } from '../json-rpc.ts'

export type Thread = { threadId: string; turnId: string }

type Beginning = { threadId: string; model: string; text: string; additionalContext?: unknown }

const Begun = z.object({ turn: z.object({ id: z.string() }) })

export async function beginTurn(rpc: JsonRpc, { text, ...rest }: Beginning): Promise<Thread> {
  const begun = await rpc.call('turn/start', { ...rest, input: [{ type: 'text', text, text_elements: [] }] })
  return { threadId: rest.threadId, turnId: Begun.parse(begun).turn.id }
}
