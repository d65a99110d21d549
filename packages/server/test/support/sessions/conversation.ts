import { appendFile, chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { enqueueMessage } from '../../../src/domain/conversation/enqueue-message.ts'
import { type FollowUpOutcome, followUp } from '../../../src/domain/conversation/follow-up.ts'
import { drainQueueJob } from '../../../src/domain/inbox/drain-queue-job.ts'
import type { Message } from '../../../src/domain/inbox/inbox.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { enqueue } from '../../../src/platform/jobs/enqueue.ts'
import { sampleRepository, type TestApp } from '../app/app.ts'
import { eventually } from '../vitest/eventually.ts'
import { agentGate } from './agent-gate.ts'
import { waitForStatus } from './demo-session.ts'

type FollowUp = { goal?: string; isImmediate?: boolean }

export type Conversation = {
  repository(): string
  create(prompt?: string, more?: Record<string, unknown>): Promise<number>
  /** A session whose agent has received its prompt and runs until `release` is called. */
  busy(): Promise<{ id: number; release(): Promise<void> }>
  /** A session at rest after its first turn. */
  rested(more?: Record<string, unknown>): Promise<number>
  /** Sends a follow-up. */
  say(id: number, prompt: string, more?: FollowUp): Promise<FollowUpOutcome>
  queue(id: number, content: string, goal?: string): Promise<Message>
  /** Delivers the first queued message now, without the grace period. */
  drain(id: number): Promise<void>
  /** Waits until the session has one of the statuses. */
  reaches(id: number, ...statuses: string[]): ReturnType<typeof waitForStatus>
  /** Waits until the agent has the prompt of the last turn. A turn that is ended sooner puts its prompt back in the queue. */
  hears(id: number): Promise<void>
  turns(id: number): Promise<Record<string, unknown>[]>
  messages(id: number): Promise<Record<string, unknown>[]>
  logs(id: number): Promise<string[]>
  /** Waits until every turn of the session has ended. */
  settled(id: number): Promise<void>
  effects: Effects
}

/** What agents did, read from a file to which each prompt appends a word when it runs. */
export type Effects = {
  /** A prompt that appends the word to the file. */
  doing(word: string | number): string
  /** The words in the order in which they were appended. */
  done(): Promise<string[]>
  /** Waits until the word was appended. */
  isDone(word: string): Promise<void>
}

/** Helpers to create demo sessions, send them prompts and read the results, for the tests of one file. */
export function sessionHelpers(app: TestApp): Conversation {
  let repository = ''
  beforeAll(async () => {
    repository = await sampleRepository(join(app.shared, 'repository'))
    await appendFile(join(app.shared, 'effects'), '')
    // Agents run as another user if the tests run as root.
    await chmod(join(app.shared, 'effects'), 0o666)
  })

  const rows = async (table: string, id: number, order: string): Promise<Record<string, unknown>[]> =>
    (await app.pool.query(`select * from ${table} where session_id = $1 order by ${order}`, [id])).rows
  const reaches: Conversation['reaches'] = (id, ...statuses) => waitForStatus(app, id, ...statuses)
  const hears: Conversation['hears'] = async (id) => {
    await eventually(
      () => rows('turns', id, 'sequence'),
      (turns) => turns.at(-1)?.started_at instanceof Date,
    )
  }
  const create: Conversation['create'] = async (prompt, more = {}) => {
    const answer = await app.post('/sessions', {
      git_root: repository,
      agent_runtime: 'demo',
      ...(prompt !== undefined && { prompt }),
      ...more,
    })
    expect(answer).toMatchObject({ status: 201 })
    return answer.body.session.id
  }
  const effects: Effects = {
    doing: (word) => `run echo ${word} >> ${join(app.shared, 'effects')}`,
    done: async () => (await readFile(join(app.shared, 'effects'), 'utf8')).split('\n').filter(Boolean),
    isDone: async (word) => {
      await eventually(effects.done, (done) => done.includes(word))
    },
  }
  return {
    repository: () => repository,
    create,
    busy: async () => {
      const gate = agentGate(app.shared)
      const id = await create(gate.line)
      await reaches(id, 'running')
      await hears(id)
      return { id, release: gate.open }
    },
    rested: async (more) => {
      const id = await create('say ready', more)
      await reaches(id, 'needs_input')
      return id
    },
    say: (id, prompt, { goal, isImmediate = false } = {}) =>
      followUp(app.host.app, { id }, { prompt, goal: goal ?? null, isImmediate, isByPerson: true }),
    drain: async (id) => {
      await transact(app.host.app.db, (tx) =>
        enqueue(tx, drainQueueJob, { sessionId: id }, { key: `${drainQueueJob.name}:${id}` }),
      )
    },
    queue: (id, content, goal) =>
      enqueueMessage(app.host.app, { id }, { content, goal: goal ?? null, isByPerson: true }),
    reaches,
    hears,
    turns: (id) => rows('turns', id, 'sequence'),
    messages: (id) => rows('enqueued_messages', id, 'position, id'),
    logs: async (id) => (await rows('session_logs', id, 'id')).map(({ content }) => String(content)),
    settled: async (id) => {
      await eventually(
        () => rows('turns', id, 'sequence'),
        (turns) => turns.every(({ state }) => state === 'ended'),
      )
    },
    effects,
  }
}
