import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, serverOfFile, sharedServer } from '../support/browser.ts'

serverOfFile()

type Settings = { default_runtime: string | null; default_model: string | null; genesis_class_overrides: object }
type Configs = { runtime_models: Record<string, { models: { id: string; label: string }[] }> }

async function settings(): Promise<Settings> {
  return (await sharedServer().call<{ settings: Settings }>('GET', '/settings')).settings
}

test('a default runtime and model are chosen, new sessions get them, and another runtime forgets the model', async () => {
  const { call } = sharedServer()
  const { runtime_models } = await call<Configs>('GET', '/configs')
  const model = runtime_models.runtime_alpha?.models.at(-1)
  const { page, faults, goto } = await openPage()
  await goto('/settings')
  const [runtimes, models] = [page.getByLabel('Default runtime'), page.getByLabel('Default model')]
  await runtimes.selectOption('Chosen by the server')
  await page.getByText('Choose a runtime first').waitFor()
  expect(await models.isDisabled()).toBe(true)
  await runtimes.selectOption('runtime_alpha')
  await page.getByText('Of sessions on runtime_alpha that name none').waitFor()
  await models.selectOption({ label: model?.label ?? '' })
  await expect.poll(settings).toMatchObject({ default_runtime: 'runtime_alpha', default_model: model?.id })
  await expect.poll(() => models.inputValue()).toBe(model?.id)
  await screenshot(page, 'settings-defaults')
  // Without a prompt nothing runs, so no vendor's program is needed.
  const { session } = await call<{ session: { agent_runtime: string; config: { model: string } } }>(
    'POST',
    '/sessions',
    { title: 'Gets the defaults', git_root: '/nowhere' },
  )
  expect(session).toMatchObject({ agent_runtime: 'runtime_alpha', config: { model: model?.id } })
  await runtimes.selectOption('demo')
  await expect.poll(settings).toMatchObject({ default_runtime: 'demo', default_model: null })
  await runtimes.selectOption('Chosen by the server')
  await expect.poll(settings).toMatchObject({ default_runtime: null, default_model: null })
  await page.getByText('Choose a runtime first').waitFor()
  expect(faults).toEqual([])
})

test('two classes that are chosen one right after the other are both kept', async () => {
  const { page, goto } = await openPage()
  await goto('/settings')
  const [made, unknown] = ['made here', 'of unknown origin'].map((origin) =>
    page.getByLabel(`Class of sessions ${origin}`),
  )
  await made?.waitFor()
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  // The page does not read the first choice before the second is made.
  await page.route('**/web/*/v1/settings', async (route) => {
    if (route.request().method() === 'GET') await isReleased
    await route.continue()
  })
  await made?.selectOption('spot')
  await expect.poll(async () => (await settings()).genesis_class_overrides).toEqual({ web_ui: 'spot' })
  await unknown?.selectOption('spot')
  await expect.poll(async () => (await settings()).genesis_class_overrides).toEqual({ web_ui: 'spot', unknown: 'spot' })
  release()
  await expect.poll(() => unknown?.inputValue()).toBe('spot')
  expect(await made?.inputValue()).toBe('spot')
})

test('a browser that was lost is removed from those with pushes', async () => {
  const { call } = sharedServer()
  const list = async () =>
    (await call<{ push_subscriptions: { id: number }[] }>('GET', '/push_subscriptions')).push_subscriptions
  for (const name of ['kept', 'lost'])
    await call('POST', '/push_subscriptions', {
      endpoint: `https://${name}.push.example/send/a-browser`,
      p256dh_key: createECDH('prime256v1').generateKeys('base64url'),
      auth_key: '3wYq5s8m8v7d3h1k9b2c4A',
    })
  expect(await list()).toHaveLength(2)
  const { page, faults, goto } = await openPage({ size: 'phone', theme: 'dark' })
  await goto('/settings')
  const lost = page.getByRole('listitem').filter({ hasText: 'lost.push.example' })
  await lost.waitFor()
  await screenshot(page, 'settings-pushes-phone-dark')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await lost.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed', { exact: true }).waitFor()
  await lost.waitFor({ state: 'detached' })
  await page.getByText('kept.push.example').waitFor()
  expect(await list()).toHaveLength(1)
  expect(faults).toEqual([])
})

test('a browser that is signed out from another one is asked to sign in, without a reload', async () => {
  const { page: lost, goto: gotoLost } = await openPage({ size: 'phone' })
  await gotoLost('/notifications')
  await lost.getByText('live', { exact: true }).waitFor()
  const { page, faults, goto } = await openPage()
  await goto('/settings')
  // Only a browser may list them.
  const signIns = () =>
    page.evaluate(async () => {
      const answer = await fetch(`${localStorage['yardmaster.private-path']}/v1/sign_ins`)
      return (await answer.json()).sign_ins.map(({ is_current }: { is_current: boolean }) => is_current)
    })
  const rows = page.getByRole('listitem').filter({ hasText: 'signed in by' })
  await expect.poll(signIns).toContain(false)
  while ((await signIns()).length > 1) {
    const count = (await signIns()).length
    await rows.filter({ hasNotText: 'this browser' }).first().getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => rows.count()).toBe(count - 1)
  }
  await page.getByText('Signed out', { exact: true }).first().waitFor()
  expect(await signIns()).toEqual([true])
  await lost.getByRole('heading', { name: 'Sign in to Yardmaster' }).waitFor()
  expect(faults).toEqual([])
})
