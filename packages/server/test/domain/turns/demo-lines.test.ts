import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, sampleRepository, testApp } from '../../support/app/app.ts'
import { sharedFolder } from '../../support/files/shared-folder.ts'
import { atRest, entriesOf, startDemo, textOf } from '../../support/sessions/demo-session.ts'

const app = testApp()

let folder: string
let git_root: string
beforeAll(async () => {
  folder = await sharedFolder()
  git_root = await sampleRepository(join(folder, 'repository'), { 'README.md': 'hello\n', 'docs/guide.md': 'guide\n' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the lines to their end. Returns the session, the entries after the prompt, the clone and the rendered text. */
async function play(lines: string[], more: { subdirectory?: string } = {}) {
  const { id } = await startDemo(app, { git_root, lines, ...more })
  const session = await atRest(app, id)
  const [prompt, ...entries] = await entriesOf(app, id)
  expect(prompt).toMatchObject({ type: 'user', message: { role: 'user', content: lines.join('\n') } })
  return { session, entries, clone: session.metadata.clone_path as string, text: await textOf(app, id) }
}

function blocksOf(entries: Answer['body'][]): Answer['body'][] {
  return entries.flatMap(({ message }) => message.content)
}

describe.concurrent('the demo agent', () => {
  test('`say` writes a text block and `think` a thinking block', async () => {
    const { session, entries, text } = await play(['say Good morning', 'think Is it?'])
    expect(session.status).toBe('needs_input')
    expect(blocksOf(entries)).toEqual([
      { type: 'text', text: 'Good morning' },
      { type: 'thinking', thinking: 'Is it?' },
    ])
    expect(text).toContain('--- Assistant ---\nGood morning\n')
    expect(text).toContain('--- Assistant ---\n[thinking] Is it?\n')
  })

  test('`run` runs a command in the clone and records its output; a failing command does not end the turn', async () => {
    const { session, entries } = await play(['run pwd; cat README.md', 'run echo oops >&2; exit 3', 'say still here'])
    expect(session.status).toBe('needs_input')
    const [use, result, failing, failure, last] = blocksOf(entries)
    expect(use).toMatchObject({ type: 'tool_use', name: 'run', input: { command: 'pwd; cat README.md' } })
    expect(result).toMatchObject({ tool_use_id: use.id, is_error: false })
    expect(result.content).toBe(`${session.metadata.clone_path}\nhello\n`)
    expect(failure).toMatchObject({ tool_use_id: failing.id, content: 'oops\n', is_error: true })
    expect(last).toEqual({ type: 'text', text: 'still here' })
  })

  test('`run` decodes a character whose bytes arrive in two chunks', async () => {
    const { entries } = await play([`run printf '\\303'; sleep 0.2; printf '\\251'`])
    expect(blocksOf(entries)[1].content).toBe('é')
  })

  test('`write` writes into the clone and creates missing folders', async () => {
    const { session, clone } = await play(['write notes/today.md Buy milk', 'write README.md replaced'])
    expect(session.status).toBe('needs_input')
    expect(await readFile(join(clone, 'notes/today.md'), 'utf8')).toBe('Buy milk\n')
    expect(await readFile(join(clone, 'README.md'), 'utf8')).toBe('replaced\n')
  })

  test.each([
    ['through a parent path', 'write ../escaped out', []],
    ['through an absolute path', () => `write ${folder}/escaped out`, []],
    ['through a symbolic link', 'write way/escaped out', [() => `run ln -s ${folder} way`]],
  ])('`write` refuses to leave the working directory %s', async (_how, line, before) => {
    const lines = [...before, line].map((one) => (typeof one === 'function' ? one() : one))
    const { session, clone } = await play(lines)
    expect(session).toMatchObject({ status: 'failed', metadata: { failure_reason: 'agent_error' } })
    expect(session.metadata.exit_status).toMatch(/^The demo agent writes only below its working directory, not to /)
    for (const place of [join(clone, '..'), folder]) expect(await readdir(place)).not.toContain('escaped')
  })

  test('`sleep` waits for the given number of seconds', async () => {
    const { entries } = await play(['say before', 'sleep 0.4', 'say after'])
    const [before, after] = entries.map(({ timestamp }) => Date.parse(timestamp))
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(390)
  })

  test('`usage` reports token counts as a model call does', async () => {
    const { entries } = await play(['usage 1200 34'])
    expect(entries).toMatchObject([
      {
        type: 'assistant',
        requestId: expect.any(String),
        message: { usage: { input_tokens: 1200, output_tokens: 34 } },
      },
    ])
  })

  test('`spawn` has a subagent run the rest of the line in its own thread', async () => {
    const { session, entries } = await play(['spawn run echo from below'])
    expect(session.status).toBe('needs_input')
    const [use, result] = blocksOf(entries)
    expect(use).toMatchObject({ name: 'spawn', input: { prompt: 'run echo from below' } })
    expect(result).toMatchObject({ tool_use_id: use.id, content: `${use.input.agent_id} is done.` })

    const { rows } = await app.pool.query(
      `select line from transcript_entries where session_id = $1 and thread = $2 order by sequence`,
      [session.id, use.input.agent_id],
    )
    const thread = rows.map(({ line }) => JSON.parse(line))
    expect(thread[0]).toMatchObject({ isSidechain: true, agentId: use.input.agent_id })
    expect(thread[2].message.content[0].content).toBe('from below\n')
  })

  test('`fail` fails the session with the text of the line', async () => {
    const { session, entries } = await play(['say trying', 'fail No more coal', 'say never said'])
    expect(session).toMatchObject({
      status: 'failed',
      running_job_id: null,
      metadata: { failure_reason: 'agent_error', exit_status: 'No more coal' },
    })
    expect(blocksOf(entries)).toEqual([{ type: 'text', text: 'trying' }])
  })

  test('the demo agent repeats any other line, including names of built-in properties', async () => {
    const { entries } = await play(['Hello there', 'constructor', '', '__proto__ x'])
    expect(blocksOf(entries).map(({ text }) => text)).toEqual([
      'You said: Hello there',
      'You said: constructor',
      'You said: __proto__ x',
    ])
  })

  test('the demo agent works in the subdirectory of the session', async () => {
    const { session, clone } = await play(['run ls', 'write made.txt here'], { subdirectory: 'docs' })
    expect(session.metadata.working_directory).toBe(join(clone, 'docs'))
    expect((await stat(join(clone, 'docs/made.txt'))).isFile()).toBe(true)
  })
})
