import { existsSync } from 'node:fs'
import { prepare } from './prepare.mjs'
import { repositoryRoot } from './repository-root.mjs'
import { runChild } from './run-child.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

// The exit code that test harnesses read as "skipped".
const notRunExitCode = 77

const browser = process.env.CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(browser)) {
  console.error(
    `NOT GREEN: the pages were not tested: there is no ${browser}. Install chromium, or set CHROMIUM to its path.`,
  )
  process.exit(notRunExitCode)
}

await prepare()
if (!isWebBuilt() && !(await buildWeb())) process.exit(1)

const folder = `${repositoryRoot}/packages/web`
const choices = process.argv.slice(2).map((arg) => arg.replace(/^(\.\/)?packages\/web\//, ''))
const vitest = `${repositoryRoot}/node_modules/vitest/vitest.mjs`
const { exitCode } = await runChild(process.execPath, [vitest, 'run', ...choices], { cwd: folder })
process.exitCode = exitCode
