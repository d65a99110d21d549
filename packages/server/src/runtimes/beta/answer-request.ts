import { z } from 'zod'
import { type Ask, type Field, formQuestion, permissionQuestion, type Question } from '../question.ts'

type Answering = {
  /** Writes a sentence to the session's log. */
  notify(sentence: string): void
  /** Absent: every request is declined at once, so that an unattended turn never waits. */
  ask: Ask | undefined
}

/** Answers codex's requests in the middle of a turn. */
export function requestAnswerer({ notify, ask }: Answering) {
  const paths = new Map<string, string>()
  return {
    answer: async (method: string, params: unknown): Promise<unknown> => {
      const kind = kinds[method]
      if (!kind) throw new Error(`Yardmaster does not answer ${method}.`)
      const request = Request.parse(params ?? {})
      if (ask) return kind.ask(request, ask, paths.get(request.itemId ?? '') ?? '')
      const notice = kind.notice(request)
      if (notice !== undefined) notify(notice)
      return kind.unasked(request)
    },
    /** A request to change files names only its item, which was announced before. */
    itemStarted: (params: unknown): void => {
      const { data } = FileChange.safeParse(params)
      if (data) paths.set(data.item.id, data.item.changes.map(({ path }) => path).join(', '))
    },
  }
}

type Kind = {
  /** What happens when no person is asked. */
  notice(request: Request): string | undefined
  unasked(request: Request): unknown
  ask(request: Request, ask: Ask, paths: string): Promise<unknown>
}

const kinds: Record<string, Kind> = {
  'item/commandExecution/requestApproval': {
    notice: () => 'Codex asked for permission to run a command. Yardmaster declined.',
    unasked: () => ({ decision: 'decline' }),
    ask: async ({ command, reason }, ask) => ({
      decision: (await isGranted(ask, `May Codex run this command? ${command ?? ''}`, 'shell', reason))
        ? 'accept'
        : 'decline',
    }),
  },
  'item/fileChange/requestApproval': {
    notice: () => 'Codex asked for permission to change a file. Yardmaster declined.',
    unasked: () => ({ decision: 'decline' }),
    ask: async ({ reason }, ask, paths) => ({
      decision: (await isGranted(ask, `May Codex change files? ${paths}`, 'apply_patch', reason))
        ? 'accept'
        : 'decline',
    }),
  },
  'item/permissions/requestApproval': {
    notice: () => 'Codex asked for further permissions. Yardmaster declined.',
    unasked: () => ({ permissions: {}, scope: 'turn' }),
    ask: async ({ permissions, reason }, ask) => {
      const message = `May Codex have further permissions for this turn? ${JSON.stringify(permissions ?? {})}`
      const isAllowed = await isGranted(ask, message, 'permissions', reason)
      return { permissions: isAllowed ? (permissions ?? {}) : {}, scope: 'turn' }
    },
  },
  'item/tool/requestUserInput': {
    notice: () =>
      'Codex asked the user a question in the middle of its turn and got no answer. Answer it with the next prompt.',
    unasked: () => ({ answers: {} }),
    ask: async ({ questions = [] }, ask) => {
      const answer = await ask(formQuestion(questions.map(asField), { toolName: 'request_user_input' }))
      if (answer.action !== 'accept') return { answers: {} }
      const given = questions.map(({ id }) => [id, { answers: [answer.content[id]].flat().map(String) }])
      return { answers: Object.fromEntries(given) }
    },
  },
  'mcpServer/elicitation/request': {
    notice: (request) =>
      isToolCall(request)
        ? undefined
        : `The MCP server ${request.serverName ?? ''} asked for input, which Yardmaster declined: ${request.message ?? ''}`.trim(),
    unasked: (request) => elicited(isToolCall(request) ? { action: 'accept' } : { action: 'decline' }),
    ask: async (request, ask) => {
      const { message = '', serverName, requestedSchema } = request
      const about = { message, toolName: serverName }
      const question: Question =
        isToolCall(request) || !requestedSchema ? permissionQuestion(about) : { ...about, schema: requestedSchema }
      const answer = await ask(question)
      return elicited(answer.action === 'expired' ? { action: 'decline' } : answer)
    },
  },
}

async function isGranted(ask: Ask, message: string, toolName: string, reason: string | null | undefined) {
  const { action } = await ask(permissionQuestion({ message: message.trim(), toolName, context: reason ?? undefined }))
  return action === 'accept'
}

/** Codex asks whether it may call a tool of one of the session's servers. */
function isToolCall({ _meta: meta }: Request): boolean {
  return meta?.codex_approval_kind === 'mcp_tool_call'
}

function elicited(answer: { action: string; content?: unknown }) {
  const content = answer.action === 'accept' ? (answer.content ?? {}) : null
  return { action: answer.action, content, _meta: null }
}

function asField({ id, header, question, options }: z.infer<typeof UserQuestion>): Field {
  return { name: id, title: header, question, choices: options ?? [] }
}

const UserQuestion = z.object({
  id: z.string(),
  header: z.string(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).nullish(),
})

/** The parts of all requests that the driver reads. */
const Request = z.object({
  itemId: z.string().optional(),
  command: z.string().nullish(),
  reason: z.string().nullish(),
  permissions: z.record(z.string(), z.unknown()).nullish(),
  questions: z.array(UserQuestion).optional(),
  serverName: z.string().optional(),
  message: z.string().optional(),
  requestedSchema: z.record(z.string(), z.unknown()).nullish(),
  _meta: z.object({ codex_approval_kind: z.string().optional() }).nullish(),
})
type Request = z.infer<typeof Request>

const FileChange = z.object({
  item: z.object({
    type: z.literal('fileChange'),
    id: z.string(),
    changes: z.array(z.object({ path: z.string() })),
  }),
})
