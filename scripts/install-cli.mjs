import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { announce } from './announce.mjs'
import { oneAtATime } from './file-lock.mjs'
import { npmCommand, shorten } from './install-dependencies.mjs'
import { Interrupted, Unprepared } from './prepare-error.mjs'
import { runChild } from './run-child.mjs'

/**
 * @typedef {import('../packages/server/src/runtimes/pinned-clis.ts').PinnedCli} PinnedCli
 * @typedef {{ cli: PinnedCli, folder: string, program: string }} Place  `folder` is this CLI's own, `program` is in it
 */

/** The registry cannot be reached from here, which says nothing about the CLI. */
export class Unreachable extends Unprepared {
  /** @override */
  name = 'Unreachable'
}

// What npm says when it got no answer at all. A registry that answers, whatever it says, has been reached.
const unreachableCodes = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ERR_SOCKET_TIMEOUT',
  'ETIMEDOUT',
]

// npm finishes what it is doing before it heeds SIGTERM.
const stopGraceMs = 3_000

// Half-made installs go by this name until they are whole.
const unfinished = '.unfinished-'

/**
 * Installs a CLI, unless it is there. Its folder appears in one step, when everything is in it, so that whatever is
 * found under its name is whole; of two runs at once the second waits and finds it done.
 *
 * @param {string} agentsFolder
 * @param {Place} place
 */
export async function installCli(agentsFolder, { cli, folder, program }) {
  if (existsSync(folder)) return
  await oneAtATime(agentsFolder, async (recordChild) => {
    if (existsSync(folder)) return
    removeUnfinished(agentsFolder)
    const half = `${agentsFolder}/${unfinished}${process.pid}`
    mkdirSync(half)
    try {
      await npmInstall(half, cli, recordChild)
      // npm counts the package with the binary as optional, and does not mind when it could not be had.
      if (!existsSync(program.replace(folder, half))) {
        throw new Unprepared(
          `${cli.package} ${cli.version} has no program for ${process.platform}-${process.arch}, or it could not be fetched.`,
        )
      }
      renameSync(half, folder)
    } finally {
      rmSync(half, { recursive: true, force: true })
    }
  })
}

/** @param {string} agentsFolder */
function removeUnfinished(agentsFolder) {
  for (const name of readdirSync(agentsFolder)) {
    if (name.startsWith(unfinished)) rmSync(`${agentsFolder}/${name}`, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @param {PinnedCli} cli
 * @param {(pid: number) => void} onSpawn
 */
async function npmInstall(folder, cli, onSpawn) {
  // Without one of its own npm would look for a package further up.
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n')
  const npm = npmCommand()
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=10000']
  // None of the pinned packages needs its install script: what they would do is link the binary, which we name.
  const flags = ['--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', ...retries]
  const args = [...npm.args, 'install', '--prefix', folder, ...flags, `${cli.package}@${cli.version}`]
  const end = announce(`Installing ${cli.package} ${cli.version}`)

  const options = { cwd: folder, captures: true, graceMs: stopGraceMs, onSpawn }
  const { exitCode, output, stoppedBy } = await runChild(npm.command, args, options).catch((problem) => {
    end('failed')
    throw new Unprepared(`npm could not be started (${problem.message}); it comes with Node and must be on the PATH.`)
  })
  if (stoppedBy) {
    end('stopped')
    throw new Interrupted(stoppedBy)
  }
  if (exitCode === 0) return end('done')

  end('failed')
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? ''
  if (unreachableCodes.includes(code)) throw new Unreachable(`The npm registry cannot be reached (${code}).`)
  throw new Unprepared(`${shorten(output)}\nnpm could not install ${cli.package} ${cli.version}; its words are above.`)
}
