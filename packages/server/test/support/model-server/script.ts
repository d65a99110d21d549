/** The parts of one answer, in order. A call is always the last part. */
export type Part =
  | { kind: 'think' | 'say'; text: string }
  | { kind: 'long'; text: string }
  | { kind: 'wait'; seconds: number }
  | { kind: 'call'; call: Call }

export type Call =
  | { kind: 'shell'; command: string }
  | { kind: 'subagent'; prompt: string }
  | { kind: 'tool'; name: string; input: Record<string, unknown> }

/** An HTTP status, or the vendor's report of an oversized conversation. */
export type Failure = number | 'too_long'

export type TokenUsage = { input: number; output: number; cacheRead: number; cacheWrite: number }

export type Answer = {
  parts: Part[]
  usage: TokenUsage
  /** How often, and how, requests for this answer fail first. */
  failure?: { how: Failure; times: number }
  /** Whether the answer ends because it reaches the limit on output tokens. */
  isCut?: boolean
}

/** Different numbers in every field, so that a test detects swapped fields. */
export const defaultUsage: TokenUsage = { input: 100, output: 20, cacheRead: 30, cacheWrite: 10 }

/**
 * The answers that a prompt scripts. An agent calls the model again only after a tool call, so a line that calls a tool ends an
 * answer, and the lines after it make the next one. An answer without a call ends the agent's turn.
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

/** Each parses the text after its keyword and returns whether it is valid. */
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
  cut: (answer, rest) => {
    if (rest !== '') return false
    answer.isCut = true
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

/** Consecutive lines of one kind are one text. */
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

/** Exactly that many characters, numbered so that a lost or repeated chunk is visible. */
function longText(length: number): string {
  let text = ''
  for (let count = 1; text.length < length; count += 1) text += `${count} `
  return text.slice(0, length)
}
