import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Child } from '../../../src/platform/process/launch.ts'
import { type ProcessTable, processTable } from '../../../src/platform/process/process-table.ts'
import { psTable } from '../../../src/platform/process/ps-table.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { stopTree, sweepMarked } from '../../../src/platform/process/stop.ts'
import { type LaunchFolder, launchFolder, stillRunning } from './launch-folder.ts'
import { type TestProcesses, testProcesses } from './test-processes.ts'

let scratch: LaunchFolder
let processes: TestProcesses
beforeEach(async () => {
  scratch = await launchFolder()
  processes = testProcesses()
})
afterEach(async () => {
  await scratch.close()
  await processes.killAll()
})

/** Never expires in a test that expects a gentler step to work. */
const unreachedMs = 120_000

describe('stopping a child', () => {
  test('a stopped child that handles SIGTERM ends by SIGTERM', async () => {
    const child = await scratch.launch({ sh: 'exec sleep 1000' })
    expect(await child.stop({ graceMs: unreachedMs })).toEqual({ endedBy: 'sigterm', swept: 0, survivors: [] })
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  test('a stopped child that needs time to exit gets the grace period and only one SIGTERM', async () => {
    const child = await scratch.launch({
      node: `
        let terms = 0
        process.on('SIGTERM', () => { if (++terms === 1) setTimeout(() => process.exit(10 + terms), 300) })
        setInterval(() => {}, 1e6)
        console.log('ready')`,
    })
    await child.lines.next()
    expect((await child.stop({ graceMs: unreachedMs })).endedBy).toBe('sigterm')
    expect(await child.exited).toEqual({ code: 11, signal: null })
  })

  test('a stopped child that ignores SIGTERM is killed after the grace period', async () => {
    const child = await scratch.launch({ sh: `trap '' TERM; echo ready; while :; do sleep 0.05; done` })
    await child.lines.next()
    const beganMs = performance.now()
    expect((await child.stop({ graceMs: 300 })).endedBy).toBe('sigkill')
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(300)
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('a stopped child without a grace period is killed at once and gets no SIGTERM to react to', async () => {
    const child = await scratch.launch({ sh: `trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done` })
    await child.lines.next()
    expect((await child.stop({ graceMs: 0 })).endedBy).toBe('sigkill')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('a stopped child that exits when asked gets no signal', async () => {
    const child = await scratch.launch({ sh: 'read -r line; exit 5' })
    const ask = () => {
      child.stdin?.write('please\n')
    }
    expect((await child.stop({ graceMs: unreachedMs, ask })).endedBy).toBe('ask')
    expect(await child.exited).toEqual({ code: 5, signal: null })
  })

  test('a stopped child that does not react to ask gets SIGTERM, even if the ask call never returns', async () => {
    const child = await scratch.launch({ sh: 'exec sleep 1000' })
    const report = await child.stop({ graceMs: unreachedMs, askMs: 50, ask: () => new Promise(() => {}) })
    expect(report.endedBy).toBe('sigterm')
  })

  test('a stopped child whose ask call fails gets SIGTERM at once', async () => {
    const child = await scratch.launch({ sh: 'exec sleep 1000' })
    const ask = () => Promise.reject(new Error('pipe closed'))
    expect((await child.stop({ graceMs: unreachedMs, askMs: 60_000, ask })).endedBy).toBe('sigterm')
  })

  const goBetween = (work: string) => `(${work}) > /dev/null 2>&1 & read -r line; exit 0`

  test('a stopped child leaves its descendants running for their grace period', async () => {
    const child = await scratch.launch({ sh: goBetween('trap "" HUP; sleep 0.4') })
    const ask = () => void child.stdin?.end('please\n')
    const report = await child.stop({ graceMs: unreachedMs, descendantGraceMs: unreachedMs, ask })
    expect(report).toEqual({ endedBy: 'ask', swept: 0, survivors: [] })
  })

  test('a stopped child has its descendants killed after their grace period', async () => {
    const child = await scratch.launch({ sh: goBetween('exec sleep 1000') })
    const ask = () => void child.stdin?.end('please\n')
    const report = await child.stop({ graceMs: unreachedMs, descendantGraceMs: 200, ask })
    expect(report).toEqual({ endedBy: 'ask', swept: 1, survivors: [] })
  })

  test('stopping a child that has ended already is no error, also when repeated', async () => {
    const child = await scratch.launch({ sh: 'exit 0' })
    await child.exited
    for (let time = 0; time < 2; time++) {
      expect(await child.stop({ graceMs: unreachedMs })).toEqual({ endedBy: 'already_gone', swept: 0, survivors: [] })
    }
  })

  test('twice concurrently is safe, and the shorter grace period takes effect', async () => {
    const child = await scratch.launch({ sh: `trap '' TERM; echo ready; while :; do sleep 0.05; done` })
    await child.lines.next()
    const reports = await Promise.all([child.stop({ graceMs: unreachedMs }), child.stop({ graceMs: 50 })])
    expect(reports.map((report) => report.survivors)).toEqual([[], []])
    expect(reports[1]?.endedBy).toBe('sigkill')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })
})

/**
 * Prints the pids of a daemon made by setsid, one made by double fork, and one that left both the session and its
 * environment.
 */
const daemonMaker = `
  import { spawn } from 'node:child_process'
  const daemon = (command, args, env = process.env) => spawn(command, args, { detached: true, stdio: 'ignore', env })
  const setsid = daemon('sleep', ['1000'])
  const cleared = daemon('sleep', ['1000'], {})
  const inner = "const c = require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });"
  const middle = spawn(process.execPath, ['-e', inner + 'console.log(c.pid); process.exit()'], { detached: true })
  let doubleForked = ''
  middle.stdout.on('data', (text) => { doubleForked += text })
  middle.once('close', () => console.log(JSON.stringify([setsid.pid, cleared.pid, Number(doubleForked)])))
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1e6)
`

describe.each([
  { name: 'this machine', table: processTable() },
  { name: 'ps', table: psTable() },
])('with the process table of $name', ({ table }) => {
  test('stopTree kills daemons made by setsid and by double fork, and leaves an unrelated process running', async () => {
    const unrelated = processes.sleeper()
    const other = await scratch.launch({ sh: 'exec sleep 1000' })
    const child = await scratch.launch({ node: daemonMaker })
    const daemons = await daemonsOf(child)
    const identity = await table.identify(child.identity.pid)

    const report = await stopTree({ identity, marker: child.marker, graceMs: 100, table })

    expect(report).toEqual({ endedBy: 'sigkill', swept: 3, survivors: [] })
    expect(await stillRunning(daemons)).toEqual([])
    expect(await stillRunning([unrelated.pid])).toEqual([unrelated.pid])
    expect(await processTable().isRunning(other.identity)).toBe(true)
  })

  test('sweepMarked kills a run of which only the marker is known', async () => {
    const child = await scratch.launch({ node: daemonMaker })
    const daemons = await daemonsOf(child)
    expect(await sweepMarked(child.marker, table)).toBe(4)
    expect(await stillRunning(daemons)).toEqual([])
    expect((await child.exited).signal).toBe('SIGKILL')
    expect(await sweepMarked(child.marker, table)).toBe(0)
  })
})

async function daemonsOf(child: Child): Promise<number[]> {
  const { value } = await child.lines.next()
  const pids: number[] = JSON.parse(value?.text ?? '')
  for (const pid of pids) processes.add(pid)
  expect(await stillRunning(pids)).toHaveLength(3)
  return pids
}

describe('stopTree', () => {
  test('stopTree sweeps the daemons of a child that has already exited', async () => {
    const child = await scratch.launch({ sh: '(sleep 1000 & sleep 1000 &) >/dev/null 2>&1; exit 0' })
    await child.exited
    expect(await child.stop({ graceMs: unreachedMs })).toEqual({ endedBy: 'already_gone', swept: 2, survivors: [] })
  })

  test('stopTree sweeps processes that fork during the sweep', async () => {
    const forker = 'while :; do sleep 0.05 & sleep 0.05; done'
    const child = await scratch.launch({ sh: `(${forker}) & (${forker}) & (${forker}) & echo ready; wait` })
    await child.lines.next()
    const { survivors } = await child.stop({ graceMs: 0 })
    expect(survivors).toEqual([])
    expect(await processTable().findMarked(child.marker)).toEqual([])
  })

  test('stopTree never signals a reused pid', async () => {
    const stranger = processes.sleeper()
    const known = await processTable().identify(stranger.pid)
    const [boot, ticks] = known?.startTime.split(':') ?? []
    for (const startTime of ['another', `${boot}:1`, `another-boot:${ticks}`]) {
      const identity = { pid: stranger.pid, startTime }
      const report = await stopTree({ identity, marker: newRunMarker(), graceMs: 0 })
      expect(report).toEqual({ endedBy: 'already_gone', swept: 0, survivors: [] })
    }
    expect(await stillRunning([stranger.pid])).toEqual([stranger.pid])
  })

  test('stopTree stops signalling when the pid is reused during the stop', async () => {
    const stranger = processes.sleeper()
    let looks = 0
    const table: ProcessTable = {
      identify: async () => undefined,
      isRunning: async () => looks++ === 0,
      findMarked: async () => [],
      listMarked: async () => [],
    }
    const report = await stopTree({
      identity: { pid: stranger.pid, startTime: 'old' },
      marker: 'm',
      graceMs: 100,
      table,
    })
    expect(report.endedBy).toBe('sigterm')
    expect(await stillRunning([stranger.pid])).toEqual([stranger.pid])
  })

  test('stopTree reports processes that survive SIGKILL', async () => {
    const undying = { pid: processes.sleeper().pid, startTime: 'now' }
    const table: ProcessTable = {
      identify: async () => undying,
      isRunning: async () => true,
      findMarked: async () => [undying],
      listMarked: async () => [],
    }
    const { survivors } = await stopTree({ identity: undefined, marker: 'm', graceMs: 0, table })
    expect(survivors).toEqual([undying])
  })

  test.each([
    { whom: 'our own group', pid: 0 },
    { whom: 'every process', pid: -1 },
    { whom: 'the system', pid: 1 },
    { whom: 'ourselves', pid: process.pid },
  ])('stopTree refuses to signal $whom, whatever pid a row names', async ({ pid }) => {
    const table: ProcessTable = {
      identify: async () => undefined,
      isRunning: async () => true,
      findMarked: async () => [],
      listMarked: async () => [],
    }
    const identity = { pid, startTime: 'now' }
    await expect(stopTree({ identity, marker: 'm', graceMs: 0, table })).rejects.toThrow('Refusing')
  })
})
