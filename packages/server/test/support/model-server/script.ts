/** What one answer of the model is made of, in the order it is sent. A call is always the last part. */
export type Part =
  | { kind: 'think' | 'say'; text: string }
  | { kind: 'long'; text: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'call'; call: Call }

export type Call =
  | { kind: 'shell'; command: string }
  | { kind: 'subagent'; prompt: string }
  | { kind: 'tool'; name: string; input: Record<string, unknown> }

/** An HTTP status, or the vendor's own way to say that the conversation has outgrown the model. */
export type Failure = number | 'too_long'

export type TokenUsage = { input: number; output: number; cacheRead: number; cacheWrite: number }

export type Answer = {
  parts: Part[]
  usage: TokenUsage
  /** Before it is given, requests for it fail in this way, so many times. */
  failure?: { how: Failure; times: number }
}

/** Different numbers in every field, so that a test notices when two are mixed up. */
export const defaultUsage: TokenUsage = { input: 100, output: 20, cacheRead: 30, cacheWrite: 10 }

/**
 * The answers a prompt asks for. An agent calls the model again only after a tool call, so that a line which calls a
 * tool ends an answer and the lines behind it make the next one; an answer without a call ends the agent's turn.
 */
export function parseScript(prompt: string): Answer[] {
  const answers: Answer[] = [emptyAnswer()]
  for (const line of prompt.split('\n').map((text) => text.trim())) {
    const answer = answers.at(-1)
    if (line === '' || !answer) continue
    addLine(answer, line)
    if (answer.parts.at(-1)?.kind === 'call') answers.push(emptyAnswer())
  }
  const last = answers.at(-1)
  if (last && !last.parts.some(({ kind }) => kind !== 'wait')) last.parts.push({ kind: 'say', text: 'Done.' })
  return answers
}

function emptyAnswer(): Answer {
  return { parts: [], usage: defaultUsage }
}

function addLine(answer: Answer, line: string): void {
  const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? []
  const add = verbs[verb]
  if (!add?.(answer, rest)) addText(answer, 'say', `You said: ${line}`)
}

/** Each takes what stands behind its word, and says whether it could make sense of it. */
const verbs: Record<string, (answer: Answer, rest: string) => boolean> = {
  say: (answer, text) => addText(answer, 'say', text),
  think: (answer, text) => addText(answer, 'think', text),
  run: (answer, command) => command !== '' && addPart(answer, { kind: 'call', call: { kind: 'shell', command } }),
  subagent: (answer, text) => {
    const prompt = text.replaceAll('\\n', '\n')
    return prompt !== '' && addPart(answer, { kind: 'call', call: { kind: 'subagent', prompt } })
  },
  tool: (answer, rest) => {
    const [, name, json] = /^(\S+)\s*(\{.*\})?$/s.exec(rest) ?? []
    const input = readInput(json ?? '{}')
    if (name === undefined || input === undefined) return false
    return addPart(answer, { kind: 'call', call: { kind: 'tool', name, input } })
  },
  wait: (answer, rest) => {
    const seconds = Number(rest)
    return rest !== '' && seconds >= 0 && addPart(answer, { kind: 'wait', seconds })
  },
  long: (answer, rest) => {
    return /^[1-9]\d*$/.test(rest) && addPart(answer, { kind: 'long', text: longText(Number(rest)) })
  },
  fail: (answer, rest) => {
    const [, how, times] = /^([45]\d\d|too_long)(?:\s+(\d+))?$/.exec(rest) ?? []
    if (how === undefined) return false
    answer.failure = {
      how: how === 'too_long' ? how : Number(how),
      times: times === undefined ? Number.POSITIVE_INFINITY : Number(times),
    }
    return true
  },
  usage: (answer, rest) => {
    if (!/^\d+ \d+( \d+ \d+)?$/.test(rest)) return false
    const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = rest.split(' ').map(Number)
    answer.usage = { input, output, cacheRead, cacheWrite }
    return true
  },
}

function addPart(answer: Answer, part: Part): true {
  answer.parts.push(part)
  return true
}

/** Lines of one kind that follow each other are one text. */
function addText(answer: Answer, kind: 'say' | 'think', text: string): true {
  const before = answer.parts.at(-1)
  if (before?.kind !== kind) return addPart(answer, { kind, text })
  before.text += `\n${text}`
  return true
}

function readInput(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Exactly so many characters, numbered so that a piece that is lost or doubled shows. */
function longText(length: number): string {
  let text = ''
  for (let count = 1; text.length < length; count += 1) text += `${count} `
  return text.slice(0, length)
}
