import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { readLines } from '../../src/platform/process/line-stream.ts'
import { JsonRpcError, JsonRpcNoAnswer, jsonRpc } from '../../src/runtimes/json-rpc.ts'

function other() {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const heard: unknown[] = []
  const rpc = jsonRpc(
    { stdin, lines: readLines(stdout, { maxLineBytes: 1000 }) },
    {
      timeoutMs: 60_000,
      onNotification: (method, params) => void heard.push([method, params]),
      onRequest: (method, params) => {
        if (method !== 'echo') throw new Error('What?')
        return params
      },
    },
  )
  const written = readLines(stdin, { maxLineBytes: 1000 })
  return {
    rpc,
    heard,
    say: (...messages: unknown[]) => stdout.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    sayText: (text: string) => stdout.write(`${text}\n`),
    leave: () => stdout.end(),
    hears: async () => JSON.parse((await written.next()).value?.text ?? ''),
  }
}

test('matches answers to calls in any order', async () => {
  const { rpc, say, hears } = other()
  const [first, second] = [rpc.call('one', { a: 1 }), rpc.call('two', {})]
  expect(await hears()).toEqual({ jsonrpc: '2.0', id: 1, method: 'one', params: { a: 1 } })
  expect(await hears()).toMatchObject({ id: 2, method: 'two' })
  say({ id: 2, result: 'of two' }, { id: 1, result: null })
  expect(await Promise.all([first, second])).toEqual([null, 'of two'])
})

test('rejects a call that the peer answers with an error, with its code and message', async () => {
  const { rpc, say } = other()
  const call = rpc.call('one', {})
  say({ id: 1, error: { code: -32600, message: 'Not so' } })
  await expect(call).rejects.toThrow(JsonRpcError)
  await expect(call).rejects.toMatchObject({ code: -32600, message: 'Not so' })
})

test('answers requests, delivers notifications and ignores lines that are not messages', async () => {
  const { say, sayText, hears, heard } = other()
  sayText('not JSON')
  say({ method: 'news', params: { b: 2 } }, { id: 'q', method: 'echo', params: 'hi' }, { id: 7, method: 'odd' })
  expect(await hears()).toEqual({ jsonrpc: '2.0', id: 'q', result: 'hi' })
  expect(await hears()).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'What?' } })
  expect(heard).toEqual([['news', { b: 2 }]])
})

test('rejects a pending call when the peer ends, and every later call', async () => {
  const { rpc, leave } = other()
  const call = rpc.call('one', {})
  leave()
  await expect(call).rejects.toThrow(JsonRpcNoAnswer)
  await rpc.ended
  await expect(rpc.call('two', {})).rejects.toThrow('It ended before it was asked two.')
})
