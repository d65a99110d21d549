import { expect, test } from 'vitest'
import { platformApp } from '../../support/remote/platform-app.ts'
import { newTrigger, triggerApp } from '../../support/triggers/trigger-app.ts'

const app = await platformApp()
const bare = await triggerApp()

const conditionOf = (condition_type: string, configuration: object) => [{ condition_type, configuration }]
const chat = (configuration: object) =>
  newTrigger({ trigger_conditions_attributes: conditionOf('chat', configuration) })

test.each([
  ['chat', { channel_id: 'C1' }, 'Chat is not configured; its conditions do not fire until CHAT_TOKEN is set.'],
  [
    'forge_issue',
    { repos: ['acme/api'] },
    'The forge is not configured; its conditions do not fire until FORGE_TOKEN is set.',
  ],
])('a %s condition without its platform is accepted with a warning', async (type, configuration, warning) => {
  const answer = await bare.post(
    '/triggers',
    newTrigger({ trigger_conditions_attributes: conditionOf(type, configuration) }),
  )
  expect(answer).toMatchObject({ status: 201, body: { warnings: expect.arrayContaining([warning]) } })
})

test.each([
  [
    'bot_mention',
    'allowed_user_ids is empty: everyone in a channel may mention the bot, and no one may write to it directly.',
  ],
  ['dm_message', 'allowed_user_ids is empty: a dm_message condition fires for no one until people are named.'],
  ['passive_listen', 'allowed_user_ids is empty: a passive_listen condition fires for no one until people are named.'],
])('a %s condition without a list says who may fire it', async (event_type, warning) => {
  const answer = await app.post('/triggers', chat({ event_type }))
  expect(answer.body.warnings).toContain(warning)
  const named = await app.post('/triggers', chat({ event_type, allowed_user_ids: ['U1'] }))
  expect(named.body.warnings ?? []).not.toContain(warning)
})
