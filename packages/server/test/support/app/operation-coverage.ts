import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@yardmaster/contract/operations'
import type { TestProject } from 'vitest/node'

const variable = 'YARDMASTER_TEST_OPERATIONS'
const recorded = new Set<string>()

/** Notes that a test called the operation over HTTP with success. Each worker process appends to a file of its own. */
export function recordOperation(name: string): void {
  const folder = process.env[variable]
  if (folder === undefined || recorded.has(name)) return
  recorded.add(name)
  appendFileSync(join(folder, String(process.pid)), `${name}\n`)
}

/**
 * Vitest's global setup, in the main process: gives the workers a folder, and fails a run of the whole suite when a
 * declared operation was never called. A run of a part proves nothing about the rest, so it is not judged.
 */
export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-operations-'))
  process.env[variable] = folder
  return async () => {
    const called = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')))
    rmSync(folder, { recursive: true, force: true })
    const uncalled = uncalledOperations(called)
    if (uncalled.length === 0 || !(await isWholeSuite(project))) return
    // Not thrown: that would skip the teardown of the database server.
    process.stderr.write(`\nNo test calls these operations over HTTP with success: ${uncalled.join(', ')}\n`)
    process.exitCode = 1
  }
}

export function uncalledOperations(called: ReadonlySet<string>): string[] {
  return operations.map(({ name }) => name).filter((name) => !called.has(name))
}

/** Every test file ran, no test was filtered by name, and none failed: a failed test may stop before its calls. */
async function isWholeSuite(project: TestProject): Promise<boolean> {
  const { vitest, config } = project
  const { testFiles } = await project.globTestFiles()
  const hasRun = new Set(vitest.state.getFiles().map(({ filepath }) => filepath))
  return (
    testFiles.every((file) => hasRun.has(file)) &&
    config.testNamePattern === undefined &&
    vitest.state.getCountOfFailedTests() === 0
  )
}
