import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { announce } from './announce.mjs'
import { withFileLock } from './file-lock.mjs'
import { npmCommand, shorten } from './install-dependencies.mjs'
import { Interrupted, PrepareError } from './prepare-error.mjs'
import { runChild } from './run-child.mjs'

/**
 * @typedef {{ package: string, version: string }} Cli
 * @typedef {{ cli: Cli, folder: string, program: string }} Place  `folder` holds only this CLI; `program` is a path in it
 */

/** The npm registry did not answer. This says nothing about the CLI. */
export class RegistryUnreachable extends PrepareError {
  /** @override */
  name = 'RegistryUnreachable'
}

// npm's codes for a registry that did not answer. Any answer, even a refusal, means that the registry was reached.
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

// npm completes its current step after SIGTERM.
const stopGraceMs = 3_000

// Prefix of the folder of an install in progress.
const unfinished = '.unfinished-'

/**
 * Installs a CLI unless its folder exists. The folder is renamed into place when it is complete, so an existing folder
 * is a complete install. A concurrent caller waits for the lock and then finds the folder.
 *
 * @param {string} agentsFolder
 * @param {Place} place
 */
export async function installCli(agentsFolder, { cli, folder, program }) {
  if (existsSync(folder)) return
  await withFileLock(agentsFolder, async (recordChild) => {
    if (existsSync(folder)) return
    removeUnfinished(agentsFolder)
    const partial = `${agentsFolder}/${unfinished}${process.pid}`
    mkdirSync(partial)
    try {
      await npmInstall(partial, cli, recordChild)
      // The package with the binary is an optional dependency: npm succeeds without it.
      if (!existsSync(program.replace(folder, partial))) {
        throw new PrepareError(
          `${cli.package} ${cli.version} has no program for ${process.platform}-${process.arch}, or npm could not fetch it.`,
        )
      }
      renameSync(partial, folder)
    } finally {
      rmSync(partial, { recursive: true, force: true })
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
 * @param {Cli} cli
 * @param {(pid: number) => void} onSpawn
 */
async function npmInstall(folder, cli, onSpawn) {
  // Without its own package.json npm would use the package of a parent folder.
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n')
  const npm = npmCommand()
  const retries = ['--fetch-retries=2', '--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=10000']
  // No pinned package needs its install script: the scripts only link the binary, which we call by its path.
  const flags = ['--ignore-scripts', '--save-exact', '--no-audit', '--no-fund', ...retries]
  const args = [...npm.args, 'install', '--prefix', folder, ...flags, `${cli.package}@${cli.version}`]
  const end = announce(`Installing ${cli.package} ${cli.version}`)

  const options = { cwd: folder, captures: true, graceMs: stopGraceMs, onSpawn }
  const { exitCode, output, stoppedBy } = await runChild(npm.command, args, options).catch((problem) => {
    end('failed')
    throw new PrepareError(
      `npm could not be started (${problem.message}). npm comes with Node and must be on the PATH.`,
    )
  })
  if (stoppedBy) {
    end('stopped')
    throw new Interrupted(stoppedBy)
  }
  if (exitCode === 0) return end('done')

  end('failed')
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? ''
  if (unreachableCodes.includes(code)) throw new RegistryUnreachable(`The npm registry cannot be reached (${code}).`)
  throw new PrepareError(
    `${shorten(output)}\nnpm could not install ${cli.package} ${cli.version}; see its output above.`,
  )
}
