import { expect, test } from 'vitest'
import { axe, openPage, overflows, screenshot, sharedServer } from '../support/browser.ts'
import { ask, makeSession } from '../support/sessions.ts'

const schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', title: 'Replicas', minimum: 1, maximum: 9 },
    dry_run: { type: 'boolean', title: 'Dry run' },
    region: { type: 'string', title: 'Region', enum: ['eu', 'us'], enumNames: ['Europe', 'America'] },
    zone: { type: 'string', title: 'Zone', enum: ['a', 'b', 'c', 'd', 'e', 'f'] },
    steps: { type: 'array', title: 'Steps', items: { type: 'string', enum: ['build', 'test', 'ship'] } },
    contact: { type: 'string', title: 'Contact', format: 'email' },
  },
  required: ['replicas', 'region'],
}

async function asked(title: string, requestedSchema?: object) {
  const { id } = await makeSession(title)
  const message = `${title}?`
  const { request } = await ask(id, message, requestedSchema)
  const answer = () => sharedServer().call<{ action: string; content?: unknown }>('GET', `/elicitations/${request}`)
  const opened = await openPage()
  await opened.goto(`/sessions/${id}`)
  return { ...opened, answer, form: opened.page.getByRole('form', { name: `Question: ${message}` }) }
}

test('a question is answered by number, switch, choices and text, each in its own type', async () => {
  const { page, form, answer, faults } = await asked('How should it be deployed', schema)
  await form.getByRole('textbox', { name: 'Replicas' }).fill('12')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.getByText(/^replicas /).waitFor()
  await form.getByText(/^region /).waitFor()
  await screenshot(page, 'elicitation-refused')
  await form.getByRole('textbox', { name: 'Replicas' }).fill('3')
  await form.getByText(/^replicas /).waitFor({ state: 'detached' })
  await form.getByRole('switch', { name: 'Dry run' }).click()
  await form.getByRole('radio', { name: 'Europe' }).check()
  await form.getByRole('combobox', { name: /^Zone/ }).selectOption({ label: 'd' })
  await form.getByRole('checkbox', { name: 'build' }).check()
  await form.getByRole('checkbox', { name: 'ship' }).check()
  await form.getByRole('textbox', { name: /^Contact/ }).fill('ada@example.com')
  expect(await axe(page)).toEqual([])
  expect(await overflows(page)).toEqual([])
  await screenshot(page, 'elicitation-filled')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({
    action: 'accept',
    content: {
      replicas: 3,
      dry_run: true,
      region: 'eu',
      zone: 'd',
      steps: ['build', 'ship'],
      contact: 'ada@example.com',
    },
  })
  expect(faults).toEqual([])
})

test('an answer that is not sent yet survives a reload, and is forgotten when it was sent', async () => {
  const { page, form, answer } = await asked('Where should it be deployed', schema)
  await form.getByRole('textbox', { name: 'Replicas' }).fill('3')
  await form.getByRole('radio', { name: 'Europe' }).check()
  await page.reload()
  await expect.poll(() => form.getByRole('textbox', { name: 'Replicas' }).inputValue()).toBe('3')
  await form.getByRole('button', { name: 'Accept' }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({ action: 'accept', content: { replicas: 3, region: 'eu' } })
  const drafts = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('draft.question')))
  await expect.poll(drafts).toEqual([])
})

test.each([
  ['Decline', 'decline'],
  ['Dismiss', 'cancel'],
])('a question goes away by %s, and its asker is told', async (button, action) => {
  const { form, answer } = await asked(`May it ${button}`, schema)
  await form.getByRole('button', { name: button }).click()
  await form.waitFor({ state: 'detached' })
  expect(await answer()).toMatchObject({ action })
})
