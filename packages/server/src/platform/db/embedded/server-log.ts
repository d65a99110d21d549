import { copyFile, open, stat, truncate } from 'node:fs/promises'

/**
 * PostgreSQL writes its log directly to a file, so that it neither waits for us nor loses lines when we are killed. The
 * file is opened for appending, so it can be truncated while the server writes.
 */
export type ServerLog = {
  file: string
  openForAppending(): Promise<{ fd: number; close(): Promise<void> }>
  sizeBytes(): Promise<number>
  since(offsetBytes: number): Promise<string>
  /** Moves a file that is too long to `<file>.1`, replacing the earlier one. */
  trim(): Promise<void>
}

/** Two such files, the current and the previous, cover weeks of a server that logs only warnings. */
const keptBytes = 8 * 1024 * 1024

/** Enough for the last lines of a failed start. */
const tailBytes = 16 * 1024

export function serverLog(file: string): ServerLog {
  return {
    file,
    openForAppending: async () => {
      const handle = await open(file, 'a', 0o600)
      return { fd: handle.fd, close: () => handle.close() }
    },
    sizeBytes: () => sizeOf(file),
    since: async (offsetBytes) => {
      const size = await sizeOf(file)
      const from = Math.max(offsetBytes > size ? 0 : offsetBytes, size - tailBytes)
      return size === from ? '' : read(file, from, size - from)
    },
    trim: async () => {
      if ((await sizeOf(file)) <= keptBytes) return
      // On a full disk the copy fails, and truncating is needed even more.
      await copyFile(file, `${file}.1`).catch(() => undefined)
      await truncate(file)
    },
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  )
}

async function read(file: string, from: number, length: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
