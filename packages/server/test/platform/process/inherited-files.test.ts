import { spawn } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

/** A server with a folder open that its own parent left it. */
const server = `
  const { runCommand } = await import(process.argv[1])
  const list = { command: 'sh', args: ['-c', 'readlink /proc/self/fd/40 /proc/self/fd/61; ls /proc/self/fd/40/'] }
  const { stdout } = await runCommand({ ...list, env: { PATH: process.env.PATH }, timeoutMs: 30000, maxOutputBytes: 9999 })
  process.stdout.write(stdout)
`

test.runIf(process.platform === 'linux')('a child gets no file that our own parent left open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-inherited-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const left = await open(folder)
  onTestFinished(() => left.close())
  // Node itself keeps the first sixteen from its children.
  const gap = (length: number) => Array.from({ length }, () => 'ignore' as const)
  const stdio = ['ignore', 'pipe', 'inherit', ...gap(37), left.fd, ...gap(20), left.fd] as const
  const program = new URL('../../../dist/platform/process/run-command.js', import.meta.url).href
  const child = spawn(process.execPath, ['--input-type=module', '-e', server, program], { stdio: [...stdio] })
  expect(await text(child.stdout as NodeJS.ReadableStream)).toBe('/dev/null\n/dev/null\n')
})
