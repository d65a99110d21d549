import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

await prepare()

// Every start of Node reads what it names, which takes longer than all else in a start. The tests start Node by the hundred and
// speak to nobody out there.
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
  // Vitest looks from the package; people name a test from where they stand, which is mostly the root.
  const choices = extraArgs.map((arg) => arg.replace(/^(\.\/)?packages\/server\//, ''))
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const vitest = `${repositoryRoot}/node_modules/vitest/vitest.mjs`
  return runChild(process.execPath, [vitest, ...args, ...reports, ...choices], { cwd: packageFolder })
}

/**
 * A file that could not be loaded has no test to count, and an error outside every test fails the run without failing
 * one: both count as a failure, so that "0 failed" always means what it says.
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

  console.log(`The run failed outside of any test (exit code ${exitCode}); that counts as one failure.`)
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
    // Vitest ended before it could write one; its exit code tells.
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  }
}
