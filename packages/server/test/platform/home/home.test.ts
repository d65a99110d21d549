import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHome } from '../../../src/platform/home/home.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { type LineChild, startLineChild } from '../../support/processes/line-child.ts'

const isRoot = process.geteuid?.() === 0
const racerScript = new URL('../../support/processes/home-racer.mjs', import.meta.url)

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ym-home-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

describe('the folder', () => {
  test('a missing home is created with its parents and is private', async () => {
    const home = await openHome(join(folder, 'some/where/home'))
    const { mode } = await stat(home.path)
    expect(mode & 0o007).toBe(0)
    expect(mode & 0o777).toBe(isRoot ? 0o710 : 0o700)
    expect(home.in('clones', 'one')).toBe(join(home.path, 'clones/one'))
    await home.release()
  })

  test.runIf(isRoot)('as root, only the group of the database user may enter a home that we created', async () => {
    const home = await openHome(join(folder, 'home'))
    const { gid } = await stat(home.path)
    expect(gid).toBe(Number(execFileSync('id', ['-g', 'yardmaster-postgres'], { encoding: 'utf8' })))
    await home.release()
  })

  test('an existing folder keeps its permissions', async () => {
    await mkdir(join(folder, 'home'))
    await chmod(join(folder, 'home'), 0o750)
    const home = await openHome(join(folder, 'home'))
    expect((await stat(home.path)).mode & 0o777).toBe(0o750)
    await home.release()
  })

  test('a home given by a link is opened at its real path', async () => {
    await mkdir(join(folder, 'real'))
    await symlink(join(folder, 'real'), join(folder, 'link'))
    const home = await openHome(join(folder, 'link'))
    expect(home.path.endsWith('/real')).toBe(true)
    await home.release()
  })

  test('a file in the place of the home is a StartupError', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(openHome(join(folder, 'file'))).rejects.toThrow(new StartupError(notADirectory(join(folder, 'file'))))
    await expect(openHome(join(folder, 'file/below'))).rejects.toThrow(/a part of its path is not a directory/)
  })

  test.runIf(isRoot)('a home of another user is refused, and the message names both users', async () => {
    await mkdir(join(folder, 'theirs'))
    await chown(join(folder, 'theirs'), 12345, 12345)
    await expect(openHome(join(folder, 'theirs'))).rejects.toThrow(/belongs to user 12345, not to user 0/)
  })

  test('a home that is not writable is refused', async () => {
    await chmod(folder, 0o755)
    await mkdir(join(folder, 'closed'), { mode: 0o500 })
    if (isRoot) await chown(join(folder, 'closed'), ordinaryUser, ordinaryUser)
    await asOrdinaryUser(() => expect(openHome(join(folder, 'closed'))).rejects.toThrow(/not writable/))
  })
})

const ordinaryUser = 65_534

/** Root can write anywhere, so as root the test switches to an ordinary user for this call. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (!isRoot) return work()
  process.seteuid?.(ordinaryUser)
  try {
    await work()
  } finally {
    process.seteuid?.(0)
  }
}

describe('the host id', () => {
  test('the host id is the same at every start and readable only by its owner', async () => {
    const first = await openHome(join(folder, 'home'))
    await first.release()
    const second = await openHome(join(folder, 'home'))
    await second.release()
    expect(second.hostId).toBe(first.hostId)
    expect(first.hostId).toMatch(/^[0-9a-f-]{36}$/)
    expect((await stat(first.in('host-id'))).mode & 0o777).toBe(0o600)
  })

  test('the host id differs between two homes', async () => {
    const [one, other] = [await openHome(join(folder, 'one')), await openHome(join(folder, 'other'))]
    expect(one.hostId).not.toBe(other.hostId)
    await Promise.all([one.release(), other.release()])
  })
})

describe('the lock', () => {
  test('a second Yardmaster on the home is refused with the pid and the home in the message', async () => {
    const home = await openHome(join(folder, 'home'))
    const refusal = openHome(join(folder, 'home'))
    await expect(refusal).rejects.toThrow(StartupError)
    await expect(refusal).rejects.toThrow(
      `Another Yardmaster (process ${process.pid}) is running on the home ${home.path}`,
    )
    await home.release()
  })

  test('exactly one of many concurrent callers in one process opens the home', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => openHome(join(folder, 'home'))))
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1)
  })

  test('a released home can be opened again, and a second release has no effect', async () => {
    const first = await openHome(join(folder, 'home'))
    await first.release()
    const second = await openHome(join(folder, 'home'))
    await first.release()
    await expect(openHome(join(folder, 'home'))).rejects.toThrow(StartupError)
    await second.release()
  })

  test('a lock whose pid now belongs to another process does not hold the home', async () => {
    await mkdir(join(folder, 'home'))
    await symlink(`${process.pid} before-the-reboot token`, join(folder, 'home/home.lock'))
    await (await openHome(join(folder, 'home'))).release()
  })

  test('a file in the place of the lock is reported by its path', async () => {
    await mkdir(join(folder, 'home'))
    await writeFile(join(folder, 'home/home.lock'), '')
    await expect(openHome(join(folder, 'home'))).rejects.toThrow("home.lock is not a lock of Yardmaster's; remove it")
  })

  test('each time the holder is killed, exactly one of the racing processes opens the home', async () => {
    const path = join(folder, 'home')
    const racers = await Promise.all(Array.from({ length: 9 }, () => startRacer(path)))
    try {
      let waiting = racers
      while (waiting.length > 0) {
        for (const racer of waiting) racer.say('open')
        const answers = await Promise.all(waiting.map((racer) => racer.nextLine()))
        const winners = waiting.filter((_, index) => answers[index] === 'opened')
        expect(winners, answers.join('\n')).toHaveLength(1)
        const refusals = answers.filter((answer) => answer !== 'opened')
        for (const refusal of refusals) expect(refusal).toContain(`Another Yardmaster (process ${winners[0]?.pid})`)
        await winners[0]?.kill()
        waiting = waiting.filter((racer) => racer !== winners[0])
      }
    } finally {
      await Promise.all(racers.map((racer) => racer.kill()))
    }
  })
})

describe('the lock folder of an earlier build', () => {
  test('the lock folder of an earlier build refuses the home while the process of its highest number runs, and releases the new lock', async () => {
    const self = await processTable().identify(process.pid)
    await writeEarlierLock({ 7: 'released', 8: JSON.stringify(self) })
    await expect(openHome(join(folder, 'home'))).rejects.toThrow(`Another Yardmaster (process ${process.pid})`)
    await writeEarlierLock({ 8: 'released' })
    await (await openHome(join(folder, 'home'))).release()
  })

  test.each([
    ['released', 'released'],
    ['left empty by a power cut', ''],
    ['of a dead process', '{"pid": 999999999, "startTime": "long ago"}'],
  ])('the lock folder of an earlier build is removed when it was %s', async (_, content) => {
    await writeEarlierLock({ 7: content })
    const home = await openHome(join(folder, 'home'))
    expect(await readdir(home.path)).toEqual(['home.lock', 'host-id'])
    await home.release()
  })

  async function writeEarlierLock(files: Record<number, string>): Promise<void> {
    await mkdir(join(folder, 'home/lock'), { recursive: true })
    for (const [number, content] of Object.entries(files)) await writeFile(join(folder, 'home/lock', number), content)
  }
})

async function startRacer(path: string): Promise<LineChild> {
  const racer = startLineChild(racerScript, [path])
  expect(await racer.nextLine()).toBe('ready')
  return racer
}

function notADirectory(path: string): string {
  return `The home ${path} is not a directory. Set YARDMASTER_HOME to another folder.`
}
