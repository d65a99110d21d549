import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { isInside } from '../../platform/contained-path.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { analysisOf } from './analyze.ts'
import { elicit } from './elicit.ts'
import type { DemoNotice, DemoRequest, DemoServer } from './protocol.ts'
import { type Entry, readConversation, readTranscript, summaryOf } from './summarize.ts'

/**
 * The demo agent. Executes its prompt line by line in its working directory, writes its transcript to
 * `<folder>/<conversation>.jsonl`, and reports each new entry and the end of the turn on standard output.
 */
const [conversationId = '', folder = ''] = process.argv.slice(2)
const interruption = new AbortController()

class Failure extends Error {}

type Block = Record<string, unknown>

/** The commands that a line may begin with. The agent echoes every other line. */
const commands: Record<string, (rest: string, transcript: string) => Promise<void> | void> = {
  say: (text, transcript) => assistant(transcript, [{ type: 'text', text }]),
  think: (thinking, transcript) => assistant(transcript, [{ type: 'thinking', thinking }]),
  run: runCommand,
  write: writeTo,
  sleep: async (seconds) => void (await wait(Number(seconds) * 1000 || 0, undefined, { signal: interruption.signal })),
  usage: reportUsage,
  spawn: spawnSubagent,
  tool: callTool,
  ask: askPerson,
  fail: (message) => {
    throw new Failure(message || 'The demo agent was told to fail.')
  },
}

/** The commands that act on something besides the transcript. */
const tools = ['run', 'write', 'spawn', 'tool', 'ask']
let hasNoTools = false
let asksFirst = false
/** Permissions that it waits for, by the id of the question. */
const waiting = new Map<string, (isGranted: boolean) => void>()
let servers: readonly DemoServer[] = []

async function execute(prompt: string): Promise<void> {
  const transcript = join(folder, `${conversationId}.jsonl`)
  append(transcript, { type: 'user', message: { role: 'user', content: prompt } })
  const lines = prompt.split('\n').filter((text) => text.trim() !== '')
  for (const [index, line] of lines.entries()) {
    interruption.signal.throwIfAborted()
    // The remaining lines are the conversation to summarize or to analyze, not commands.
    if (/^summarize\b/.test(line)) return summarize(lines.slice(index + 1).join('\n'), transcript)
    if (/^analyze the outcomes\b/.test(line)) return analyze(lines.slice(index + 1).join('\n'), transcript)
    await executeLine(line, transcript)
  }
  // An interrupt may have cut the last line short too.
  interruption.signal.throwIfAborted()
}

/** Summarizes the given conversation, or without one its own transcript, except this request. */
async function summarize(conversation: string, transcript: string): Promise<void> {
  const entries =
    conversation === ''
      ? readTranscript(await readFile(transcript, 'utf8')).slice(0, -1)
      : readConversation(conversation)
  answer(entries, summaryOf(entries), transcript)
}

function analyze(conversation: string, transcript: string): void {
  const entries = readConversation(conversation)
  answer(entries, analysisOf(entries), transcript)
}

/** Counts a word as a token, so that the answer has a cost without a model. */
function answer(entries: readonly Entry[], text: string, transcript: string): void {
  const usage = {
    input_tokens: countWords(entries.map((entry) => entry.text).join(' ')),
    output_tokens: countWords(text),
  }
  append(transcript, {
    type: 'assistant',
    requestId: `req_${randomUUID()}`,
    message: { role: 'assistant', model: 'demo', content: [{ type: 'text', text }], usage },
  })
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}

async function executeLine(line: string, transcript: string): Promise<void> {
  const [word = '', ...rest] = line.trim().split(' ')
  const isQuestionless = word === 'ask' && rest.join('').trim() === ''
  const isKnown = Object.hasOwn(commands, word) && !(hasNoTools && tools.includes(word)) && !isQuestionless
  const command = isKnown ? commands[word] : undefined
  const needsPermission = asksFirst && word !== 'ask' && tools.includes(word)
  if (command && needsPermission && !(await isPermitted(line)))
    assistant(transcript, [{ type: 'text', text: `I may not: ${line}` }])
  else if (command) await command(rest.join(' '), transcript)
  else assistant(transcript, [{ type: 'text', text: `You said: ${line}` }])
}

async function isPermitted(line: string): Promise<boolean> {
  const id = randomUUID()
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    interruption.signal.addEventListener('abort', () => resolve(false))
    notify({ type: 'question', id, line })
  })
}

async function runCommand(command: string, transcript: string): Promise<void> {
  const toolUseId = `toolu_${randomUUID()}`
  assistant(transcript, [{ type: 'tool_use', id: toolUseId, name: 'run', input: { command } }])
  const { output, isError } = await shell(command)
  toolResult(transcript, { id: toolUseId, content: output, isError })
}

/** Calls a tool of the session's MCP servers, the first of them that has it: `tool NAME JSON`. */
async function callTool(rest: string, transcript: string): Promise<void> {
  const [, name = '', written = ''] = /^(\S+)\s*(.*)$/.exec(rest) ?? []
  const toolUseId = `toolu_${randomUUID()}`
  let input: unknown
  try {
    input = written === '' ? {} : JSON.parse(written)
  } catch {
    throw new Failure(`The arguments of tool ${name} are not valid JSON.`)
  }
  assistant(transcript, [{ type: 'tool_use', id: toolUseId, name, input }])
  const { text, isError } = await askServers(name, input)
  toolResult(transcript, { id: toolUseId, content: text, isError })
}

/** Asks a person as an MCP server would, and waits for the answer. */
async function askPerson(question: string, transcript: string): Promise<void> {
  const toolUseId = `toolu_${randomUUID()}`
  assistant(transcript, [{ type: 'tool_use', id: toolUseId, name: 'ask', input: { question } }])
  const { action, content } = await elicit(question, interruption.signal)
  const text = action === 'accept' ? `Answer: ${content?.answer ?? ''}` : `No answer: ${action}`
  toolResult(transcript, { id: toolUseId, content: text, isError: action !== 'accept' })
  assistant(transcript, [{ type: 'text', text }])
}

type ToolReply = { result?: { content?: { text?: string }[]; isError?: boolean }; error?: { message?: string } }

async function askServers(name: string, input: unknown): Promise<{ text: string; isError: boolean }> {
  let problem = 'The session has no MCP server over HTTP.'
  for (const { url, headers } of servers) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
      signal: interruption.signal,
    })
    const { result, error } = (await response.json()) as ToolReply // as the protocol defines it
    if (result) {
      const text = (result.content ?? []).map((part) => part.text ?? '').join('\n')
      return { text, isError: result.isError === true }
    }
    problem = error?.message ?? `The server answered ${response.status}.`
  }
  return { text: problem, isError: true }
}

/** Keeps only the last part of a command's output. */
const maxOutputCharacters = 64 * 1024

function shell(command: string): Promise<{ output: string; isError: boolean }> {
  return new Promise((finish) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], signal: interruption.signal })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-maxOutputCharacters)
      })
    }
    child.on('error', (error) => finish({ output: error.message, isError: true }))
    child.on('close', (code) => finish({ output, isError: code !== 0 }))
  })
}

async function writeTo(rest: string, transcript: string): Promise<void> {
  const [path = '', ...words] = rest.split(' ')
  if (path === '') throw new Failure('write needs a path')
  const target = await realPath(resolve(path))
  if (!isInside(process.cwd(), target))
    throw new Failure(`The demo agent writes only below its working directory, not to ${path}`)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, `${words.join(' ')}\n`)
  assistant(transcript, [{ type: 'tool_use', id: `toolu_${randomUUID()}`, name: 'write', input: { path } }])
}

/** Resolves links. For a path that does not exist yet, resolves its folder. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
    return join(await realPath(dirname(path)), basename(path))
  }
}

function reportUsage(rest: string, transcript: string): void {
  const [input = 0, output = 0] = rest.split(' ').map((figure) => Number(figure) || 0)
  append(transcript, {
    type: 'assistant',
    requestId: `req_${randomUUID()}`,
    message: {
      role: 'assistant',
      model: 'demo',
      content: [{ type: 'text', text: `Used ${input} input and ${output} output tokens.` }],
      usage: { input_tokens: input, output_tokens: output },
    },
  })
}

/** Runs a subagent, which executes one line and has a transcript of its own. */
async function spawnSubagent(line: string, transcript: string): Promise<void> {
  const agentId = `agent-${randomUUID().slice(0, 8)}`
  const toolUseId = `toolu_${randomUUID()}`
  assistant(transcript, [
    { type: 'tool_use', id: toolUseId, name: 'spawn', input: { agent_id: agentId, prompt: line } },
  ])
  const own = join(folder, `${agentId}.jsonl`)
  const facts = { subagent_type: 'demo', description: line, tool_use_id: toolUseId }
  writeFileSync(join(folder, `${agentId}.json`), JSON.stringify(facts))
  append(own, { type: 'user', isSidechain: true, agentId, message: { role: 'user', content: line } })
  await executeLine(line, own)
  toolResult(transcript, { id: toolUseId, content: `${agentId} is done.`, isError: false })
}

function assistant(transcript: string, content: Block[]): void {
  append(transcript, { type: 'assistant', message: { role: 'assistant', model: 'demo', content } })
}

function toolResult(
  transcript: string,
  { id, content, isError }: { id: string; content: string; isError: boolean },
): void {
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: isError }
  append(transcript, { type: 'user', message: { role: 'user', content: [result] } })
}

function append(transcript: string, entry: Block): void {
  const common = { uuid: randomUUID(), timestamp: new Date().toISOString(), sessionId: conversationId }
  appendFileSync(transcript, `${JSON.stringify({ ...common, ...entry })}\n`)
  notify({ type: 'entry' })
}

function notify(notice: DemoNotice, onWritten?: () => void): void {
  process.stdout.write(`${JSON.stringify(notice)}\n`, onWritten)
}

async function turn(prompt: string): Promise<void> {
  const result = await resultOf(prompt)
  // An exit would drop what a full pipe has not taken yet, and the result is the last of it.
  notify(result, () => process.exit(0))
}

async function resultOf(prompt: string): Promise<Extract<DemoNotice, { type: 'result' }>> {
  try {
    await execute(prompt)
    return { type: 'result', outcome: 'completed', detail: '' }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { type: 'result', outcome: interruption.signal.aborted ? 'interrupted' : 'failed', detail }
  }
}

// The server may have died. Finish the turn anyway; the transcript records it.
process.stdout.on('error', () => undefined)

for await (const line of createInterface({ input: process.stdin })) {
  // Not validated: only the driver writes here, and loading zod would double the start-up time.
  const request = JSON.parse(line) as DemoRequest
  if (request.type === 'interrupt') interruption.abort()
  else if (request.type === 'answer') waiting.get(request.id)?.(request.isGranted)
  else {
    hasNoTools = request.hasNoTools
    asksFirst = request.asksFirst
    servers = request.servers
    void turn(request.prompt)
  }
}
