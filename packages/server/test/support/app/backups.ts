import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { backUp } from '../../../src/app/backup/backup.ts'
import { restore } from '../../../src/app/backup/restore.ts'
import { cloneDatabase } from '../database/database.ts'
import type { TestApp } from './app.ts'

/** Backups of a test app, and places to restore them into. */
export function backupHelpers(app: TestApp) {
  let made = 0
  const newPath = (name: string) => join(app.shared, `${name}-${++made}`)

  async function takeBackup(file = newPath('backup.tar.gz')): Promise<string> {
    await backUp({ home: app.home, databaseUrl: app.databaseUrl, file })
    return file
  }

  async function emptyDatabase(): Promise<string> {
    const database = await cloneDatabase({ isEmpty: true })
    onTestFinished(database.drop)
    return database.url
  }

  async function restored(file: string, home = newPath('home')) {
    const databaseUrl = await emptyDatabase()
    const result = await restore({ home, databaseUrl, file })
    return { home, databaseUrl, ...result }
  }

  return { newPath, takeBackup, emptyDatabase, restored }
}
