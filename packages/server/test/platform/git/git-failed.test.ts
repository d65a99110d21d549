import { describe, expect, test } from 'vitest'
import { GitFailed, maskCredentials, readFailure } from '../../../src/platform/git/git-failed.ts'

describe('the kind of a failure', () => {
  test.each([
    ['auth', "fatal: could not read Username for 'https://forge.example': terminal prompts disabled"],
    ['auth', "remote: Invalid username or token.\nfatal: Authentication failed for 'https://forge.example/web/'"],
    ['auth', "fatal: unable to access 'https://forge.example/web/': The requested URL returned error: 403"],
    ['auth', 'git@forge.example: Permission denied (publickey).\nfatal: Could not read from remote repository.'],
    ['auth', 'Host key verification failed.\nfatal: Could not read from remote repository.'],
    ['not_found', "remote: Not Found\nfatal: repository 'https://forge.example/web/' not found"],
    ['not_found', 'ERROR: Repository not found.\nfatal: Could not read from remote repository.'],
    [
      'not_found',
      "fatal: '/srv/web' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    ],
    ['not_found', 'fatal: https://forge.example/ not valid: is this a git repository?'],
    ['network', "fatal: unable to access 'https://forge.example/': Could not resolve host: forge.example"],
    [
      'network',
      'ssh: connect to host forge.example port 22: Connection refused\nfatal: Could not read from remote repository.',
    ],
    ['network', "fatal: unable to access 'https://forge.example/': The requested URL returned error: 502"],
    ['network', "fatal: unable to access 'https://forge.example/': The requested URL returned error: 429"],
    [
      'network',
      'error: RPC failed; curl 18 transfer closed\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
    ],
    ['timeout', "fatal: unable to access 'https://forge.example/': Operation too slow. Less than 1 bytes/sec"],
    ['disk_full', 'error: unable to write file big.bin\nfatal: write error: No space left on device'],
    ['refused', "fatal: transport 'ext' not allowed"],
    ['refused', "fatal: unable to access 'https://forge.example/': SSL certificate problem: self-signed certificate"],
    ['refused', "fatal: detected dubious ownership in repository at '/srv/web'"],
    ['unknown', "fatal: not a git repository: '/home/mirrors/x.git'"],
    ['unknown', 'fatal: bad object refs/heads/main'],
    ['unknown', ''],
  ] as const)('the kind of a git failure is %s for the output: %s', (kind, stderr) => {
    expect(readFailure(stderr, [])).toMatchObject({ kind, reason: expect.stringMatching(/^[^\n]+$/) })
  })

  test('the kind of a git failure tells whether a retry makes sense', () => {
    const isRetryable = (kind: GitFailed['kind']) => new GitFailed({ operation: 'x', kind, reason: 'y' }).isRetryable

    expect((['network', 'timeout', 'disk_full', 'unknown'] as const).every(isRetryable)).toBe(true)
    expect((['auth', 'not_found', 'no_such_ref', 'refused', 'git_missing'] as const).some(isRetryable)).toBe(false)
  })
})

describe('the reason', () => {
  test('the reason of a failed git command is one short line without colours, whatever the remote side prints', () => {
    const { reason } = readFailure(`\u001b[31mfatal: red\u001b[0m\rINFO all is well ${'x '.repeat(9_000)}\n`, [])

    expect(reason).toMatch(/^red INFO all is well [x ]+…$/)
    expect(reason.length).toBeLessThan(400)
  })

  test('the reason of a failed git command leaves out a secret that its limit would split', () => {
    const { reason } = readFailure(`fatal: ${'word '.repeat(59)}ghp_${'a1B2'.repeat(9)}\n`, [])

    expect(reason).toMatch(/^[word ]+…$/)
  })

  test('the reason of a failed git command contains neither the credentials of a URL nor known secrets', () => {
    const stderr =
      "fatal: Authentication failed for 'https://ada:p@ss@forge.example/web': hunter22 is wrong, as is p%2Fq-long"

    const { reason } = readFailure(stderr, ['hunter22', 'p%2Fq-long'])

    expect(reason).toBe("Authentication failed for 'https://***@forge.example/web': *** is wrong, as is ***")
  })

  test('the reason of a failed git command keeps text that only resembles credentials', () => {
    expect(maskCredentials("could not find https://forge.example/a@b or '/srv/a@b'")).toBe(
      "could not find https://forge.example/a@b or '/srv/a@b'",
    )
  })
})
