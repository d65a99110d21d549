import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { axe, homeFolder, openPage, overflows, screenshot, startServer } from '../support/browser.ts'

const sample = { description: 'A repository', url: `\${YARDMASTER_HOME}/sample-repository` }

/** A server with a catalog of this test, and a way to edit the file of its roots. */
async function serverWithCatalog() {
  const folder = await homeFolder()
  const edit = async (text: string) => {
    await writeFile(join(folder, 'next'), text)
    await rename(join(folder, 'next'), join(folder, 'roots.json'))
  }
  const writeRoots = (names: readonly string[]) =>
    edit(JSON.stringify(Object.fromEntries(names.map((name) => [name, sample]))))
  await writeRoots(['sample'])
  await writeFile(join(folder, 'air.json'), JSON.stringify({ name: 'of-a-test', roots: ['roots.json'] }))
  return { server: await startServer({ environment: { CATALOG_PATH: folder } }), edit, writeRoots }
}

test('an open catalog page shows edited files by itself, and says what is wrong with them', async () => {
  const { server, edit, writeRoots } = await serverWithCatalog()
  const { page, faults, goto } = await openPage({ server })
  await goto('/catalog')
  await page.getByText('sample', { exact: true }).first().waitFor()
  expect(await page.getByText('second').count()).toBe(0)
  await writeRoots(['sample', 'second'])
  await page.getByText('second', { exact: true }).first().waitFor()
  await page
    .getByRole('tab', { name: /^Roots/ })
    .getByText('2')
    .waitFor()
  await edit('{ "sample": ')
  await page.getByText(/The files of the catalog are invalid, so the last valid ones are used/).waitFor()
  await screenshot(page, 'catalog-invalid')
  expect(await axe(page)).toEqual([])
  expect(await page.getByText('second', { exact: true }).count()).toBeGreaterThan(0)
  await writeRoots(['sample'])
  await page.getByText('second', { exact: true }).first().waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test.each([
  { size: 'desktop', theme: 'dark' },
  { size: 'phone', theme: 'light' },
] as const)('the files of the catalog are read again by a button, on a $size in the $theme theme', async (look) => {
  const { server, writeRoots } = await serverWithCatalog()
  const { page, faults, goto } = await openPage({ server, ...look })
  // Without the reads at intervals: the button alone must do.
  await page.addInitScript(() => {
    const [every, later] = [window.setInterval, window.setTimeout]
    Object.assign(window, {
      setInterval: (act: () => void, ms = 0) => every(act, ms === 5_000 ? 2 ** 30 : ms),
      setTimeout: (act: () => void, ms = 0) => later(act, ms === 5_000 ? 2 ** 30 : ms),
    })
  })
  await goto('/catalog')
  await page.getByText('sample', { exact: true }).first().waitFor()
  // Named once the catalog was read for the first time.
  await page.getByText('of-a-test: what sessions can be made of').waitFor()
  const isShown = page.waitForResponse(
    (answer) => answer.request().method() === 'GET' && /\/v1\/catalog$/.test(answer.url()),
  )
  await page.getByRole('button', { name: 'Read again' }).click()
  await page.getByText('The files have not changed').waitFor()
  await isShown
  await writeRoots(['sample', 'second'])
  await page.getByRole('button', { name: 'Read again' }).click()
  await page.getByText('The catalog was read again').waitFor()
  await page.getByText('second', { exact: true }).first().waitFor()
  await screenshot(page, `catalog-${look.size}-${look.theme}`)
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  expect(await server.call('GET', '/configs')).toMatchObject({
    agent_roots: expect.arrayContaining([expect.objectContaining({ name: 'second' })]),
  })
  expect(faults).toEqual([])
})
