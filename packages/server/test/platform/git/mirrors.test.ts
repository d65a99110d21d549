import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { type LineChild, startLineChild } from '../../support/processes/line-child.ts'
import { type Forge, startForge } from './forge.ts'
import { failureOf, isThere, openPlayground, type Playground } from './playground.ts'

describe('many clones at once', () => {
  test('many clones at once of one repository all succeed, and waiting clones share one fetch', async () => {
    const { clones, forge, address, tip } = await open()

    const names = Array.from({ length: 10 }, (_, index) => `clone-${index}`)
    const made = await Promise.all(names.map((name) => clones.create({ name, address, branch: 'main' })))

    expect(made.map(({ commit }) => commit)).toEqual(names.map(() => tip))
    expect(forge.refsRequestCount()).toBeLessThan(names.length)
  })

  test('many clones at once from two processes all succeed, and the mirror is built once', async () => {
    const { playground, clones, forge, address, tip } = await open()

    const others = ['x', 'y'].map((name) => startRunner(playground, address.url, name))
    const mine = clones.create({ name: 'a', address, branch: 'main' })

    expect(await Promise.all(others.map((other) => other.nextLine()))).toEqual([tip, tip])
    expect((await mine).commit).toBe(tip)
    expect(forge.refsRequestCount()).toBe(3)
    expect(await leftovers(playground)).toEqual([])
  })

  test('a clone requested after a push has the pushed commit, although a fetch was underway', async () => {
    const gate = makeGate()
    let questions = 0
    const { playground, source, clones, address } = await open({
      // The first request to git-upload-pack is for the refs, the second for the objects.
      before: async (path) => {
        if (path.endsWith('/git-upload-pack')) questions += 1
        if (questions === 2) await gate.pass()
      },
    })
    await clones.create({ name: 'a', address, branch: 'main' })
    await playground.commit(source, { 'first.txt': 'first' })

    questions = 0
    gate.close()
    const early = clones.create({ name: 'b', address, branch: 'main' })
    await gate.someoneWaits()
    const pushed = await playground.commit(source, { 'second.txt': 'second' })
    const late = clones.create({ name: 'c', address, branch: 'main' })
    gate.open()

    await early
    expect((await late).commit).toBe(pushed)
  })
})

describe('aborting', () => {
  test('one of two callers that share a fetch leaves the other its clone', async () => {
    const gate = makeGate()
    const { clones, address, tip } = await open({ before: gate.pass })
    gate.close()
    const controller = new AbortController()
    // The first caller holds the mirror; the next two share one run.
    const first = clones.create({ name: 'a', address, branch: 'main' })
    await gate.someoneWaits()
    const second = clones.create({ name: 'b', address, branch: 'main', signal: controller.signal })
    const third = clones.create({ name: 'c', address, branch: 'main' })
    const gaveUp = failureOf(second)
    controller.abort(new Error('Archived'))
    gate.open()

    expect(await gaveUp).toMatchObject({ message: 'Archived' })
    expect((await first).commit).toBe(tip)
    expect((await third).commit).toBe(tip)
  })

  test('the only caller stops git, leaves no files and does not block the next clone', async () => {
    const gate = makeGate()
    const { playground, clones, address, tip } = await open({ before: gate.pass })
    gate.close()
    const controller = new AbortController()
    const cloning = clones.create({ name: 'a', address, branch: 'main', signal: controller.signal })
    await gate.someoneWaits()
    controller.abort(new Error('Archived'))

    expect(await failureOf(cloning)).toMatchObject({ message: 'Archived' })
    expect(await leftovers(playground)).toEqual([])
    gate.open()
    expect((await clones.create({ name: 'a', address, branch: 'main' })).commit).toBe(tip)
  })

  test('aborting a git command happens at the timeout when the server stalls in the middle', async () => {
    const { playground, address } = await open({ stallAfterBytes: () => 200 })
    const clones = openClones({ ...foldersOf(playground), networkTimeoutMs: 1_000 })

    expect(await failureOf(clones.create({ name: 'a', address, branch: 'main' }))).toMatchObject({ kind: 'timeout' })
    expect(await leftovers(playground)).toEqual([])
  })
})

describe('a process killed with SIGKILL', () => {
  test('a process killed with SIGKILL while it builds a mirror does not break the next clone', async () => {
    let stallAfterBytes: number | undefined = 200
    const { playground, clones, forge, address, tip } = await open({ stallAfterBytes: () => stallAfterBytes })
    const runner = startRunner(playground, address.url, 'killed')
    await expect.poll(() => leftovers(playground)).toHaveLength(2)
    await expect.poll(() => forge.sentBytes()).toBeGreaterThan(2_000)
    await runner.kill()
    expect(await leftovers(playground)).toEqual([
      expect.stringMatching(/\.git\.building-/),
      expect.stringMatching(/\.lock$/),
    ])

    stallAfterBytes = undefined
    const clone = await clones.create({ name: 'a', address, branch: 'main' })

    expect(clone.commit).toBe(tip)
    expect(await playground.git(clone.path, 'fsck', '--full')).toBe('')
    expect(await leftovers(playground)).toEqual([])
  })

  test('a process killed with SIGKILL while it fetches into a mirror does not break the next clone', async () => {
    let stallAfterBytes: number | undefined
    const { playground, source, clones, forge, address } = await open({ stallAfterBytes: () => stallAfterBytes })
    await clones.create({ name: 'a', address, branch: 'main' })
    const pushed = await playground.commit(source, { 'more.txt': randomText() })
    const sentBefore = forge.sentBytes()
    stallAfterBytes = 200
    const runner = startRunner(playground, address.url, 'killed')
    await expect.poll(() => forge.sentBytes() - sentBefore).toBeGreaterThan(2_000)
    await runner.kill()

    stallAfterBytes = undefined
    const clone = await clones.create({ name: 'b', address, branch: 'main' })

    expect(clone.commit).toBe(pushed)
    expect(await playground.git(clone.path, 'fsck', '--full')).toBe('')
    expect(await leftovers(playground)).toEqual([])
  })
})

test('a mirror with many small packs is repacked and loses no commit', async () => {
  const { playground, source, clones, address } = await open()
  await clones.create({ name: 'a', address, branch: 'main' })
  const mirror = join(playground.path, 'mirrors', `${address.mirrorKey}.git`)
  await addSmallPacks(playground, mirror, 51)
  const tip = await playground.commit(source, { 'after.txt': 'after' })

  const clone = await clones.create({ name: 'b', address, branch: 'main' })

  expect(clone.commit).toBe(tip)
  expect(await playground.git(mirror, 'fsck', '--full')).not.toContain('missing')
  expect((await readdir(join(mirror, 'objects/pack'))).filter((name) => name.endsWith('.pack')).length).toBeLessThan(50)
})

test('waiting for a mirror that another running process holds ends at the timeout', async () => {
  const { playground, address } = await open()
  const { root, mirrorsRoot } = foldersOf(playground)
  const clones = openClones({ root, mirrorsRoot, networkTimeoutMs: 300 })
  await mkdir(mirrorsRoot)
  const holder = startLineChild(new URL('../concurrency/lock-holder.mjs', import.meta.url), [
    join(mirrorsRoot, `${address.mirrorKey}.lock`),
  ])
  onTestFinished(() => holder.kill())
  await holder.nextLine()

  expect(await failureOf(clones.create({ name: 'a', address, branch: 'main' }))).toMatchObject({
    kind: 'timeout',
    reason: expect.stringContaining(`process ${holder.pid}`),
  })
})

async function open(
  options: { before?: (path: string) => Promise<void>; stallAfterBytes?: () => number | undefined } = {},
) {
  const playground = await openPlayground()
  const source = await playground.makeSource()
  const tip = await playground.commit(source, { 'text.txt': randomText() })
  const forge: Forge = await startForge({ root: playground.path, ...options })
  const clones = openClones(foldersOf(playground))
  return { playground, source, tip, forge, clones, address: parseRepositoryAddress(`${forge.origin}/source/.git`) }
}

function foldersOf(playground: Playground) {
  return { root: join(playground.path, 'clones'), mirrorsRoot: join(playground.path, 'mirrors') }
}

function startRunner(playground: Playground, address: string, name: string): LineChild {
  const { root, mirrorsRoot } = foldersOf(playground)
  const runner = startLineChild(new URL('./clone-runner.mjs', import.meta.url), [
    root,
    mirrorsRoot,
    address,
    'main',
    name,
  ])
  onTestFinished(() => runner.kill())
  return runner
}

/** Everything beside the mirrors themselves. */
async function leftovers(playground: Playground): Promise<string[]> {
  const { root, mirrorsRoot } = foldersOf(playground)
  const names = (await isThere(mirrorsRoot)) ? await readdir(mirrorsRoot) : []
  const partials = (await isThere(root)) ? (await readdir(root)).filter((name) => name.includes('.')) : []
  return [...names.filter((name) => !name.endsWith('.git')), ...partials].toSorted()
}

/** Incompressible, so that it takes more than one write of a server. */
function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(20_000))).toString('base64')
}

/** Passes requests until it is closed; later requests wait. */
function makeGate() {
  let opened = Promise.resolve()
  let open = () => {}
  let waiting = 0
  return {
    pass: async () => {
      waiting += 1
      await opened
      waiting -= 1
    },
    close: () => {
      opened = new Promise((resolve) => {
        open = resolve
      })
    },
    open: () => open(),
    someoneWaits: () => expect.poll(() => waiting).toBeGreaterThan(0),
  }
}

async function addSmallPacks(playground: Playground, mirror: string, count: number): Promise<void> {
  const files = Array.from({ length: count }, (_, index) => join(playground.path, `blob-${index}`))
  for (const file of files) await writeFile(file, randomText())
  const blobs = (await playground.git(mirror, 'hash-object', '-w', ...files)).split('\n')
  await Promise.all(
    blobs.map(async (blob) => {
      await writeFile(join(playground.path, blob), blob)
      const pack = 'alias.pack-one=!git pack-objects -q objects/pack/pack <'
      await playground.git(mirror, '-c', pack, 'pack-one', join(playground.path, blob))
    }),
  )
}
