import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { processesOf, startAndFail, startServer, testFolder } from '../support/processes/server-process.ts'
import { atRest, findDemo, textOf } from '../support/sessions/demo-session.ts'

const run = promisify(execFile)

/** One test, because each step needs the one before it and creating a database takes time. */
test('without configuration: the printed command runs a first session, a second server is refused, the stop is clean and a second start is warm', async () => {
  // A name that a shell would split.
  const home = join(await testFolder(), "the yard's home")
  const first = await startServer({ home })
  const [address, dashboard, key, agent, invitation, command = '', ...more] = first.output
    .stdout()
    .trimEnd()
    .split('\n')
  expect(address).toMatch(/^Yardmaster \S+ is up at http:\/\/127\.0\.0\.1:\d+ \(API reference: http:\/\/\S+\/docs\)$/)
  expect(dashboard).toMatch(/^Dashboard: http:\/\/127\.0\.0\.1:\d+\/#k=yml_[\w-]{72} \(signs you in once/)
  expect(key).toBe(`API key: in ${join(home, 'api-key')}`)
  expect(agent).toMatch(/demo agent/)
  expect(invitation).toBe('Run a first session:')
  expect(more).toEqual([])
  expect((await stat(join(home, 'api-key'))).mode & 0o777).toBe(0o600)

  const { stdout } = await run('sh', ['-c', command])
  const { session } = JSON.parse(stdout)
  expect(await atRest(first, session.id)).toMatchObject({ status: 'needs_input', agent_runtime: 'demo' })
  const text = await textOf(first, session.id)
  expect(text).toContain('--- Assistant ---\nHello from Yardmaster\n')
  expect(text).toContain('[tool_result] README.md')

  const rival = await startAndFail({ home })
  expect(rival).toMatchObject({ code: 1, stdout: '' })
  expect(rival.stderr).toBe(
    `Yardmaster cannot start: Another Yardmaster (process ${first.pid}) is running on the home ${home}. Stop it, or set YARDMASTER_HOME to another folder.\n`,
  )
  expect((await first.get('/categories')).status).toBe(200)

  expect(await first.stop()).toEqual({ code: 0, signal: null })
  expect(await processesOf(home)).toEqual([])

  const second = await startServer({ home })
  expect(second.key).toBe(first.key)
  expect(await findDemo(second, session.id)).toMatchObject({ status: 'needs_input' })
  expect(await second.stop('SIGINT')).toEqual({ code: 0, signal: null })
  expect(await processesOf(home)).toEqual([])
})
