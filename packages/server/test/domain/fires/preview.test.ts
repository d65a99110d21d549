import { expect, test } from 'vitest'
import { expectProblem } from '../../support/app/app.ts'
import { daily, triggerApp, yearly } from '../../support/triggers/trigger-app.ts'

const app = await triggerApp()
const preview = async (body: Record<string, unknown>) => {
  const answer = await app.post('/triggers/preview', body)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}
const schedule = (configuration: Record<string, unknown>) => ({ condition_type: 'schedule', configuration })

test('a preview shows the next five fires of all schedules together, at the same local time across a clock change', async () => {
  const { next_fires, conditions } = await preview({
    trigger_conditions_attributes: [daily, schedule({ scheduled_at: '2020-01-01T00:00:00', timezone: 'UTC' })],
  })
  expect(conditions).toEqual([
    { description: 'Every day at 03:00 (Europe/Vilnius)', problems: [] },
    { description: 'Once at 2020-01-01 00:00:00 (UTC)', problems: [] },
  ])
  expect(next_fires.map(({ condition }: { condition: number }) => condition)).toEqual([1, 0, 0, 0, 0])
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Vilnius', timeStyle: 'short' })
  for (const { at, timezone } of next_fires.slice(1)) {
    expect({ timezone, time: local.format(new Date(at)) }).toEqual({ timezone: 'Europe/Vilnius', time: '03:00' })
  }
})

test('a preview counts a stored condition from when it was armed, and a changed one from now', async () => {
  const id = await app.trigger({
    trigger_conditions_attributes: [schedule({ unit: 'hours', interval: 5, timezone: 'UTC' })],
  })
  const armedAt = new Date(Date.now() - 3_600_000)
  await app.pool.query(
    `update trigger_conditions set armed_at = $2, next_run_at = $2::timestamptz + interval '5 hours' where trigger_id = $1`,
    [id, armedAt],
  )
  const [{ id: condition }] = (await app.show(id)).conditions as [{ id: number }]
  const hoursUntil = async (attributes: Record<string, unknown>) => {
    const { next_fires } = await preview({ trigger_id: id, trigger_conditions_attributes: [attributes] })
    return next_fires.map(({ at }: { at: string }) => Math.round((Date.parse(at) - armedAt.getTime()) / 3_600_000))
  }
  expect(await hoursUntil({ id: condition })).toEqual([5, 10, 15, 20, 25])
  expect(await hoursUntil({ id: condition, configuration: { unit: 'hours', interval: 2, timezone: 'UTC' } })).toEqual([
    1, 3, 5, 7, 9,
  ])
})

test('a preview says what is wrong with a condition, and shows the others', async () => {
  const { conditions, next_fires } = await preview({
    trigger_conditions_attributes: [schedule({ unit: 'decades', interval: 1 }), yearly],
  })
  expect(conditions).toMatchObject([
    { description: null, problems: [expect.stringContaining('unit')] },
    { description: expect.any(String), problems: [] },
  ])
  expect(next_fires).toMatchObject([{ at: '2040-01-01T00:00:00Z', condition: 1 }])
})

test('a preview fills the placeholders as a fire would, fences what people outside write, and names unknown ones', async () => {
  const body = {
    prompt_template: '{{title}} {{link}} {{titel}} {{title}}',
    variables: { title: 'Boom', link: 'https://x/1' },
  }
  const plain = await preview({ ...body, trigger_conditions_attributes: [yearly] })
  expect(plain).toMatchObject({
    prompt: 'Boom https://x/1 {{titel}} Boom',
    placeholders: ['title', 'link'],
    unknown_placeholders: ['titel'],
  })
  const issues = { condition_type: 'forge_issue', configuration: { repos: ['acme/api'] } }
  const fenced = await preview({ ...body, trigger_conditions_attributes: [issues] })
  expect(fenced.prompt).toMatch(/^\[untrusted \w+\] Boom \[\/untrusted \w+\] https:\/\/x\/1/)
})

test('a preview of a trigger that does not exist is not found, and nothing is written by one', async () => {
  expectProblem(await app.post('/triggers/preview', { trigger_id: 999_999 }), 404, 'Not Found')
  const count = async () => (await app.get('/triggers')).body.pagination.total_count
  const before = await count()
  await preview({ trigger_conditions_attributes: [daily], prompt_template: 'x' })
  expect(await count()).toBe(before)
})
