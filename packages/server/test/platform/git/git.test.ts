import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { noAccess, ownDiskAccess, runGit } from '../../../src/platform/git/git.ts'
import { remoteAccess } from '../../../src/platform/git/remote-access.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { failureOf, isThere, openPlayground } from './playground.ts'

const basics = { operation: 'Trying', timeoutMs: 120_000 }

describe('git', () => {
  test('git returns what it printed', async () => {
    await openPlayground()

    expect(await runGit({ ...basics, subcommand: 'version' })).toMatch(/^git version /)
  })

  test('git that is not installed fails with git_missing', async () => {
    const playground = await openPlayground()
    vi.stubEnv('PATH', playground.home)

    expect(await failureOf(runGit({ ...basics, subcommand: 'version' }))).toMatchObject({
      kind: 'git_missing',
      isRetryable: false,
      message: 'Trying failed: git is not installed',
    })
  })

  test('git does not use a repository in a parent of its folder', async () => {
    const playground = await openPlayground()
    const source = await playground.makeSource()
    await mkdir(join(source, 'below'))

    const failure = await failureOf(runGit({ ...basics, subcommand: 'status', cwd: join(source, 'below') }))

    expect(failure).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('not a git repository') })
  })

  test('git that prints endlessly is stopped', async () => {
    const playground = await openPlayground()
    const source = await playground.makeSource()
    const large = await playground.commit(source, { 'large.txt': 'x'.repeat(3_000_000) })

    const failure = await failureOf(
      runGit({ ...basics, subcommand: 'cat-file', options: ['blob'], operands: [`${large}:large.txt`], cwd: source }),
    )

    expect(failure).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('printed more') })
  })
})

describe('a server that accepts and never answers', () => {
  test('a server that accepts and never answers is abandoned after the timeout', async () => {
    await openPlayground()
    const address = parseRepositoryAddress(`http://127.0.0.1:${await listenInSilence()}/web`)

    const failure = await failureOf(
      runGit({
        operation: `Asking ${address.url}`,
        subcommand: 'ls-remote',
        operands: [address.url],
        access: await remoteAccess(address),
        timeoutMs: 300,
      }),
    )

    expect(failure).toMatchObject({ kind: 'timeout', isRetryable: true, reason: 'it took longer than 0.3 s' })
  })

  test('a server that accepts and never answers is abandoned when the caller aborts, with the reason of the abort', async () => {
    await openPlayground()
    const address = parseRepositoryAddress(`http://127.0.0.1:${await listenInSilence()}/web`)
    const controller = new AbortController()
    const reason = new Error('The session was archived')

    const asking = runGit({
      ...basics,
      subcommand: 'ls-remote',
      operands: [address.url],
      access: await remoteAccess(address),
      signal: controller.signal,
    })
    controller.abort(reason)

    expect(await failureOf(asking)).toBe(reason)
  })
})

describe('the environment of git', () => {
  test('the environment of git contains only what git needs and disables every prompt', async () => {
    vi.stubEnv('API_KEYS', 'ours')
    vi.stubEnv('GIT_DIR', '/elsewhere')
    vi.stubEnv('GIT_ASKPASS', '/usr/bin/ssh-askpass')
    const { variables } = await spyOnGit(async () => {
      await runGit({ ...basics, subcommand: 'version' })
    })

    expect(variables.API_KEYS).toBeUndefined()
    expect(variables.GIT_DIR).toBeUndefined()
    expect(variables).toMatchObject({ GIT_ASKPASS: '', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_ALLOW_PROTOCOL: '' })
  })

  test('the environment of git contains the configuration and keys of the operator only for network calls', async () => {
    vi.stubEnv('SSH_AUTH_SOCK', '/run/agent.sock')
    const address = parseRepositoryAddress('https://forge.example/web')
    const local = await spyOnGit(async () => {
      await runGit({ ...basics, subcommand: 'version', access: ownDiskAccess })
    })
    const remote = await spyOnGit(async () => {
      await runGit({ ...basics, subcommand: 'version', access: await remoteAccess(address) })
    })

    expect(local.variables).toMatchObject({
      HOME: '/dev/null',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ALLOW_PROTOCOL: 'file',
    })
    expect(local.variables.SSH_AUTH_SOCK).toBeUndefined()
    expect(remote.variables).toMatchObject({ SSH_AUTH_SOCK: '/run/agent.sock', GIT_ALLOW_PROTOCOL: 'https:ssh' })
    expect(remote.variables.GIT_CONFIG_GLOBAL).toBeUndefined()
    expect(remote.variables.GIT_SSH_COMMAND).toContain('BatchMode=yes')
  })
})

describe('ssh', () => {
  test('ssh uses the command that the operator has configured', async () => {
    const playground = await openPlayground()
    const record = join(playground.path, 'called')
    const command = join(playground.path, 'my-ssh')
    await writeFile(command, `#!/bin/sh\necho "$@" > '${record}'\nexit 255\n`)
    await chmod(command, 0o755)
    await writeFile(
      join(playground.home, '.gitconfig'),
      `[core]\n\tsshCommand = ${command} -i my-key\n[ssh]\n\tvariant = ssh\n`,
    )
    const address = parseRepositoryAddress('git@forge.example:acme/web.git')

    await failureOf(
      runGit({ ...basics, subcommand: 'ls-remote', operands: [address.url], access: await remoteAccess(address) }),
    )

    expect(await readFile(record, 'utf8')).toMatch(/^-i my-key .*git@forge\.example git-upload-pack 'acme\/web\.git'/)
  })
})

describe('what reaches git unchecked', () => {
  test.each([
    '--upload-pack=touch CANARY',
    '-c',
    'ext::touch CANARY',
    'fd::0',
    '--config=core.sshCommand=touch CANARY',
  ])('what reaches git unchecked runs no program when given as an operand: %s', async (text) => {
    const playground = await openPlayground()
    const canary = join(playground.path, 'canary')
    const operand = text.replace('CANARY', canary)
    const source = await playground.makeSource()

    for (const access of [noAccess, ownDiskAccess, await remoteAccess(parseRepositoryAddress(source))]) {
      for (const operands of [[operand], [operand, source], [source, operand]]) {
        await runGit({ ...basics, subcommand: 'ls-remote', operands, access }).catch(() => {})
        await runGit({ ...basics, subcommand: 'clone', operands, cwd: playground.home, access }).catch(() => {})
      }
    }

    expect(await isThere(canary)).toBe(false)
  })
})

/** Puts a wrapper around git on the PATH that records its last call. */
async function spyOnGit(work: () => Promise<void>): Promise<{ variables: Record<string, string>; argv: string[] }> {
  const playground = await openPlayground()
  const folder = join(playground.path, 'bin')
  await mkdir(folder)
  await writeFile(
    join(folder, 'git'),
    `#!/bin/sh\nenv > '${folder}/env'\nprintf '%s\\n' "$@" > '${folder}/argv'\nPATH=\${PATH#*:}\nexec git "$@"\n`,
  )
  await chmod(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  await work()
  const lines = (await readFile(join(folder, 'env'), 'utf8')).trim().split('\n')
  const variables = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
  return { variables, argv: (await readFile(join(folder, 'argv'), 'utf8')).trim().split('\n') }
}

async function listenInSilence(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => {
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  // The address of a server that listens on a port is an object.
  return (server.address() as AddressInfo).port
}
