import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { markedFamily } from '../../../src/platform/process/marked-family.ts'
import { parseStat, procTable } from '../../../src/platform/process/proc-table.ts'
import type { ProcessTable } from '../../../src/platform/process/process-table.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { psTable } from '../../../src/platform/process/ps-table.ts'
import { newRunMarker, partMarker, runMarkerVariable } from '../../../src/platform/process/run-marker.ts'
import { type TestProcesses, testProcesses } from './test-processes.ts'

const isLinux = process.platform === 'linux'
const tables: { name: string; makeTable: () => ProcessTable }[] = [
  { name: 'ps', makeTable: psTable },
  ...(isLinux ? [{ name: 'proc', makeTable: procTable }] : []),
]

let processes: TestProcesses
beforeEach(() => {
  processes = testProcesses()
})
afterEach(() => processes.killAll())

describe.each(tables)('the $name table', ({ makeTable }) => {
  const table = makeTable()

  test('a process table identifies this process by pid and start time, the same each time', async () => {
    const ourselves = await table.identify(process.pid)
    expect(ourselves?.pid).toBe(process.pid)
    expect(await table.identify(process.pid)).toEqual(ourselves)
    expect(ourselves && (await table.isRunning(ourselves))).toBe(true)
  })

  test('a process with another start time is not running', async () => {
    expect(await table.isRunning({ pid: process.pid, startTime: 'another' })).toBe(false)
  })

  test('a process that has ended is not running', async () => {
    const sleeper = processes.sleeper()
    const identity = await table.identify(sleeper.pid)
    expect(identity?.pid).toBe(sleeper.pid)
    process.kill(sleeper.pid, 'SIGKILL')
    await sleeper.ended
    expect(identity && (await table.isRunning(identity))).toBe(false)
    expect(await table.identify(sleeper.pid)).toBeUndefined()
  })

  test('a zombie is not running', async () => {
    // The shell execs a program that never waits for its child, which must not exit before that.
    const parent = processes.start('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'])
    const [line] = await once(parent.stdout, 'data')
    const zombie = Number.parseInt(String(line), 10)
    await expect.poll(() => programOf(parent.pid)).toMatch(/sleep$/)
    process.kill(zombie, 'SIGKILL')
    await expect.poll(() => table.identify(zombie)).toBeUndefined()
    expect(() => process.kill(zombie, 0), 'its pid is still taken').not.toThrow()
  })

  test('a process table finds exactly the processes that carry the marker', async () => {
    const marker = newRunMarker()
    const marked = processes.sleeper({ [runMarkerVariable]: marker })
    processes.sleeper({ [runMarkerVariable]: newRunMarker() })
    processes.sleeper({ [runMarkerVariable]: `${marker}0` })
    processes.sleeper({ [`X${runMarkerVariable}`]: marker })
    const identity = await table.identify(marked.pid)
    expect(await table.findMarked(marker)).toEqual([identity])
  })

  test('a process table finds the parts of a run by the marker of the run, and one part by its own marker', async () => {
    const run = newRunMarker()
    const part = partMarker(run)
    const whole = processes.sleeper({ [runMarkerVariable]: run })
    const piece = processes.sleeper({ [runMarkerVariable]: part })
    const pids = async (marker: string) => (await table.findMarked(marker)).map(({ pid }) => pid).toSorted()
    expect(await pids(run)).toEqual([whole.pid, piece.pid].toSorted())
    expect(await pids(part)).toEqual([piece.pid])
  })

  test('a process that only mentions the marker in its arguments does not carry it', async () => {
    const marker = newRunMarker()
    processes.start(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', `${runMarkerVariable}=${marker}`, 'more'])
    expect(await table.findMarked(marker)).toEqual([])
  })

  test('a process table finds a descendant that has cleared its environment', async () => {
    const marker = newRunMarker()
    const script = 'env -i sleep 1000 & echo $!; exec sleep 1000'
    const parent = processes.start('sh', ['-c', script], { [runMarkerVariable]: marker })
    const [line] = await once(parent.stdout, 'data')
    const child = Number.parseInt(String(line), 10)
    processes.add(child)
    const found = async () => (await table.findMarked(marker)).map((one) => one.pid).toSorted()
    await expect.poll(() => found()).toEqual([parent.pid, child].toSorted())
  })

  test('a process table finds the whole run when its first process is given, also if that process has ended or is from another boot', async () => {
    const marker = newRunMarker()
    const first = processes.sleeper({ [runMarkerVariable]: marker })
    const second = processes.sleeper({ [runMarkerVariable]: marker })
    const identity = (await table.identify(first.pid)) ?? expect.fail('it runs')
    const both = [first.pid, second.pid].toSorted()
    for (const known of [identity, { ...identity, startTime: 'ended at once' }, { ...identity, startTime: 'x:9e15' }]) {
      const found = (await table.findMarked(marker, known)).map((one) => one.pid)
      expect(found.toSorted()).toEqual(both)
    }
  })

  test('a blank marker throws instead of matching every process', async () => {
    await expect(table.findMarked('')).rejects.toThrow('run marker')
    await expect(table.findMarked('a b')).rejects.toThrow('run marker')
  })
})

test.runIf(isLinux)('the ps table agrees with the proc table', async () => {
  const marker = newRunMarker()
  const sleeper = processes.sleeper({ [runMarkerVariable]: marker })
  const [byPs, byProc] = [psTable(), procTable()]
  for (const pid of [process.pid, sleeper.pid]) {
    const identities = [await byPs.identify(pid), await byProc.identify(pid)]
    expect(identities.map((identity) => identity?.pid)).toEqual([pid, pid])
  }
  expect((await byPs.findMarked(marker)).map((one) => one.pid)).toEqual([sleeper.pid])
  expect((await byProc.findMarked(marker)).map((one) => one.pid)).toEqual([sleeper.pid])
})

test('this platform has a process table', async () => {
  expect((await processTable().identify(process.pid))?.pid).toBe(process.pid)
})

describe('the family of a marker', () => {
  const one = (pid: number, parentPid: number, startedAt: number, isMarked = false) => ({
    identity: { pid, startTime: String(startedAt) },
    parentPid,
    startedAt,
    isMarked,
  })
  const pids = (listed: ReturnType<typeof one>[]) => markedFamily(listed).map(({ pid }) => pid)

  test('the family of a marker is the marked processes and all their descendants', () => {
    expect(pids([one(14, 13, 4), one(13, 12, 3), one(12, 11, 2, true), one(11, 1, 1), one(15, 11, 2)])).toEqual([
      12, 13, 14,
    ])
  })

  test('the family of a marker excludes a process older than its parent, whose pid was reused', () => {
    expect(pids([one(12, 1, 5, true), one(13, 12, 4)])).toEqual([12])
  })

  test('the family of a marker excludes this process and its unmarked children', () => {
    expect(pids([one(process.pid, 1, 1, true), one(process.pid + 1, process.pid, 2)])).toEqual([])
  })
})

describe.runIf(isLinux)('a program with blanks and parentheses in its name', () => {
  test('a program with blanks and parentheses in its name is read correctly', () => {
    const rest = '4 9 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 9999 88'
    const found = { pid: 12, parentPid: 4, startTicks: 777, hasMemory: true }
    expect(parseStat(`12 (a) Z 1 (b) S ${rest}`)).toEqual(found)
    expect(parseStat(`12 (a\n) S ${rest}`)).toEqual(found)
    expect(parseStat(`12 (sleep) Z ${rest}`)).toBeUndefined()
  })

  test('a program with blanks and parentheses in its name is identified while it runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'yardmaster-'))
    try {
      await symlink('/bin/sleep', join(folder, 'x) Z 1 (y'))
      const odd = processes.start(join(folder, 'x) Z 1 (y'), ['1000'])
      const identity = await procTable().identify(odd.pid)
      expect(identity?.startTime).toMatch(/^[0-9a-f-]{36}:\d+$/)
      expect(identity && (await procTable().isRunning(identity))).toBe(true)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

function programOf(pid: number): string {
  return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}
