import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { modules } from '../../src/app/modules.ts'
import { listSubscriptions } from '../../src/platform/events/subscription-store.ts'
import { listPeriodicRuns } from '../../src/platform/jobs/run-store.ts'
import { testApp } from '../support/app/app.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = testApp()

test('a host runs every periodic task and subscription that the rooms declare, without a fault', async () => {
  const subscriptions = modules.flatMap(({ subscriptions = [] }) => subscriptions.map(({ name }) => name))
  const declared = [
    ...modules.flatMap(({ periodic = [] }) => periodic.map(({ name }) => name)),
    ...subscriptions.map((name) => `subscription:${name}`),
  ].toSorted()

  const runs = await eventually(
    () => listPeriodicRuns(app.host.app.db),
    (rows) => rows.length === declared.length,
  )

  expect(runs.map(({ name }) => name).toSorted()).toEqual(declared)
  expect(runs.filter(({ last_error }) => last_error !== null)).toEqual([])
  expect((await listSubscriptions(app.host.app.db)).map(({ name }) => name)).toEqual(subscriptions.toSorted())
})

test('no room starts a loop by hand', async () => {
  const domain = fileURLToPath(new URL('../../src/domain/', import.meta.url))
  const files = (await readdir(domain, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const withLoops: string[] = []
  for (const file of files) {
    const source = await readFile(join(domain, file), 'utf8')
    if (/setInterval\(|background\.run\(|while \(!signal\.aborted/.test(source)) withLoops.push(file)
  }

  // The use of an API key is noted while its request goes on. A sign-in drives the vendor's
  // command while its row is open. The catalog polls its files on every role. A turn renews its
  // lease, runs its agent and waits for the answers of people for as long as it lasts.
  expect(withLoops.toSorted()).toEqual([
    'api-keys/api-key.ts',
    'catalog/follow-files.ts',
    'elicitations/ask-person.ts',
    'login-attempts/drive-sign-in.ts',
    'turns/lease-renewal.ts',
    'turns/run-turn.ts',
  ])
})
