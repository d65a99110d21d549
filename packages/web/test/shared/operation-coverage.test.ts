import { EventEmitter, once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { nameOf, recordOperations, usedByPages } from '../support/operation-coverage.ts'

test('the operations that pages call are found by their names in the pages, reads and writes and those of people', () => {
  expect(usedByPages()).toEqual(
    expect.arrayContaining(['board.show', 'sessions.follow_up', 'gate_decisions.add_feedback', 'attachments.create']),
  )
})

test('an operation that a page chooses from a table is found, such as those that replace a list of a session', () => {
  const lists = ['catalog_hooks', 'catalog_plugins', 'catalog_skills', 'mcp_servers']
  expect(usedByPages()).toEqual(expect.arrayContaining(lists.map((list) => `sessions.update_${list}`)))
})

test('a request of a page is an operation by its method and its address below the private path', () => {
  expect(nameOf('POST', '/web/~secret/v1/sessions/7/archive')).toBe('sessions.archive')
  expect(nameOf('GET', '/web/~secret/v1/triggers/channels')).toBe('triggers.channels')
  expect(nameOf('GET', '/web/~secret/v1/triggers/7')).toBe('triggers.show')
  expect(nameOf('DELETE', '/web/~secret/session')).toBe('browser_session.delete')
  expect(nameOf('POST', '/api/v1/sessions/7/archive')).toBe(undefined)
})

test('the end of a test waits until the last request of the page is answered', async () => {
  const context = new EventEmitter()
  const answered = recordOperations(context as unknown as BrowserContext)
  context.emit('request', {
    method: () => 'DELETE',
    url: () => 'http://127.0.0.1/web/~secret/v1/categories/7',
    response: async () => (await once(context, 'response'))[0],
  })
  let hasEnded = false
  const end = answered().then(() => {
    hasEnded = true
  })
  await nextTurn()
  expect(hasEnded).toBe(false)
  // A refusal: a success would count for the run.
  context.emit('response', { ok: () => false })
  await end
  expect(hasEnded).toBe(true)
})
