import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { identify, startServer, stillRunning, testFolder } from '../support/processes/server-process.ts'
import { eventually } from '../support/vitest/eventually.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

test('the API answers while the pages are still being built, and the build ends with the server', async () => {
  const { script, pidOfBuild } = await checkoutWhoseBuildHangs()
  const server = await startServer({ home: join(await testFolder(), 'home'), script })
  expect((await server.get('/categories')).status).toBe(200)

  const build = await identify([Number(await eventually(pidOfBuild, (pid) => pid !== ''))])
  expect(await stillRunning(build)).toHaveLength(1)
  expect((await server.post('/categories', { name: 'Made during the build' })).status).toBe(201)

  expect((await server.stop()).signal).toBeNull()
  await eventually(
    () => stillRunning(build),
    (left) => left.length === 0,
  )
})

/** The scripts of this repository over its server, in a checkout that is prepared and whose vite never ends. */
async function checkoutWhoseBuildHangs(): Promise<{ script: string; pidOfBuild(): Promise<string> }> {
  const root = await testFolder()
  const place = async (file: string, text: string) => {
    await mkdir(join(root, file, '..'), { recursive: true })
    await writeFile(join(root, file), text)
  }
  await cp(join(repository, 'scripts'), join(root, 'scripts'), { recursive: true })
  await place('scripts/prepare.mjs', 'export const prepare = async () => undefined\n')
  await place('package.json', '{ "type": "module" }')
  const main = pathToFileURL(join(repository, 'packages/server/dist/main.js')).href
  await place('packages/server/dist/main.js', `export { main } from ${JSON.stringify(main)}\n`)
  const vite = `import { writeFileSync } from 'node:fs'
    writeFileSync('pid', String(process.pid))
    setInterval(() => undefined, 1_000_000)`
  await place('node_modules/vite/bin/vite.js', vite)
  return {
    script: pathToFileURL(join(root, 'scripts/start.mjs')).href,
    pidOfBuild: () => readFile(join(root, 'pid'), 'utf8').catch(() => ''),
  }
}
