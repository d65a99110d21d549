import { describe, expect, test } from 'vitest'
import { parseRepositoryAddress, shownAddress } from '../../../src/platform/git/repository-address.ts'

describe('an accepted address', () => {
  test.each([
    ['https://forge.example/acme/web.git', 'https', 'https://forge.example/acme/web.git'],
    ['HTTPS://Forge.Example:443/acme/Web.git/', 'https', 'https://forge.example/acme/Web.git'],
    ['http://forge.lan:3000/acme/web', 'http', 'http://forge.lan:3000/acme/web'],
    ['https://[::1]:8443/a%20b', 'https', 'https://[::1]:8443/a%20b'],
    ['ssh://git@Forge.example/acme/web.git', 'ssh', 'ssh://git@forge.example/acme/web.git'],
    ['ssh://forge.example:2222/~ada/web', 'ssh', 'ssh://forge.example:2222/~ada/web'],
    ['ssh://git@forge.example:22/web', 'ssh', 'ssh://git@forge.example/web'],
    ['git@forge.example:acme/web.git', 'ssh', 'git@forge.example:acme/web.git'],
    ['git@[::1]:acme/web.git', 'ssh', 'git@[::1]:acme/web.git'],
    ['ada@host_1:/srv/with blank/web', 'ssh', 'ada@host_1:/srv/with blank/web'],
    ['/srv/git/web.git', 'local', '/srv/git/web.git'],
    ['//srv/./git//web.git/', 'local', '/srv/git/web.git'],
    ['/srv/it is: here@home', 'local', '/srv/it is: here@home'],
    ['file:///srv/git/a%20b', 'local', '/srv/git/a b'],
    ['file://localhost/srv/git', 'local', '/srv/git'],
  ])('the address %s has transport %s and URL %s', (text, transport, url) => {
    expect(parseRepositoryAddress(text)).toMatchObject({ transport, url, credentials: undefined })
  })
})

describe('credentials', () => {
  test.each([
    ['https://ada:s3cret@forge.example/web', { username: 'ada', password: 's3cret' }],
    ['https://ada:p%40ss%2Fw%3Ard@forge.example/web', { username: 'ada', password: 'p@ss/w:rd' }],
    ['https://:token@forge.example/web', { username: '', password: 'token' }],
    ['https://ada@forge.example/web', { username: 'ada', password: undefined }],
  ])('credentials of %s are removed from the URL', (text, credentials) => {
    expect(parseRepositoryAddress(text)).toMatchObject({ url: 'https://forge.example/web', credentials })
  })

  test('credentials do not affect the key of the mirror', () => {
    const keys = [
      'https://forge.example/web',
      'https://ada:one@forge.example/web/',
      'https://bob@FORGE.example:443/web',
    ]

    expect(new Set(keys.map((text) => parseRepositoryAddress(text).mirrorKey)).size).toBe(1)
  })

  test('credentials are not quoted when the address is rejected', () => {
    for (const text of [
      'https://ada:s3cret@forge.example/web?x',
      'ssh://ada:s3cret@forge.example/web',
      'https://s3cret@/',
    ]) {
      expect(() => parseRepositoryAddress(text)).toThrow(expect.not.stringContaining('s3cret'))
    }
  })
})

test('the key of the mirror is a file name and differs between repositories', () => {
  const texts = [
    'https://a.example/web',
    'http://a.example/web',
    'ssh://a.example/web',
    '/a.example/web',
    'https://a.example/Web',
  ]
  const keys = texts.map((text) => parseRepositoryAddress(text).mirrorKey)

  expect(new Set(keys).size).toBe(texts.length)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
})

describe('a rejected address', () => {
  test.each([
    '',
    ' ',
    'web',
    'acme/web',
    './web',
    '../web',
    '~/web',
    'forge.example:acme/web',
    'C:\\web',
    '--upload-pack=touch /tmp/x',
    '-c core.sshCommand=x',
    '-u',
    'ext::sh -c "touch /tmp/x"',
    'EXT::sh -c x',
    'fd::17/foo',
    'https::https://forge.example/web',
    'ssh::x',
    '::x',
    'git://forge.example/web',
    'ftp://forge.example/web',
    'javascript:alert(1)',
    'data://x/y',
    'ext://x/y',
    'https://',
    'https:///web',
    'https://forge.example',
    'https://forge.example/',
    'https://forge.example/web?private_token=x',
    'https://forge.example/web#x',
    'https://forge.example/a b',
    'https://forge.example\\@evil.example/web',
    'https://forge.example/web\n--upload-pack=x',
    'https://forge.example/%0aweb',
    'https://forge.example/%00',
    'https://forge.example/%zz',
    'https://ada:a%0ahost=evil.example@forge.example/web',
    'https://-forge.example/web',
    'ssh://-oProxyCommand=touch%20x/web',
    'ssh://%2doProxyCommand=touch/web',
    'ssh://git@-oProxyCommand=x/web',
    'ssh://-oProxyCommand=x@forge.example/web',
    'ssh://git:password@forge.example/web',
    'ssh://git@/web',
    'ssh://git@forge.example',
    'ssh://git@forge.example/a\tb',
    'git@-oProxyCommand=x:web',
    '-oProxyCommand=x@forge.example:web',
    'git@forge.example:-web',
    'git@forge.example:',
    'git@forge.example:/',
    'git@:web',
    'git@fo rge:web',
    'git@$(touch x):web',
    'git@`touch x`:web',
    'git@forge.example;touch x:web',
    "git@forge'example:web",
    'file://evil.example/share',
    'file://relative',
    'file:///srv/%2e%2e/etc',
    '/srv/../etc',
    '/srv/..',
    '/srv/\0',
    '/srv/a\u2028b',
    '/srv/\ud800',
    `/${'a'.repeat(3_000)}`,
  ])('the repository address %j is rejected', (text) => {
    expect(() => parseRepositoryAddress(text)).toThrow(expect.objectContaining({ name: 'GitFailed', kind: 'refused' }))
  })
})

describe('a displayed address holds no credentials', () => {
  const hidden = '[REDACTED:URL_CREDENTIALS]'

  test.each([
    ['https://ada:secret@forge.test/web.git', `https://ada:${hidden}@forge.test/web.git`],
    ['https://:se:cret@forge.test/web.git', `https://:${hidden}@forge.test/web.git`],
    [`https://${'t'.repeat(40)}@forge.test/web.git`, `https://${hidden}@forge.test/web.git`],
    ['ssh://git@forge.test/web.git', 'ssh://git@forge.test/web.git'],
    ['https://forge.test/web.git', 'https://forge.test/web.git'],
    ['git@forge.test:web.git', 'git@forge.test:web.git'],
    ['/srv/a@b/web', '/srv/a@b/web'],
  ])('the address %s is displayed without credentials, as %s', (text, shown) => {
    expect(shownAddress(text)).toBe(shown)
  })
})
