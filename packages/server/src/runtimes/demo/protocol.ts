import { z } from 'zod'

/** The driver's messages on the agent's standard input, one JSON line each. */
export type DemoRequest =
  | { type: 'prompt'; prompt: string; hasNoTools: boolean; asksFirst: boolean; servers: readonly DemoServer[] }
  | { type: 'answer'; id: string; isGranted: boolean }
  | { type: 'interrupt' }

/** An MCP server over HTTP whose tools the agent can call. */
export type DemoServer = { name: string; url: string; headers: Readonly<Record<string, string>> }

/** The agent's messages on standard output: activity and the end of the turn. The transcript is in its file. */
export const DemoNotice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('entry') }),
  /** It asks whether it may execute a line, and waits. */
  z.object({ type: z.literal('question'), id: z.string(), line: z.string() }),
  z.object({ type: z.literal('result'), outcome: z.enum(['completed', 'interrupted', 'failed']), detail: z.string() }),
])
export type DemoNotice = z.infer<typeof DemoNotice>

/** The file beside a subagent's transcript. */
export const DemoSubagent = z.object({
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  tool_use_id: z.string().nullable(),
})
