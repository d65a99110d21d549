import { execFileSync } from 'node:child_process'
import { appendFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveSession } from '../../../src/domain/lifecycle/archive.ts'
import { unarchiveSession } from '../../../src/domain/lifecycle/unarchive.ts'
import { testApp } from '../../support/app/app.ts'
import { sessionHelpers } from '../../support/sessions/conversation.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const app = testApp()
const { rested, logs } = sessionHelpers(app)

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined
const cloneOf = (id: number): string => join(app.home, 'clones', `session-${id}`)

/** Archived with work in its clone, so that the clone stays until `trash_after`. */
async function archivedWithWork(): Promise<number> {
  const id = await rested()
  await writeFile(join(cloneOf(id), 'unsaved.txt'), 'work\n')
  await archiveSession(app.host.app, { id }, { force: false })
  return id
}

/** Makes the job that waits for `trash_after` run now. */
async function runTrashJobNow(id: number): Promise<void> {
  await app.pool.query(
    `update graphile_worker._private_jobs as jobs set run_at = now()
     from graphile_worker._private_tasks as tasks
     where tasks.id = jobs.task_id and tasks.identifier like 'empty_trash%' and jobs.payload ->> 'sessionId' = $1`,
    [String(id)],
  )
}

const countDueJobs = async (id: number): Promise<number> => {
  const { rows } = await app.pool.query(
    `select from graphile_worker._private_jobs as jobs
     join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
     where tasks.identifier like 'empty_trash%'
       and jobs.payload ->> 'sessionId' = $1
       and jobs.run_at < now() + interval '1 day'`,
    [String(id)],
  )
  return rows.length
}

test('the files of an archived session are removed after trash_after, and its transcript stays readable', async () => {
  const id = await archivedWithWork()
  await app.pool.query("update sessions set trash_after = now() - interval '1 second' where id = $1", [id])
  await runTrashJobNow(id)
  await eventually(
    () => logs(id),
    (lines) => lines.some((line) => line.includes('trash_after has passed')),
  )
  expect(await exists(cloneOf(id))).toBe(false)
  expect(await readdir(join(app.home, 'runtimes'))).not.toContain(`session-${id}`)
  expect((await app.get(`/sessions/${id}/transcript`)).body.transcript_text).not.toBe('')
})

test('a session that is unarchived before trash_after keeps its files', async () => {
  const id = await archivedWithWork()
  await unarchiveSession(app.host.app, { id })
  await runTrashJobNow(id)
  await eventually(
    () => countDueJobs(id),
    (count) => count === 0,
  )
  expect(await exists(join(cloneOf(id), 'unsaved.txt'))).toBe(true)
})

test('archiving runs no program that the agent planted in its clone, and keeps a clone it cannot search', async () => {
  const canary = join(app.home, 'canary')
  const planted = await rested()
  await appendFile(join(cloneOf(planted), '.git/config'), `[filter "evil"]\n\tclean = touch ${canary}\n`)
  await writeFile(join(cloneOf(planted), '.gitattributes'), '* filter=evil\n')
  const blocked = await rested()
  await rm(join(cloneOf(blocked), '.git/HEAD'))
  execFileSync('mkfifo', [join(cloneOf(blocked), '.git/HEAD')])
  for (const id of [planted, blocked]) await archiveSession(app.host.app, { id }, { force: false })

  const kept = (id: number): Promise<string[]> =>
    eventually(
      async () => (await logs(id)).filter((line) => line.includes('it is kept until trash_after')),
      (lines) => lines.length > 0,
    )
  expect(await kept(planted)).toEqual([expect.stringContaining('may contain uncommitted or unpushed work')])
  expect(await kept(blocked)).toEqual([expect.stringContaining('cannot be searched for work (.git/HEAD is not')])
  expect(await exists(canary)).toBe(false)
})
