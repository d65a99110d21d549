import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Host, startHost } from '../../../src/app/compose.ts'
import { readConfig } from '../../../src/app/config.ts'
import { recoveryPrompt } from '../../../src/domain/lifecycle/recovery-prompt.ts'
import { ingest } from '../../../src/domain/transcripts/transcript.ts'
import type { Database } from '../../../src/platform/db/database.ts'
import type { Home } from '../../../src/platform/home/home.ts'
import { type Child, launch } from '../../../src/platform/process/launch.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { mainThread } from '../../../src/runtimes/runtime.ts'
import { client, sampleRepository, testKey } from '../../support/app/app.ts'
import { cloneDatabase } from '../../support/database/database.ts'
import { openPool } from '../../support/database/pool.ts'
import { silentLog } from '../../support/log/silent-log.ts'
import { atRest, entriesOf, startDemo } from '../../support/sessions/demo-session.ts'
import { plainHooks, plainRedactor } from '../../support/sessions/plain-redactor.ts'

const prompt = 'say Once'
const promptEntry = entry({ role: 'user', content: prompt })
const answerEntry = entry({ role: 'assistant', content: [{ type: 'text', text: 'Once' }] })

function entry(message: { role: string; content: unknown }): string {
  return `${JSON.stringify({ uuid: randomUUID(), type: message.role, message })}\n`
}

/**
 * What a host leaves behind when it dies at a certain point of a turn: the row, the agent's transcript, and a process of
 * the agent that outlives it.
 */
type Crash = {
  point: string
  turn: { hasProcess: boolean; isReceived: boolean }
  status: 'waiting' | 'running'
  transcript: string | undefined
  isStored?: boolean
  /** The agent has put a pipe in the place of a subagent's transcript. */
  hasPipe?: boolean
  /** A caller refreshes the session before the host dies. */
  isRefreshed?: boolean
  outcome: 'the prompt is sent again' | 'a recovery turn continues'
}

const crashes: Crash[] = [
  {
    point: 'before the agent is started',
    turn: { hasProcess: false, isReceived: false },
    status: 'waiting',
    transcript: undefined,
    outcome: 'the prompt is sent again',
  },
  {
    point: 'after the agent writes the prompt and before the process is recorded',
    turn: { hasProcess: false, isReceived: false },
    status: 'waiting',
    transcript: promptEntry,
    outcome: 'a recovery turn continues',
  },
  {
    point: 'after the process is recorded and before the agent writes the prompt',
    turn: { hasProcess: true, isReceived: false },
    status: 'running',
    transcript: undefined,
    outcome: 'the prompt is sent again',
  },
  {
    point: 'while the agent writes the line with the prompt',
    turn: { hasProcess: true, isReceived: false },
    status: 'running',
    transcript: promptEntry.slice(0, 40),
    outcome: 'the prompt is sent again',
  },
  {
    point: 'after the agent writes the prompt and before the receipt is recorded',
    turn: { hasProcess: true, isReceived: false },
    status: 'running',
    transcript: promptEntry + answerEntry,
    outcome: 'a recovery turn continues',
  },
  {
    point: "after the agent puts a pipe in the place of a subagent's transcript",
    turn: { hasProcess: true, isReceived: true },
    status: 'running',
    transcript: promptEntry,
    hasPipe: true,
    outcome: 'a recovery turn continues',
  },
  {
    point: 'after a refresh stores the line with the prompt',
    turn: { hasProcess: true, isReceived: false },
    status: 'running',
    transcript: promptEntry,
    isRefreshed: true,
    outcome: 'a recovery turn continues',
  },
  {
    point: 'after the receipt is recorded and before any line is stored',
    turn: { hasProcess: true, isReceived: true },
    status: 'running',
    transcript: promptEntry,
    outcome: 'a recovery turn continues',
  },
  {
    point: 'after every line is stored',
    turn: { hasProcess: true, isReceived: true },
    status: 'running',
    transcript: promptEntry + answerEntry,
    isStored: true,
    outcome: 'a recovery turn continues',
  },
]

describe('a host that crashes and restarts', () => {
  let folder: string
  let host: Host
  let pool: pg.Pool
  let api: ReturnType<typeof client>
  const sessions: { id: number; job_id: string }[] = []
  const agents: Child[] = []
  const toClose: (() => Promise<unknown>)[] = []

  /** One host has all the crashes, then restarts once. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'yardmaster-receipt-'))
    toClose.push(() => rm(folder, { recursive: true, force: true }))
    const git_root = await sampleRepository(join(folder, 'repository'))
    const database = await cloneDatabase()
    toClose.push(database.drop)
    pool = openPool(database.url, 2)
    toClose.push(() => pool.end())
    const environment = {
      PORT: '0',
      YARDMASTER_HOME: join(folder, 'home'),
      DATABASE_URL: database.url,
      API_KEYS: testKey,
    }
    const accepting = await startHost(readConfig({ ...environment, ROLE: 'web' }), { log: silentLog })
    const place = { home: accepting.app.home, db: accepting.app.db, pool, folder }
    try {
      for (const crash of crashes) {
        const accepted = client(accepting.web?.url ?? '')
        const session = await startDemo(accepted, { git_root, lines: [prompt] })
        sessions.push(session)
        const agent = await leaveBehind(place, session, crash)
        if (crash.isRefreshed) expect((await accepted.post(`/sessions/${session.id}/refresh`)).status).toBe(200)
        toClose.push(() => agent.stop({ graceMs: 0 }))
        agents.push(agent)
      }
    } finally {
      await accepting.stop()
    }
    host = await startHost(readConfig(environment), { log: silentLog })
    toClose.push(host.stop)
    api = client(host.web?.url ?? '')
  })
  afterAll(async () => {
    for (const close of toClose.reverse()) await close()
  })

  test.each(crashes.map((crash, index) => ({ ...crash, index })))(
    '$point: $outcome, once',
    async ({ index, outcome }) => {
      const { id = 0 } = sessions[index] ?? {}
      expect((await agents[index]?.exited)?.signal).toMatch(/SIGTERM|SIGKILL/)
      expect(await atRest(api, id)).toMatchObject({ status: 'needs_input', running_job_id: null })

      const contents = (await readableEntries(id)).map(({ message }) => message.content)
      expect(contents.filter((content) => content === prompt)).toHaveLength(1)
      expect(contents.includes(recoveryPrompt)).toBe(outcome === 'a recovery turn continues')
      const { rows } = await pool.query('select source, outcome from turns where session_id = $1 order by sequence', [
        id,
      ])
      expect(rows).toEqual(turnsAfter[outcome])
    },
  )

  /** The torn entry of an agent that died while it wrote a line has no message. */
  async function readableEntries(id: number): Promise<{ message: { content: unknown } }[]> {
    return (await entriesOf(api, id)).filter(({ type }) => type !== 'torn_entry')
  }
})

const turnsAfter = {
  'the prompt is sent again': [{ source: 'create', outcome: 'completed' }],
  'a recovery turn continues': [
    { source: 'create', outcome: 'interrupted' },
    { source: 'recovery', outcome: 'completed' },
  ],
}

type Place = { home: Home; db: Database; pool: pg.Pool; folder: string }

async function leaveBehind(
  { home, db, pool, folder }: Place,
  session: { id: number; job_id: string },
  { turn, status, transcript, isStored, hasPipe }: Crash,
): Promise<Child> {
  const conversationId = randomUUID()
  const marker = newRunMarker()
  const agent = await launch({
    command: 'sleep',
    args: ['1000'],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    marker,
    stdin: 'none',
  })
  const { pid, startTime } = turn.hasProcess ? agent.identity : { pid: null, startTime: null }
  await pool.query(
    `update turns
     set state = 'executing', dispatched_at = now(), lease_owner = $2, lease_expires_at = now(), run_marker = $3,
       pid = $4, pid_start_time = $5, started_at = case when $6 then now() end
     where id = $1`,
    [session.job_id, home.hostId, marker, pid, startTime, turn.isReceived],
  )
  await pool.query(
    `update sessions
     set status = $2, host_id = $3, session_id = $4, metadata = metadata || jsonb_build_object('working_directory', $5::text)
     where id = $1`,
    [session.id, status, home.hostId, conversationId, folder],
  )
  // The job completes as soon as the host has claimed the turn.
  await pool.query('delete from graphile_worker._private_jobs')
  if (transcript === undefined) return agent

  const transcripts = home.in('runtimes', `session-${session.id}`, 'transcripts')
  await mkdir(transcripts, { recursive: true })
  const file = join(transcripts, `${conversationId}.jsonl`)
  await writeFile(file, transcript)
  if (hasPipe) await promisify(execFile)('mkfifo', [join(transcripts, 'agent-1.jsonl')])
  if (isStored)
    await ingest(
      { db, redactor: plainRedactor },
      { sessionId: session.id, thread: mainThread },
      { path: file, within: transcripts },
      plainHooks,
    )
  return agent
}
