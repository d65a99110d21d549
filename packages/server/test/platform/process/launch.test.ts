import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { childEnvironment } from '../../../src/platform/process/environment.ts'
import { type Child, launch } from '../../../src/platform/process/launch.ts'
import type { Line } from '../../../src/platform/process/line-stream.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { newRunMarker, runMarkerVariable } from '../../../src/platform/process/run-marker.ts'
import { SpawnFailed } from '../../../src/platform/process/spawn-failed.ts'
import { type LaunchFolder, launchFolder } from './launch-folder.ts'

let scratch: LaunchFolder
beforeEach(async () => {
  scratch = await launchFolder()
})
afterEach(() => scratch.close())

describe('a launched child', () => {
  test('a launched child runs, is identified, and leads its own process group', async () => {
    const child = await scratch.launch({ sh: 'ps -o pgid= -p $$; exec sleep 1000' })
    expect(await processTable().isRunning(child.identity)).toBe(true)
    const { value } = await child.lines.next()
    expect(Number(value?.text)).toBe(child.identity.pid)
  })

  test('a launched child reads stdin, writes lines and reports its exit code', async () => {
    const child = await scratch.launch({ sh: 'while read -r line; do echo "heard $line"; done; exit 3' })
    child.stdin?.end('one\ntwo\n')
    expect(await texts(child)).toEqual(['heard one', 'heard two'])
    expect(await child.exited).toEqual({ code: 3, signal: null })
  })

  test('a launched child without stdin reads end of file at once', async () => {
    const child = await scratch.launch({ sh: 'cat; echo done' }, { stdin: 'none' })
    expect(child.stdin).toBeUndefined()
    expect(await texts(child)).toEqual(['done'])
  })

  test('a launched child that exits before it has read its input does not crash this process', async () => {
    const child = await scratch.launch({ sh: 'exec <&-; echo closed; exit 0' })
    await child.exited
    const failure = await new Promise((resolve) => child.stdin?.write('x'.repeat(1_000_000), resolve))
    expect(failure).toBeInstanceOf(Error)
  })

  test('a launched child carries the given marker even if another one was inherited', async () => {
    const marker = newRunMarker()
    const env = childEnvironment({ set: { [runMarkerVariable]: 'outer' } })
    const child = await scratch.launch({ sh: `echo "$${runMarkerVariable}"` }, { marker, env })
    expect(await texts(child)).toEqual([marker])
  })

  test('a launched child does not see the secrets in our environment', async () => {
    const secrets = {
      API_KEYS: 'canary-1',
      SUPERVISOR_PASSWORD: 'canary-2',
      DATABASE_URL: 'canary-3',
      OTHER: 'canary-4',
    }
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value)
    try {
      const child = await scratch.launch({ sh: 'env' }, { env: childEnvironment({}) })
      const lines = await texts(child)
      expect(lines.join('\n')).toContain('PATH=')
      expect(lines.join('\n')).not.toMatch(/canary|API_KEYS/)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a secret that the start of the kept standard error splits is left out', async () => {
    const child = await scratch.launch({
      sh: `printf 'ghp_a1B2a1B2 ' >&2; head -c 8188 /dev/zero | tr '\\0' '.' | sed 's/\\.\\{64\\}/& /g' | head -c 8185 >&2`,
    })
    await child.exited
    expect(child.stderrTail()).toMatch(/^[. ]+$/)
  })

  test('a launched child has the last 8 KiB of its standard error kept', async () => {
    const child = await scratch.launch({
      sh: `i=0; while [ $i -lt 3000 ]; do echo "žluť $i" >&2; i=$((i+1)); done; printf '\\000end' >&2`,
    })
    await child.exited
    expect(Buffer.byteLength(child.stderrTail())).toBeLessThanOrEqual(8 * 1024 + 2)
    expect(child.stderrTail()).toMatch(/žluť 2998\nžluť 2999\n\uFFFDend$/)
    expect(child.stderrTail().slice(0, 20)).not.toContain('\uFFFD')
  })

  test('killed by kill -9 settles `exited` and ends its lines', async () => {
    const child = await scratch.launch({ sh: 'echo "half a line\\c"; exec sleep 1000' })
    const reading = texts(child)
    process.kill(child.identity.pid, 'SIGKILL')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
    await reading
  })

  test('a launched child that ends before it is identified reports its exit, and its output is not lost', async () => {
    for (let round = 0; round < 10; round++) {
      const child = await scratch.launch({ sh: 'echo quick; echo slow >&2' })
      expect(await child.exited).toEqual({ code: 0, signal: null })
      expect(child.stderrTail()).toBe('slow\n')
      expect(await processTable().isRunning(child.identity)).toBe(false)
      expect(await texts(child)).toEqual(['quick'])
    }
  })

  test('a launched child settles and its lines end although a grandchild holds the pipes open', async () => {
    const child = await scratch.launch({ sh: 'sleep 1000 & echo $!; echo last words; exit 7' })
    expect(await child.exited).toEqual({ code: 7, signal: null })
    const [grandchild, ...rest] = await texts(child)
    expect(rest).toEqual(['last words'])
    expect(() => process.kill(Number(grandchild), 0), 'the grandchild was not needed for this to end').not.toThrow()
  })

  test('a launched child settles and its lines end although a grandchild writes forever', async () => {
    const child = await scratch.launch({ sh: 'echo first; yes $(printf %01000d 0) & yes >&2 & exit 0' })
    expect(await child.exited).toEqual({ code: 0, signal: null })
    // On a busy machine the grandchild may write too late to be read.
    expect((await texts(child))[0]).toBe('first')
  })

  test('a launched child that has exited delivers its last line to a slow reader, although a grandchild holds the pipe open', async () => {
    const child = await scratch.launch({ sh: 'sleep 1000 & head -c 150000 /dev/zero | tr "\\0" x; echo; echo result' })
    const { value } = await child.lines.next()
    expect(value?.text.length).toBe(150_000)
    await child.exited
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await texts(child)).toEqual(['result'])
  })

  test('a launched child with endless output is blocked while the caller does not read, and continues when it does', async () => {
    const progress = join(scratch.folder, 'progress')
    const child = await scratch.launch({
      sh: `i=0; while :; do printf '%16384s\\n' x; i=$((i+1)); echo $i > ${progress}; done`,
    })
    const written = async () => Number(await readFile(progress, 'utf8').catch(() => '0'))
    const standstill = async () => {
      for (let before = -1, now = await written(); ; now = await written()) {
        if (now > 0 && now === before) return now
        before = now
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    }
    const held = await standstill()
    expect(held * 16_385).toBeLessThan(4 * 1024 * 1024)
    for (let pulled = 0; pulled < held + 50; pulled++) await child.lines.next()
    await expect.poll(() => written()).toBeGreaterThan(held)
    expect((await child.stop({ graceMs: 5000 })).endedBy).toBe('sigterm')
  })

  test('a launched child that writes one line of 100 MB uses no more memory than the line limit', async () => {
    const sizeBytes = 100 * 1024 * 1024
    const child = await scratch.launch(
      { sh: `head -c ${sizeBytes} /dev/zero | tr '\\0' x; echo; echo after` },
      { maxLineBytes: 1024 * 1024 },
    )
    const before = process.memoryUsage().arrayBuffers
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers)
    }, 5)
    const lines: Line[] = []
    for await (const line of child.lines) lines.push(line)
    clearInterval(watch)
    expect(lines.map((line) => [line.text.length, line.truncatedBytes])).toEqual([
      [1024 * 1024, sizeBytes - 1024 * 1024],
      [5, 0],
    ])
    expect(peak - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('a launched child that is stopped before its output is read has its pipe closed', async () => {
    const child = await scratch.launch({ sh: 'yes' })
    await child.stop({ graceMs: 5000 })
    expect(await child.lines.next()).toEqual({ value: undefined, done: true })
  })
})

describe('a program that cannot start', () => {
  const attempt = (options: { command: string; cwd?: string; args?: string[] }) =>
    launch({ args: [], cwd: scratch.folder, env, marker: newRunMarker(), ...options })
  // Only folders that every user may enter: an inaccessible one turns ENOENT into EACCES.
  const env = childEnvironment({ set: { PATH: '/usr/bin:/bin' } })

  test('a program that cannot start because it does not exist is named in the error', async () => {
    const failure = attempt({ command: 'no-such-program', args: ['secret'] })
    await expect(failure).rejects.toBeInstanceOf(SpawnFailed)
    await expect(failure).rejects.toMatchObject({
      code: 'ENOENT',
      message: expect.stringMatching(/^Cannot start no-such-program: there is no such program.*\.$/),
    })
  })

  test('a program that cannot start because its working folder is missing gives an error with that folder', async () => {
    const cwd = join(scratch.folder, 'gone')
    await expect(attempt({ command: 'sh', cwd })).rejects.toThrow(`its working folder ${cwd} does not exist`)
  })

  test('a program that cannot start because it is not executable gives an error that says so', async () => {
    const file = join(scratch.folder, 'plain')
    await writeFile(file, 'text')
    await chmod(file, 0o644)
    await expect(attempt({ command: file })).rejects.toMatchObject({ name: 'SpawnFailed', code: 'EACCES' })
  })

  test('a program that cannot start because its arguments are too long or contain NUL rejects with SpawnFailed', async () => {
    await expect(attempt({ command: 'sh', args: ['x'.repeat(8_000_000)] })).rejects.toMatchObject({
      name: 'SpawnFailed',
      code: 'E2BIG',
    })
    await expect(attempt({ command: 'sh', args: ['a\0b'] })).rejects.toThrow(/^Cannot start sh: .* NUL character\.$/)
  })
})

async function texts(child: Child): Promise<string[]> {
  const found: string[] = []
  for await (const line of child.lines) found.push(line.text)
  return found
}
