import { describe, expect, test } from 'vitest'
import { refreshTranscript } from '../../../src/domain/lifecycle/refresh.ts'
import { testApp } from '../../support/app/app.ts'
import { agentGate } from '../../support/sessions/agent-gate.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { entriesOf } from '../../support/sessions/demo-session.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { create, rested, say, queue, logs, reaches, turns } = sessionHelpers(app)

/** Commands for the agent, which put something else in the place of a transcript. */
const obstacles: [what: string, command: (path: string) => string, problem: string][] = [
  ['a pipe', (path) => `mkfifo ${path}`, 'is not a regular file'],
  ['a folder', (path) => `mkdir ${path}`, 'is not a regular file'],
  ['a link to a device', (path) => `ln -s /dev/zero ${path}`, 'is a link'],
  ['a link to a file elsewhere', (path) => `ln -s /etc/passwd ${path}`, 'is a link'],
  ['a file of 50 GB', (path) => `truncate -s 50G ${path}`, 'has 53687091200 bytes; at most 1073741824 are read'],
]

describe("an agent that puts something else in the place of a subagent's transcript", () => {
  test.each(obstacles)('%s: the turn ends, and the log says once what is not read', async (_what, command, problem) => {
    const id = await create(`run ${command('$HOME/transcripts/agent-1.jsonl')}\nrun sleep 1\nsay done`)
    expect((await reaches(id, 'needs_input', 'failed')).status).toBe('needs_input')
    expect(JSON.stringify(await entriesOf(app, id))).toContain('done')
    const sentence = `A subagent's transcript is not read: transcripts/agent-1.jsonl ${problem}.`
    expect((await logs(id)).filter((line) => line === sentence)).toHaveLength(1)
    expect((await refreshTranscript(app.host.app, { id })).appended).toBe(0)
  })
})

describe('an agent that puts something else in the place of its own transcript', () => {
  test.each(obstacles)(
    '%s: the log says so, and the next turn continues the conversation',
    async (_what, command, problem) => {
      const id = await rested()
      const before = await entriesOf(app, id)
      const own = '$(ls $HOME/transcripts/*.jsonl)'
      // The agent itself cannot write to such a transcript, so it ends here.
      await say(id, `run f=${own}; rm -r $f; ${command('$f')}; kill -9 $PPID`)
      await queue(id, 'say after')
      await reaches(id, 'needs_input')
      await eventually(
        () => entriesOf(app, id),
        (entries) => JSON.stringify(entries.at(-1)).includes('after'),
      )
      expect((await entriesOf(app, id)).slice(0, before.length)).toEqual(before)
      expect((await logs(id)).filter((line) => line.startsWith("The agent's transcript is not read"))).toEqual([
        expect.stringContaining(problem),
      ])
      expect((await turns(id)).map(({ prompt }) => prompt)).toEqual(expect.arrayContaining(['say after']))
    },
  )

  test('a transcript folder that leads elsewhere: the turn ends, and the log says so', async () => {
    const id = await create('run mv $HOME/transcripts $HOME/moved; ln -s /tmp $HOME/transcripts; kill -9 $PPID')
    await reaches(id, 'failed', 'needs_input')
    expect(await logs(id)).toContain("The agent's transcript is not read: transcripts is not a folder.")
  })
})

describe('an agent that is killed while it writes a line', () => {
  test('an agent that is killed while it writes a line leaves a torn_entry, and the next prompt has a line of its own', async () => {
    const gate = agentGate(app.shared)
    const id = await create(
      `${gate.line}\nrun printf %s '{"type":"assistant","mess' >> $(ls $HOME/transcripts/*.jsonl); kill -9 $PPID`,
    )
    await reaches(id, 'running')
    await queue(id, 'say after')
    await gate.open()
    await reaches(id, 'needs_input')
    const entries = await entriesOf(app, id)
    const torn = entries.findIndex(({ type }) => type === 'torn_entry')
    expect(entries[torn]).toEqual({ type: 'torn_entry', bytes: 25, head: '{"type":"assistant","mess' })
    expect(entries[torn + 1]).toMatchObject({ type: 'user', message: { content: 'say after' } })
  })
})
