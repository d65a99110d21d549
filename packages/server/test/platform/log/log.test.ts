import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const logModule = new URL('../../../dist/platform/log/log.js', import.meta.url).href

test('each record is one line of JSON on standard error, and standard output stays empty', async () => {
  const { stdout, records } = await logged(`
    log.info({ title: 'two\\nlines \\u001b[31m' }, 'hello\\nworld')
    log.warn('second')
  `)

  expect(stdout).toBe('')
  expect(records).toMatchObject([
    { level: 'info', msg: 'hello\nworld', title: 'two\nlines \u001b[31m' },
    { level: 'warn', msg: 'second' },
  ])
  expect(records[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('records below the level are not written', async () => {
  const { records } = await logged(`log.debug('quiet'); log.info('loud')`)

  expect(records.map(({ msg }) => msg)).toEqual(['loud'])
})

test('an error is written with its stack, and a failed Redis command without its arguments', async () => {
  const { stderr, records } = await logged(`
    const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['open-sesame'] } })
    log.error({ err: error }, 'failed')
  `)

  expect(records[0]).toMatchObject({ err: { message: 'WRONGPASS', stack: expect.stringContaining('WRONGPASS') } })
  expect(stderr).not.toContain('open-sesame')
})

test('passwords and connection strings are not written', async () => {
  const { stderr } = await logged(`
    log.info({ connection: { password: 'open-sesame', connectionString: 'postgres://u:open-sesame@h/d' } }, 'connected')
    log.info({ req: { headers: { 'x-api-key': 'open-sesame' } } }, 'asked')
  `)

  expect(stderr).toContain('[REDACTED]')
  expect(stderr).not.toContain('open-sesame')
})

/** Runs in a child process, because the log writes to the standard error of the process. */
async function logged(script: string) {
  const program = `import { openLog } from ${JSON.stringify(logModule)}; const log = openLog({ level: 'info' }); ${script}`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  const records: Record<string, unknown>[] = stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { stdout, stderr, records }
}
