import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { recoveryPrompt } from '../../src/domain/lifecycle/recovery-prompt.ts'
import { sampleRepository } from '../support/app/app.ts'
import { testDatabase } from '../support/database/database.ts'
import { launchServer, processesOf, startServer, testFolder } from '../support/processes/server-process.ts'
import { atRest, entriesOf, findDemo, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

test('SIGTERM during a turn leaves no process running, and the next start resumes the agent', async () => {
  const folder = await testFolder()
  const home = join(folder, 'home')
  const effects = join(folder, 'effects')
  const git_root = await sampleRepository(join(folder, 'repository'))
  const first = await startServer({ home })
  // The signal interrupts the last line of the prompt, which must still count as unfinished.
  const lines = [`run echo begin >> ${effects}`, 'run trap "" TERM; sleep 120']
  const { id } = await startDemo(first, { git_root, lines })
  const toolIsUp = async () => (await entriesOf(first, id)).some((entry) => JSON.stringify(entry).includes('sleep 120'))
  await eventually(toolIsUp, (isUp) => isUp)

  // A stop beyond its deadline, which service managers would not wait for, has the code 1.
  expect(await first.stop()).toEqual({ code: 0, signal: null })
  expect(await processesOf(home)).toEqual([])

  const next = await startServer({ home })
  expect(await atRest(next, id)).toMatchObject({ status: 'needs_input' })
  const contents = (await entriesOf(next, id)).map(({ message }) => message.content)
  expect(contents.filter((content) => content === lines.join('\n'))).toHaveLength(1)
  expect(contents).toContain(recoveryPrompt)
  expect(await readFile(effects, 'utf8')).toBe('begin\n')
})

test('a later second SIGTERM stops the server at once; a duplicate of the first is ignored', async () => {
  const folder = await testFolder()
  const home = join(folder, 'home')
  const git_root = await sampleRepository(join(folder, 'repository'))
  const environment = { DATABASE_URL: (await testDatabase()).url, API_KEYS: 'ours' }
  const first = await startServer({ home, environment })
  const { id } = await startDemo(first, { git_root, lines: ['sleep 120'] })
  await eventually(
    () => entriesOf(first, id),
    (entries) => entries.length > 0,
  )
  const { metadata } = await findDemo(first, id)
  // A stopped agent delays the first shutdown.
  process.kill(metadata.process_pid, 'SIGSTOP')
  await first.signal('SIGTERM')
  await eventually(
    async () => first.output.stderr(),
    (text) => text.includes('"stopping"'),
  )
  // The terminal and npm may both forward one Ctrl-C.
  await first.signal('SIGTERM')
  const repeated = setInterval(() => void first.signal('SIGTERM'), 300)
  onTestFinished(() => clearInterval(repeated))
  expect(await first.exited).toEqual({ code: 1, signal: null })
  // Beside it there may be a command that the server was running, such as one that prints the version of a CLI.
  expect(await processesOf(home)).toContain(metadata.process_pid)
})

test('SIGTERM during the start leaves no process running', async () => {
  const home = join(await testFolder(), 'home')
  const server = launchServer({ home })
  const isDatabaseUp = async () => (await readFile(join(home, 'postgres/data/postmaster.pid')).catch(() => '')) !== ''
  await eventually(isDatabaseUp, (isUp) => isUp)
  // At once: to list the processes of the server first could take longer than its start.
  process.kill(server.pid, 'SIGTERM')
  expect(await server.exited).toEqual({ code: 0, signal: null })
  expect(await processesOf(home)).toEqual([])
  expect(server.output.stdout()).toBe('')
})
