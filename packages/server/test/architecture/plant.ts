import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Writes a made-up repository, by paths from packages/, and answers with its root. Removed after the test. */
export function plant(files: Record<string, readonly string[]>): string {
  const root = mkdtempSync(join(tmpdir(), 'yardmaster-architecture-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, lines] of Object.entries(files)) {
    const file = join(root, 'packages', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${lines.join('\n')}\n`)
  }
  return root
}
