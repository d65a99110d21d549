import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findVapidKeys, isPublicKey } from '../../../src/platform/push/vapid-keys.ts'

let folder: string
const home = { in: (name: string) => join(folder, name) }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'yardmaster-vapid-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('the first start makes a key that only its owner can read, and the next start finds it', async () => {
  const made = await findVapidKeys(undefined, home)
  expect(isPublicKey(made.publicKey)).toBe(true)
  expect((await stat(home.in('vapid-key'))).mode & 0o777).toBe(0o600)
  expect(await findVapidKeys(undefined, home)).toEqual(made)
})

test('a key of the environment is used instead, with the public key that belongs to it', async () => {
  const made = await findVapidKeys(undefined, home)
  await rm(home.in('vapid-key'))
  expect(await findVapidKeys(made.privateKey, home)).toEqual(made)
  await expect(stat(home.in('vapid-key'))).rejects.toThrow('ENOENT')
})

test.each([
  ['zero', Buffer.alloc(32).toString('base64url')],
  ['a number beyond the order of the curve', Buffer.alloc(32, 255).toString('base64url')],
  ['no key at all', 'hello'],
])('a start with %s is refused with a sentence that does not repeat it', async (_about, key) => {
  await expect(findVapidKeys(key, home)).rejects.toThrow(/^VAPID_PRIVATE_KEY holds no VAPID key\.$/)
  await writeFile(home.in('vapid-key'), key)
  await expect(findVapidKeys(undefined, home)).rejects.toThrow(/^The file \S+vapid-key holds no VAPID key\.$/)
})

test.each([
  [
    'a point of the curve',
    'BNc8WrUTdUFacrBWtTw27Mb0wyU-eDCI5nevED9CiHejQBSfjOEPx5cg1WcHc6SW1UWAHqppNjsIUqczgzfO0zk',
    true,
  ],
  ['no point', Buffer.alloc(65, 4).toString('base64url'), false],
  ['nothing', '', false],
])('isPublicKey tells %s', (_about, key, expected) => {
  expect(isPublicKey(key)).toBe(expected)
})
