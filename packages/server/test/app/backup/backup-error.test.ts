import { expect, test } from 'vitest'
import { BackupError, explained } from '../../../src/app/backup/backup-error.ts'

test.each([
  ['ENOSPC', 'the disk is full'],
  ['53100', 'the disk is full'],
  ['EACCES', 'this user may not write there'],
  ['EBUSY', 'it is a mount point, which cannot be moved aside'],
])('the failure %s is one sentence', async (code, reason) => {
  const work = async () => Promise.reject(Object.assign(new Error('raw'), { code }))
  await expect(explained('The backup cannot be written to /x', work)).rejects.toThrow(
    new BackupError(`The backup cannot be written to /x: ${reason}.`),
  )
})

test('a fault of ours stays a fault', async () => {
  const fault = new TypeError('undefined is not a function')
  await expect(explained('x', () => Promise.reject(fault))).rejects.toBe(fault)
})
