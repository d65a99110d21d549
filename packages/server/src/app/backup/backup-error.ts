import { errnoOf } from '../../platform/process/errno.ts'

/** A reason that a backup or a restore cannot be made, in one sentence for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of its path is not a directory',
  EBUSY: 'it is a mount point, which cannot be moved aside',
}

/** Turns what an operator can mend into a sentence. `what` begins it: `The backup cannot be written to /x`. */
export async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // 53100: the disk of the database is full.
    const code = errnoOf(error) === '53100' ? 'ENOSPC' : (errnoOf(error) ?? '')
    const reason = reasons[code]
    if (reason === undefined || error instanceof BackupError) throw error
    throw new BackupError(`${what}: ${reason}.`, { cause: error })
  }
}
