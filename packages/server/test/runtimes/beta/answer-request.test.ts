import { expect, test } from 'vitest'
import { requestAnswerer } from '../../../src/runtimes/beta/answer-request.ts'
import type { Question } from '../../../src/runtimes/question.ts'

/** The driver with a person who accepts everything. */
function accepting() {
  const asked: Question[] = []
  const answerer = requestAnswerer({
    notify: () => undefined,
    ask: async (question) => {
      asked.push(question)
      return { action: 'accept', content: {} }
    },
  })
  return { asked, ...answerer }
}

test('a command is shown with its folder and everything else that the request grants', async () => {
  const { asked, answer } = accepting()
  const request = {
    threadId: 't',
    turnId: 'u',
    itemId: 'i',
    command: 'make',
    cwd: '/srv/x',
    reason: 'to build',
    more: [1],
  }
  expect(await answer('item/commandExecution/requestApproval', request)).toEqual({ decision: 'accept' })
  expect(asked).toMatchObject([
    {
      message: 'May Codex run this command? make\nin /srv/x\nWith {"more":[1]}',
      context: 'to build',
      toolName: 'shell',
      input: '{"command":"make","cwd":"/srv/x","more":[1]}',
    },
  ])
})

test('a command that the request leaves out is taken from its item, and a request without any shows what it asks for', async () => {
  const { asked, answer, itemStarted } = accepting()
  itemStarted({ item: { type: 'commandExecution', id: 'i', command: 'curl a.test', cwd: '/srv' } })
  await answer('item/commandExecution/requestApproval', { itemId: 'i' })
  await answer('item/commandExecution/requestApproval', { itemId: 'j', networkApprovalContext: { host: 'b.test' } })
  expect(asked.map(({ message }) => message)).toEqual([
    'May Codex run this command? curl a.test\nin /srv',
    'May Codex run this command? With {"networkApprovalContext":{"host":"b.test"}}',
  ])
})

test('a change of files is shown with its diff', async () => {
  const { asked, answer, itemStarted } = accepting()
  const changes = [{ path: 'a.txt', diff: '-one\n+two', kind: { type: 'update' } }]
  itemStarted({ item: { type: 'fileChange', id: 'f', changes } })
  expect(await answer('item/fileChange/requestApproval', { itemId: 'f' })).toEqual({ decision: 'accept' })
  expect(asked).toMatchObject([
    { message: 'May Codex change files? a.txt\n--- a.txt\n-one\n+two', input: JSON.stringify({ changes }) },
  ])
})

test('an elicitation that asks to open an address shows the address', async () => {
  const { asked, answer } = accepting()
  const request = { serverName: 'pay', message: 'Sign in', mode: 'url', url: 'https://pay.test/1' }
  expect(await answer('mcpServer/elicitation/request', request)).toMatchObject({ action: 'accept' })
  expect(asked).toMatchObject([{ message: 'Sign in\nOpen this address: https://pay.test/1' }])
})
