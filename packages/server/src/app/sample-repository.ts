import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { noAccess, runGit } from '../platform/git/git.ts'
import { GitFailed } from '../platform/git/git-failed.ts'
import type { Home } from '../platform/home/home.ts'

/** A small repository for the first session, so that it needs no network. Undefined if git cannot create it. */
export async function sampleRepository(home: Home): Promise<string | undefined> {
  const folder = home.in('sample-repository')
  if (await stat(folder).catch(() => undefined)) return folder
  const draft = `${folder}.${process.pid}`
  try {
    await mkdir(draft, { recursive: true })
    await writeFile(`${draft}/README.md`, '# Sample repository\n\nA place for first sessions. Change it as you like.\n')
    await git(draft, 'init', ['--quiet', '--initial-branch=main'])
    await git(draft, 'add', ['--all'])
    await git(draft, 'commit', ['--quiet', '--message=A place for first sessions'])
    await rename(draft, folder)
    return folder
  } catch (error) {
    if (error instanceof GitFailed) return undefined
    throw error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const environment = {
  GIT_AUTHOR_NAME: 'Yardmaster',
  GIT_AUTHOR_EMAIL: 'yardmaster@localhost',
  GIT_COMMITTER_NAME: 'Yardmaster',
  GIT_COMMITTER_EMAIL: 'yardmaster@localhost',
}

async function git(cwd: string, subcommand: string, options: string[]): Promise<void> {
  const access = { ...noAccess, environment }
  await runGit({ operation: 'Making the sample repository', subcommand, options, cwd, access, timeoutMs: 10_000 })
}
