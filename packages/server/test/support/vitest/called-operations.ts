import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

type Coverage = {
  /** The variable of the environment by which workers find the folder. */
  variable: string
  /** Which operations the tests must call, of those that they called. */
  uncalled(called: ReadonlySet<string>): string[]
  /** Begins the sentence that names them. */
  complaint: string
}

/**
 * Records which operations the tests of a suite call, and fails a run of the whole suite when one was never called. A run of a
 * part proves nothing about the rest, so it is not judged.
 */
export function calledOperations({ variable, uncalled, complaint }: Coverage) {
  const recorded = new Set<string>()
  return {
    /** Each worker process appends to a file of its own. */
    record(name: string): void {
      const folder = process.env[variable]
      if (folder === undefined || recorded.has(name)) return
      recorded.add(name)
      appendFileSync(join(folder, String(process.pid)), `${name}\n`)
    },
    hasRecorded: (name: string): boolean => recorded.has(name),
    /** Vitest's global setup, in the main process: gives the workers a folder. */
    setup(project: TestProject): () => Promise<void> {
      const folder = mkdtempSync(join(tmpdir(), 'yardmaster-operations-'))
      process.env[variable] = folder
      return async () => {
        const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
        rmSync(folder, { recursive: true, force: true })
        const names = uncalled(new Set(lines))
        if (names.length === 0 || !(await isWholeSuite(project))) return
        // Not thrown: that would skip the teardown of the servers.
        process.stderr.write(`\n${complaint}: ${names.join(', ')}\n`)
        process.exitCode = 1
      }
    },
  }
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
