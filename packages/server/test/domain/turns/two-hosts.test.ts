import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleRepository } from '../../support/app/app.ts'
import { testDatabase } from '../../support/database/database.ts'
import { makeShared } from '../../support/files/shared-folder.ts'
import { startServer, testFolder } from '../../support/processes/server-process.ts'
import { atRest, startDemo } from '../../support/sessions/demo-session.ts'

const sessionCount = 12

test('two hosts that start on an empty database at once share twelve sessions, and each session runs one turn', async () => {
  const folder = await testFolder()
  const effects = join(folder, 'effects')
  await makeShared(effects)
  const git_root = await sampleRepository(join(folder, 'repository'))
  const { url, pool } = await testDatabase({ isEmpty: true })
  const environment = { DATABASE_URL: url, API_KEYS: 'ours' }
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => startServer({ home: join(folder, name), environment })),
  )
  if (!one || !other) throw new Error('a host did not start')

  const work = (index: number) =>
    startDemo(index % 2 ? one : other, {
      git_root,
      lines: [`run echo begin >> ${effects}/${index}; sleep 0.2; echo end >> ${effects}/${index}`],
    })
  const done = async (): Promise<{ turns: number; hosts: number }> => {
    const { rows } = await pool.query<{ turns: number; hosts: number }>(
      `select count(*)::int as turns, count(distinct s.host_id)::int as hosts
       from turns t join sessions s on s.id = t.session_id
       where t.outcome = 'completed'`,
    )
    return rows[0] ?? { turns: 0, hosts: 0 }
  }

  const sessions = await Promise.all(Array.from({ length: sessionCount }, (_, index) => work(index)))
  for (const { id } of sessions) expect((await atRest(one, id)).status).toBe('needs_input')
  // On a busy machine one host may take them all before the other gets a moment. Then more sessions follow, one by one.
  while ((await done()).hosts < 2 && sessions.length < 5 * sessionCount) {
    const next = await work(sessions.length)
    expect((await atRest(one, next.id)).status).toBe('needs_input')
    sessions.push(next)
  }

  for (const name of await readdir(effects)) expect(await readFile(join(effects, name), 'utf8')).toBe('begin\nend\n')
  expect(await readdir(effects)).toHaveLength(sessions.length)
  expect(await done()).toEqual({ turns: sessions.length, hosts: 2 })
})
