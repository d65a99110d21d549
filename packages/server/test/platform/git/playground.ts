import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished, vi } from 'vitest'
import { gitWithoutMaintenance } from '../../support/files/git-environment.ts'

const execute = promisify(execFile)

/** A folder for one test with its own home, so that the git configuration of this machine does not apply. */
export type Playground = {
  path: string
  /** The home of the operator, whose `.gitconfig` the code under test uses. */
  home: string
  /** Runs git as the owner of the source repositories. */
  git(folder: string, ...args: string[]): Promise<string>
  /** A repository with a working tree and one commit on main. */
  makeSource(name?: string): Promise<string>
  commit(source: string, files: Record<string, string>): Promise<string>
}

export async function openPlayground(): Promise<Playground> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-git-')))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(path, 'home')
  await mkdir(home)
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', undefined)
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1')
  vi.stubEnv('GIT_CONFIG_GLOBAL', undefined)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })

  const git = async (folder: string, ...args: string[]) => {
    const { stdout } = await execute('git', args, { cwd: folder, env: authorEnvironment() })
    return stdout.trim()
  }
  const commit = async (source: string, files: Record<string, string>) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(source, name)), { recursive: true })
      await writeFile(join(source, name), content)
    }
    await git(source, 'add', '--all')
    await git(source, 'commit', '--quiet', '--allow-empty', '--message', 'A change')
    return git(source, 'rev-parse', 'HEAD')
  }
  const makeSource = async (name = 'source') => {
    const source = join(path, name)
    await mkdir(source)
    await git(source, 'init', '--quiet', '--initial-branch=main')
    await commit(source, { 'README.md': `This is ${name}\n` })
    return source
  }
  return { path, home, git, commit, makeSource }
}

export function authorEnvironment(): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...gitWithoutMaintenance,
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.test',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.test',
  }
}

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** The error that the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('This was expected to fail')
    },
    (error: unknown) => error,
  )
}
