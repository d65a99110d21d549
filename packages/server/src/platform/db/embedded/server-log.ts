import { copyFile, open, stat, truncate } from 'node:fs/promises'

/**
 * PostgreSQL writes its log into a file by itself, so that it neither waits for us nor loses words when we are killed.
 * The file is opened for appending, hence it may be cut to nothing under the server's pen.
 */
export type ServerLog = {
  file: string
  openForAppending(): Promise<{ fd: number; close(): Promise<void> }>
  sizeBytes(): Promise<number>
  since(offsetBytes: number): Promise<string>
  /** Moves a file that has grown too long to `<file>.1`, replacing the one before. */
  trim(): Promise<void>
}

/** Two of these, the current and the one before, hold weeks of a server that only warns. */
const keptBytes = 8 * 1024 * 1024

/** Enough for the last words of a start that failed. */
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
      // On a full disk the copy fails, and cutting is all the more welcome.
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
