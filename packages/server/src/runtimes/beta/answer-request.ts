import { z } from 'zod'
import { type Ask, elicitedQuestion, type Field, formQuestion, permissionQuestion } from '../question.ts'

type Answering = {
  /** Writes a sentence to the session's log. */
  notify(sentence: string): void
  /** Absent: every request is declined at once, so that an unattended turn never waits. */
  ask: Ask | undefined
}

/** Answers codex's requests in the middle of a turn. */
export function requestAnswerer({ notify, ask }: Answering) {
  const items = new Map<string, Item>()
  return {
    answer: async (method: string, params: unknown): Promise<unknown> => {
      const kind = kinds[method]
      if (!kind) throw new Error(`Yardmaster does not answer ${method}.`)
      const request = Request.parse(params ?? {})
      if (ask) return kind.ask(request, ask, items.get(request.itemId ?? ''))
      const notice = kind.notice(request)
      if (notice !== undefined) notify(notice)
      return kind.unasked(request)
    },
    /** A request may name only its item, which was announced before. */
    itemStarted: (params: unknown): void => {
      const { data } = ItemStarted.safeParse(params)
      if (data) items.set(data.item.id, data.item)
    },
  }
}

type Kind = {
  /** What happens when no person is asked. */
  notice(request: Request): string | undefined
  unasked(request: Request): unknown
  ask(request: Request, ask: Ask, item: Item | undefined): Promise<unknown>
}

const kinds: Record<string, Kind> = {
  'item/commandExecution/requestApproval': {
    notice: () => 'Codex asked for permission to run a command. Yardmaster declined.',
    unasked: () => ({ decision: 'decline' }),
    ask: async (request, ask, item) => {
      const input =
        item?.type === 'commandExecution' ? { ...grantedBy(request), ...shownOf(item, request) } : grantedBy(request)
      const message = `May Codex run this command? ${commandInWords(input)}`
      return { decision: (await isGranted(ask, request, { message, toolName: 'shell', input })) ? 'accept' : 'decline' }
    },
  },
  'item/fileChange/requestApproval': {
    notice: () => 'Codex asked for permission to change a file. Yardmaster declined.',
    unasked: () => ({ decision: 'decline' }),
    ask: async (request, ask, item) => {
      const changes = item?.type === 'fileChange' ? item.changes : []
      const input = { ...grantedBy(request), changes }
      const paths = changes.map(({ path }) => path).join(', ')
      const diffs = changes.flatMap(({ path, diff }) => (diff ? `--- ${path}\n${diff}` : []))
      const message = `May Codex change files? ${[paths || JSON.stringify(input), ...diffs].join('\n')}`
      const isAllowed = await isGranted(ask, request, { message, toolName: 'apply_patch', input })
      return { decision: isAllowed ? 'accept' : 'decline' }
    },
  },
  'item/permissions/requestApproval': {
    notice: () => 'Codex asked for further permissions. Yardmaster declined.',
    unasked: () => ({ permissions: {}, scope: 'turn' }),
    ask: async (request, ask) => {
      const { permissions } = request
      const message = `May Codex have further permissions for this turn? ${JSON.stringify(permissions ?? {})}`
      const isAllowed = await isGranted(ask, request, { message, toolName: 'permissions', input: permissions ?? {} })
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
      const { message = '', serverName, requestedSchema, mode, url } = request
      const about = { message, toolName: serverName }
      const question =
        isToolCall(request) || !requestedSchema
          ? permissionQuestion({ ...about, input: request })
          : { ...about, schema: requestedSchema }
      const answer = await ask(elicitedQuestion({ ...question, url: mode === 'url' ? (url ?? '') : undefined }))
      return elicited(answer.action === 'expired' ? { action: 'decline' } : answer)
    },
  },
}

type Permission = { message: string; toolName: string; input: unknown }

async function isGranted(ask: Ask, { reason }: Request, permission: Permission): Promise<boolean> {
  const { action } = await ask(permissionQuestion({ ...permission, context: reason ?? undefined }))
  return action === 'accept'
}

/** All of a request but the ids and the reason, which is shown by itself. */
function grantedBy({ threadId, turnId, itemId, reason, ...granted }: Request): Record<string, unknown> {
  return granted
}

/** What the request leaves out and its item has. */
function shownOf({ command, cwd }: { command?: string | undefined; cwd?: string | undefined }, request: Request) {
  return { command: request.command ?? command, cwd: request.cwd ?? cwd }
}

/** The command first, then everything else. A request about the network has no command. */
function commandInWords({ command, cwd, ...rest }: Record<string, unknown>): string {
  const others = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  return [
    typeof command === 'string' && command !== '' ? command : [],
    typeof cwd === 'string' ? `in ${cwd}` : [],
    others.length > 0 || !command ? `With ${JSON.stringify(Object.fromEntries(others))}` : [],
  ]
    .flat()
    .join('\n')
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

/** The parts of all requests that the driver reads. The others are shown to the person who decides. */
const Request = z.looseObject({
  threadId: z.unknown().optional(),
  turnId: z.unknown().optional(),
  itemId: z.string().optional(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  reason: z.string().nullish(),
  permissions: z.record(z.string(), z.unknown()).nullish(),
  questions: z.array(UserQuestion).optional(),
  serverName: z.string().optional(),
  message: z.string().optional(),
  mode: z.string().nullish(),
  url: z.string().nullish(),
  requestedSchema: z.record(z.string(), z.unknown()).nullish(),
  _meta: z.looseObject({ codex_approval_kind: z.string().optional() }).nullish(),
})
type Request = z.infer<typeof Request>

const ItemStarted = z.object({
  item: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('fileChange'),
      id: z.string(),
      changes: z.array(z.looseObject({ path: z.string(), diff: z.string().optional().catch(undefined) })),
    }),
    z.object({
      type: z.literal('commandExecution'),
      id: z.string(),
      command: z.string().optional().catch(undefined),
      cwd: z.string().optional().catch(undefined),
    }),
  ]),
})
type Item = z.infer<typeof ItemStarted>['item']
