import { z } from 'zod'

/** What we write to the demo agent's standard input, a JSON line each. */
export type DemoRequest = { type: 'prompt'; prompt: string } | { type: 'interrupt' }

/** What it writes to standard output. The transcript is in its file; this is for liveness and for the end. */
export const DemoNotice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('entry') }),
  z.object({ type: z.literal('result'), outcome: z.enum(['completed', 'interrupted', 'failed']), detail: z.string() }),
])
export type DemoNotice = z.infer<typeof DemoNotice>

/** What it writes beside the transcript of a subagent. */
export const DemoSubagent = z.object({
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  tool_use_id: z.string().nullable(),
})
