import { z } from 'zod'

/** Declines codex's requests in the middle of a turn, so that an unattended turn never waits. Logs each with `notify`. */
export function answerRequest(method: string, params: unknown, notify: (sentence: string) => void): unknown {
  const answer = answers[method]
  if (!answer) throw new Error(`Yardmaster does not answer ${method}.`)
  return answer(params, notify)
}

type Answer = (params: unknown, notify: (sentence: string) => void) => unknown

const answers: Record<string, Answer> = {
  'item/commandExecution/requestApproval': (_, notify) => {
    notify('Codex asked for permission to run a command. Yardmaster declined.')
    return { decision: 'decline' }
  },
  'item/fileChange/requestApproval': (_, notify) => {
    notify('Codex asked for permission to change a file. Yardmaster declined.')
    return { decision: 'decline' }
  },
  'item/permissions/requestApproval': (_, notify) => {
    notify('Codex asked for further permissions. Yardmaster declined.')
    return { permissions: {}, scope: 'turn' }
  },
  'item/tool/requestUserInput': (_, notify) => {
    notify(
      'Codex asked the user a question in the middle of its turn and got no answer. Answer it with the next prompt.',
    )
    return { answers: {} }
  },
  'mcpServer/elicitation/request': (params, notify) => {
    const { data } = Elicitation.safeParse(params)
    // Codex asks whether it may call a tool of one of the session's servers.
    if (data?._meta?.codex_approval_kind === 'mcp_tool_call') return { action: 'accept', content: {}, _meta: null }
    notify(
      `The MCP server ${data?.serverName ?? ''} asked for input, which Yardmaster declined: ${data?.message ?? ''}`.trim(),
    )
    return { action: 'decline', content: null, _meta: null }
  },
}

const Elicitation = z.object({
  serverName: z.string().optional(),
  message: z.string().optional(),
  _meta: z.object({ codex_approval_kind: z.string().optional() }).nullish(),
})
