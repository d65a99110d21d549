import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childEnvironment } from '../../../src/platform/process/environment.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { runCommand } from '../../../src/platform/process/run-command.ts'
import { newRunMarker, runMarkerVariable } from '../../../src/platform/process/run-marker.ts'
import { SpawnFailed } from '../../../src/platform/process/spawn-failed.ts'
import { longEnough } from '../../support/vitest/long-enough.ts'
import { type LaunchFolder, launchFolder, stillRunning } from './launch-folder.ts'
import { type TestProcesses, testProcesses } from './test-processes.ts'

let scratch: LaunchFolder
let processes: TestProcesses
beforeEach(async () => {
  scratch = await launchFolder()
  processes = testProcesses()
})
afterEach(async () => {
  await processes.killAll()
  await scratch.close()
})

const run = (script: string, options: Partial<Parameters<typeof runCommand>[0]> = {}) =>
  runCommand({
    command: 'sh',
    args: ['-c', script],
    cwd: scratch.folder,
    env: childEnvironment({}),
    timeoutMs: 120_000,
    maxOutputBytes: 100_000,
    ...options,
  })

const asItShould = { code: 0, signal: null, timedOut: false, aborted: false, outputTruncated: false }

describe('runCommand', () => {
  test('runCommand returns both outputs in full and the exit code', async () => {
    expect(await run("printf 'a\\000b\\n'; echo é >&2; exit 4")).toEqual({
      ...asItShould,
      code: 4,
      stdout: 'a\0b\n',
      stderr: 'é\n',
    })
  })

  test('runCommand passes the input to stdin', async () => {
    const input = 'line\n'.repeat(10_000)
    expect((await run('cat', { input })).stdout).toBe(input)
    expect((await run('exit 0', { input: 'x'.repeat(1_000_000) })).code).toBe(0)
    expect((await run('cat')).stdout).toBe('')
  })

  test('runCommand reports the signal that ended the command', async () => {
    expect(await run('kill -9 $$')).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: false })
  })

  test('runCommand rejects if the command cannot start', async () => {
    await expect(run('', { command: 'no-such-program' })).rejects.toBeInstanceOf(SpawnFailed)
    await expect(run('', { cwd: join(scratch.folder, 'gone') })).rejects.toThrow('working folder')
  })

  test('a command that times out is stopped with everything it started', async () => {
    const script = 'sleep 1000 & a=$!; setsid sleep 1000 & echo $a $!; echo $a $! > pids; wait'
    const result = await timedOut(script)
    expect(result).toMatchObject({ code: null, signal: 'SIGTERM', timedOut: true, aborted: false })
    await expectGone(await scratch.written('pids'))
  })

  test('a command that ignores SIGTERM is killed after the timeout', async () => {
    const result = await timedOut(`trap '' TERM; sleep 1000 & echo $! > pids; while :; do sleep 0.1; done`)
    expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true })
    await expectGone(await scratch.written('pids'))
  })

  test('an aborted command is stopped with everything it started', async () => {
    const controller = new AbortController()
    const running = run('sleep 1000 & echo $! > pids; wait', { signal: controller.signal })
    const pids = await scratch.written('pids')
    controller.abort()
    expect(await running).toMatchObject({ aborted: true, timedOut: false, outputTruncated: false })
    await expectGone(pids)
  })

  test('a command whose signal has already aborted is not started', async () => {
    expect(await run('touch started', { signal: AbortSignal.abort() })).toMatchObject({ aborted: true, code: null })
    expect((await run('ls')).stdout).toBe('')
  })

  test('a command that exceeds the output limit is stopped, and the start of its output is kept', async () => {
    const result = await run('yes é', { maxOutputBytes: 1000 })
    expect(result).toMatchObject({ outputTruncated: true, timedOut: false, aborted: false })
    // 'é' and its newline are three bytes, so byte 1,000 is half a character and is dropped.
    expect(result.stdout).toBe('é\n'.repeat(333))
    expect((await run('yes >&2', { maxOutputBytes: 1000 })).stderr).toHaveLength(1000)
    expect(await run('printf %1000s x', { maxOutputBytes: 1000 })).toMatchObject(asItShould)
  })

  test('a command with mayOverflow continues beyond the limit, and the start of its output is kept', async () => {
    const result = await run('head -c 300000 /dev/zero | tr "\\0" x; exit 2', {
      maxOutputBytes: 1000,
      mayOverflow: true,
    })
    expect(result).toMatchObject({ code: 2, outputTruncated: true, stdout: 'x'.repeat(1000) })
  })

  test('a command that is part of a run is stopped without the rest of the run, and found by the marker of the run', async () => {
    const marker = newRunMarker()
    const rest = processes.sleeper({ [runMarkerVariable]: marker })
    const unwanted = new AbortController()
    const running = run('exec sleep 1000', { partOf: marker, signal: unwanted.signal })
    await expect.poll(() => processTable().findMarked(marker)).toHaveLength(2)
    unwanted.abort()
    expect(await running).toMatchObject({ aborted: true })
    expect((await processTable().findMarked(marker)).map(({ pid }) => pid)).toEqual([rest.pid])
  })

  test('a daemon that keeps the pipes open does not delay the result and keeps running', async () => {
    const result = await run('sleep 1000 & echo $!; exit 0')
    expect(result).toMatchObject(asItShould)
    const daemon = Number(result.stdout)
    processes.add(daemon)
    expect(await stillRunning([daemon])).toEqual([daemon])
  })
})

/** The result of a script that ran into its timeout after it had written its pids. */
function timedOut(script: string) {
  return longEnough((timeoutMs) => run(script, { timeoutMs }), {
    firstMs: 1500,
    gotFar: () => existsSync(join(scratch.folder, 'pids')),
  })
}
async function expectGone(pids: string) {
  const numbers = pids.trim().split(' ').map(Number)
  for (const pid of numbers) processes.add(pid)
  expect(await stillRunning(numbers)).toEqual([])
}
