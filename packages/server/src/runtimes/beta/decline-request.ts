import { z } from 'zod'

/**
 * Answers to whatever codex asks in the middle of a turn. Nobody sits at this terminal, so it is told no at once, and a
 * turn never hangs on a question. `tell` gets a sentence for whoever reads the session.
 */
export function answerQuestion(method: string, params: unknown, tell: (sentence: string) => void): unknown {
  const answer = answers[method]
  if (!answer) throw new Error(`Yardmaster does not answer ${method}.`)
  return answer(params, tell)
}

type Answer = (params: unknown, tell: (sentence: string) => void) => unknown

const answers: Record<string, Answer> = {
  'item/commandExecution/requestApproval': (_, tell) => {
    tell('Codex asked for permission to run a command and was told no: nobody is there to give it.')
    return { decision: 'decline' }
  },
  'item/fileChange/requestApproval': (_, tell) => {
    tell('Codex asked for permission to change a file and was told no: nobody is there to give it.')
    return { decision: 'decline' }
  },
  'item/permissions/requestApproval': (_, tell) => {
    tell('Codex asked for further permissions and got none: nobody is there to give them.')
    return { permissions: {}, scope: 'turn' }
  },
  'item/tool/requestUserInput': (_, tell) => {
    tell('Codex asked the user a question in the middle of its turn and got no answer; answer it with the next prompt.')
    return { answers: {} }
  },
  'mcpServer/elicitation/request': (params, tell) => {
    const { data } = Elicitation.safeParse(params)
    // Whether it may call a tool of a server that the session was given.
    if (data?._meta?.codex_approval_kind === 'mcp_tool_call') return { action: 'accept', content: {}, _meta: null }
    tell(`The MCP server ${data?.serverName ?? ''} asked for input and was told no: ${data?.message ?? ''}`.trim())
    return { action: 'decline', content: null, _meta: null }
  },
}

const Elicitation = z.object({
  serverName: z.string().optional(),
  message: z.string().optional(),
  _meta: z.object({ codex_approval_kind: z.string().optional() }).nullish(),
})
