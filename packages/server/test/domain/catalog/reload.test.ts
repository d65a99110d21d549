import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Catalog, openCatalog } from '../../../src/domain/catalog/catalog.ts'
import { airOf, emptyFolder, openedCatalog, replaceFile, skill, writeFiles } from '../../support/app/catalog-folder.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { silentLog } from '../../support/log/silent-log.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const stdio = { type: 'stdio', command: 'node' }
const one = { 'mcp.json': { one: stdio } }
const two = JSON.stringify({ one: stdio, two: stdio })
const neverPolls = { pollMs: 3_600_000, settleMs: 20 }
const onlyPolls = { isWatching: false, pollMs: 50 }

const serversOf = (catalog: Catalog): string[] => catalog.current().mcpServers.list.map(({ name }) => name)
const onceThereAre = (catalog: Catalog, ...names: string[]): Promise<string[]> =>
  eventually(
    async () => serversOf(catalog),
    (found) => found.join() === names.join(),
  )

describe.each([
  ['by a watch event', neverPolls],
  ['by polling', onlyPolls],
])('an edit is loaded without a restart, %s', (_how, follow) => {
  test('an edit of a catalog is loaded without a restart when a file is replaced', async () => {
    const { catalog, folder } = await openedCatalog(one, { follow })
    const before = catalog.current()
    await replaceFile(join(folder, 'mcp.json'), two)
    await onceThereAre(catalog, 'one', 'two')
    // The earlier tree is unchanged.
    expect(before.mcpServers.list).toHaveLength(1)
    expect(catalog.status().version).not.toBe(before.version)
  })

  test('an edit of a catalog is loaded without a restart when the whole folder is swapped', async () => {
    const { catalog, folder } = await openedCatalog(one, { follow })
    const next = { 'mcp.json': { fresh: stdio } }
    await writeFiles(`${folder}.next`, { 'air.json': airOf(next), ...next })
    await rename(folder, `${folder}.old`)
    await rename(`${folder}.next`, folder)
    await onceThereAre(catalog, 'fresh')
    // Later edits are detected too.
    await replaceFile(join(folder, 'mcp.json'), two)
    await onceThereAre(catalog, 'one', 'two')
  })

  test('an edit of a catalog is loaded without a restart when the body of a skill changes', async () => {
    const { catalog, folder } = await openedCatalog(
      { 'skills.json': { tidy: { description: 'Tidies.', path: 'skills/workflow/tidy' } }, ...skill('tidy') },
      { follow },
    )
    const before = catalog.status().version
    await writeFiles(folder, { 'skills/workflow/tidy/more.md': 'more\n' })
    await eventually(
      async () => catalog.status().version,
      (version) => version !== before,
    )
  })
})

describe('a link to the catalog', () => {
  test('a link to the catalog can be changed to another catalog', async () => {
    const place = await emptyFolder()
    await writeFiles(join(place, 'a'), { 'air.json': airOf(one), ...one })
    const other = { 'mcp.json': { other: stdio } }
    await writeFiles(join(place, 'b'), { 'air.json': airOf(other), ...other })
    await mkdir(join(place, 'home'))
    await symlink('a', join(place, 'current'))
    const catalog = await openCatalog({
      path: join(place, 'current/air.json'),
      home: join(place, 'home'),
      environment: {},
      log: silentLog,
      follow: neverPolls,
    })
    onTestFinished(() => catalog.close())
    await symlink('b', join(place, 'current.new'))
    await rename(join(place, 'current.new'), join(place, 'current'))
    await catalog.refresh()
    expect(serversOf(catalog)).toEqual(['other'])
  })
})

describe('an invalid edit', () => {
  test('an invalid edit of a catalog keeps the last valid catalog and reports the error until it is fixed', async () => {
    const recorded = recordedLog()
    const { catalog, folder } = await openedCatalog(one, { log: recorded.log })
    const { version } = catalog.status()
    await replaceFile(join(folder, 'mcp.json'), '{"one": {"type": "stdio"}}')
    await catalog.refresh()
    expect(catalog.status()).toMatchObject({
      version,
      isDegraded: true,
      error: 'mcp.json: one.command: is required for a server of type stdio',
    })
    expect(serversOf(catalog)).toEqual(['one'])
    await catalog.refresh()
    const warnings = recorded.records().filter(({ level }) => level === 40)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatchObject({ error: catalog.status().error })

    await replaceFile(join(folder, 'mcp.json'), two)
    await catalog.refresh()
    expect(catalog.status()).toMatchObject({ isDegraded: false, error: null })
    expect(serversOf(catalog)).toEqual(['one', 'two'])
  })

  test('an invalid edit of a catalog can be a deleted catalog, which is loaded again when it returns', async () => {
    const { catalog, folder } = await openedCatalog(one, { follow: onlyPolls })
    await rm(folder, { recursive: true })
    await eventually(
      async () => catalog.status().isDegraded,
      (isDegraded) => isDegraded,
    )
    expect(serversOf(catalog)).toEqual(['one'])
    const next = { 'mcp.json': { fresh: stdio } }
    await writeFiles(folder, { 'air.json': airOf(next), ...next })
    await onceThereAre(catalog, 'fresh')
  })

  test('a missing file is detected when it appears', async () => {
    const { catalog, folder } = await openedCatalog(one)
    await writeFiles(folder, {
      'air.json': { name: 'test', mcp: ['mcp.json'], skills: ['skills.json'] },
      'skills.json': { tidy: { description: 'Tidies.', path: 'skills/workflow/tidy' } },
    })
    await catalog.refresh()
    expect(catalog.status().error).toBe('skills.json: tidy.path: "skills/workflow/tidy" does not exist')
    await writeFiles(folder, skill('tidy'))
    await catalog.refresh()
    expect(catalog.status().error).toBeNull()
    expect(catalog.current().skills.find('tidy')).toBeDefined()
  })
})

test('unchanged files are not read again', async () => {
  const { catalog } = await openedCatalog(one)
  const before = catalog.current()
  await catalog.refresh()
  expect(catalog.current()).toBe(before)
})
