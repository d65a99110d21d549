import { mkdir, mkdtemp, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { transcriptFiles } from '../../../src/runtimes/alpha/transcript-files.ts'
import { writeTranscript } from '../../../src/runtimes/alpha/write-transcript.ts'
import type { Conversation } from '../../../src/runtimes/runtime.ts'

let conversation: Conversation & { id: string }

beforeEach(async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-alpha-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  conversation = { id: 'new-id', home: join(folder, 'home'), workingDirectory: join(folder, 'a.b clone') }
  await mkdir(conversation.workingDirectory)
})

/** A chain of entries: the parent of each is the one before it. */
const chain = (...entries: Record<string, unknown>[]): Record<string, unknown>[] =>
  entries.map((entry, index) => ({
    ...{ parentUuid: index === 0 ? null : `e${index - 1}`, uuid: `e${index}`, isSidechain: false },
    ...{ sessionId: 'old-id', cwd: '/old/clone' },
    ...entry,
  }))
const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
const block = (id: string, content: unknown) => ({
  type: 'assistant',
  message: { id, role: 'assistant', content: [content] },
})
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} })
const outcome = (id: string) => user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }])

describe('writeTranscript', () => {
  test('writeTranscript writes only entries, for the new conversation and folder', async () => {
    const entries = chain(user('One'), block('m1', { type: 'text', text: 'Answer' }))
    const written = await write([
      { type: 'queue-operation' },
      ...entries,
      '{"broken',
      { type: 'mode', sessionId: 'old-id' },
    ])
    expect(written.conversationId).toBe('new-id')
    const { workingDirectory: cwd } = conversation
    expect(await read(written.path)).toEqual(entries.map((entry) => ({ ...entry, sessionId: 'new-id', cwd })))
    expect(dirname(written.path)).toBe(join(conversation.home, 'claude', 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-')))
    expect(await transcriptFiles(conversation)).toEqual([{ thread: 'main', path: written.path }])
  })

  test("writeTranscript replaces the old folder in the CLI's attachments and not in messages", async () => {
    const text = 'In /old/clone/src, not in /old/clone-2'
    const entries = chain(user(text), { type: 'attachment', attachment: { type: 'environment', text } })
    const [said, described] = await read((await write(entries)).path)
    expect(said?.message).toMatchObject({ content: text })
    const { workingDirectory } = conversation
    expect(described?.attachment).toMatchObject({ text: `In ${workingDirectory}/src, not in /old/clone-2` })
  })

  test('writeTranscript cuts off an open call with the whole message that made it', async () => {
    const thought = block('m2', { type: 'thinking', thinking: 'Hm' })
    const entries = chain(user('One'), block('m1', call('a')), outcome('a'), thought, block('m2', call('b')))
    expect(await uuidsOf(entries)).toEqual(['e0', 'e1', 'e2'])
  })

  test('writeTranscript cuts off parallel calls if one of them is open', async () => {
    const entries = chain(user('One'), block('m1', call('a')), block('m1', call('b')), {
      ...outcome('a'),
      parentUuid: 'e1',
    })
    expect(await uuidsOf(entries)).toEqual(['e0'])
    const answered = { ...outcome('b'), parentUuid: 'e2' }
    expect(await uuidsOf(chain(...entries, answered))).toHaveLength(5)
  })

  test('writeTranscript keeps the entries after an earlier open call', async () => {
    const [first, ...later] = chain(
      user('One'),
      block('m1', call('a')),
      user('Two'),
      block('m2', { type: 'text', text: 'x' }),
    )
    const passedBy = later.map((entry) => (entry.uuid === 'e2' ? { ...entry, parentUuid: 'e0' } : entry))
    expect(await uuidsOf([first, ...passedBy])).toEqual(['e0', 'e1', 'e2', 'e3'])
  })

  test('writeTranscript accepts no entries, and entries whose parents form a cycle', async () => {
    expect(await uuidsOf(chain(block('m1', call('a'))))).toEqual([])
    expect(
      await uuidsOf([
        { ...user('x'), uuid: 'a', parentUuid: 'b' },
        { ...user('y'), uuid: 'b', parentUuid: 'a' },
      ]),
    ).toEqual(['a', 'b'])
  })

  test('writeTranscript replaces a transcript in another folder', async () => {
    const elsewhere = join(conversation.home, 'claude', 'projects', '-elsewhere', 'new-id.jsonl')
    await mkdir(dirname(elsewhere), { recursive: true })
    await writeFile(elsewhere, '{}\n')
    await utimes(elsewhere, 4_000_000_000, 4_000_000_000)
    const { path } = await write(chain(user('One')))
    expect(await transcriptFiles(conversation)).toEqual([{ thread: 'main', path }])
    await expect(readFile(elsewhere)).rejects.toThrow('ENOENT')
  })
})

describe('transcriptFiles', () => {
  test("transcriptFiles returns the conversation's file and those of its subagents with their facts", async () => {
    const { path } = await write(chain(user('One')))
    const folder = join(dirname(path), 'new-id', 'subagents')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'agent-a1.jsonl'), '')
    await writeFile(join(folder, 'agent-a1.meta.json'), '{"agentType":"Plan","description":"Plans","toolUseId":"t1"}')
    await writeFile(join(folder, 'agent-b2.jsonl'), '')
    await writeFile(join(dirname(path), 'another-id.jsonl'), '')
    const found = await transcriptFiles(conversation)
    expect(found.sort((a, b) => a.thread.localeCompare(b.thread))).toEqual([
      {
        ...{ thread: 'agent-a1', path: join(folder, 'agent-a1.jsonl') },
        subagent: { subagent_type: 'Plan', description: 'Plans', tool_use_id: 't1' },
      },
      { thread: 'agent-b2', path: join(folder, 'agent-b2.jsonl') },
      { thread: 'main', path },
    ])
  })

  test('transcriptFiles returns nothing before the first turn', async () => {
    expect(await transcriptFiles(conversation)).toEqual([])
    expect(await transcriptFiles({ ...conversation, id: undefined })).toEqual([])
  })
})

async function uuidsOf(entries: readonly unknown[]): Promise<unknown[]> {
  return (await read((await write(entries)).path)).map(({ uuid }) => uuid)
}

function write(entries: readonly unknown[]) {
  async function* lines() {
    for (const entry of entries) yield typeof entry === 'string' ? entry : JSON.stringify(entry)
  }
  return writeTranscript(conversation, lines())
}

async function read(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
