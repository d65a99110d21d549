import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

await prepare()

// Node reads this file on every start, which dominates the start time. The tests start Node hundreds of times and open no
// outside connection.
delete process.env.NODE_EXTRA_CA_CERTS

const folder = mkdtempSync(`${tmpdir()}/yardmaster-test-report-`)
const reportFile = `${folder}/report.json`
try {
  const { exitCode } = await runVitest(process.argv.slice(2))
  const { passed, failed, skipped } = countTests(exitCode)
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = exitCode
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {string[]} extraArgs */
function runVitest(extraArgs) {
  const packageFolder = `${repositoryRoot}/packages/server`
  const args = ['run', '--config', `${packageFolder}/vitest.config.ts`]
  // Vitest resolves paths from the package; users name a test by its path from the root.
  const choices = extraArgs.map((arg) => arg.replace(/^(\.\/)?packages\/server\//, ''))
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const vitest = `${repositoryRoot}/node_modules/vitest/vitest.mjs`
  return runChild(process.execPath, [vitest, ...args, ...reports, ...choices], { cwd: packageFolder })
}

/**
 * Counts a file that could not be loaded, and an error outside every test, as one failure each: vitest reports neither as
 * a failed test, and the run must not print "0 failed" then.
 *
 * @param {number} exitCode
 */
function countTests(exitCode) {
  const report = readReport()
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  )
  const failed = report.numFailedTests + unloaded.length
  const skipped = report.numPendingTests + report.numTodoTests
  if (exitCode === 0 || failed > 0) return { passed: report.numPassedTests, failed, skipped }

  console.log(`The run failed outside any test (exit code ${exitCode}); counted as one failure.`)
  return { passed: report.numPassedTests, failed: 1, skipped }
}

/**
 * @returns {{
 *   numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   testResults: { status: string, assertionResults: { status: string }[] }[],
 * }}
 */
function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch {
    // Vitest ended before it wrote a report; its exit code says whether it failed.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
