import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes the commit of a checkout beside the build, for the health report. Outside a checkout, or without git, it leaves what an
 * earlier build wrote. Never fails.
 *
 * @param {string} root
 */
export function recordCommit(root) {
  // Without this, git would name the commit of a repository that the folder happens to be in.
  if (!existsSync(`${root}/.git`)) return
  const file = `${root}/packages/server/dist/.commit`
  const args = ['describe', '--always', '--dirty', '--abbrev=64', '--exclude=*']
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', timeout: timeoutMs })
  if (status !== 0 || (existsSync(file) && readFileSync(file, 'utf8') === stdout)) return
  try {
    writeFileSync(file, stdout)
  } catch (error) {
    console.error(`The commit of this build was not recorded: ${error instanceof Error ? error.message : error}`)
  }
}

const timeoutMs = 10_000
