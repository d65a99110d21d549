import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/app/config.ts'
import { allowedHosts, isPrivate } from '../../../src/platform/git/allowed-hosts.ts'
import { openClones } from '../../../src/platform/git/clones.ts'
import { parseRepositoryAddress } from '../../../src/platform/git/repository-address.ts'
import { expectProblem, testApp } from '../../support/app/app.ts'
import { startForge } from './forge.ts'
import { openPlayground } from './playground.ts'

const listOf = (text: string) => readConfig({ GIT_HOSTS: text }).GIT_HOSTS
const hostsOf = (text: string, resolved: string[] = ['93.184.215.14']) =>
  allowedHosts(listOf(text), async () => resolved)

describe('GIT_HOSTS', () => {
  const hosts = hostsOf('github.com, forge.corp=10.0.0.5')

  test.each([
    'https://github.com/acme/web.git',
    'https://GitHub.com:443/acme/web',
    'ssh://git@github.com/acme/web',
    'git@github.com:acme/web.git',
    'http://forge.corp:8080/acme/web',
  ])('GIT_HOSTS allows %s', (text) => {
    expect(hosts.problemWith(parseRepositoryAddress(text))).toBeUndefined()
  })

  test.each([
    'https://evil.test/acme/web.git',
    'https://github.com.evil.test/acme/web',
    'https://evilgithub.com/acme/web',
    'https://github.com@evil.test/acme/web',
    'https://github.com:pass@evil.test/acme/web',
    'git@evil.test:github.com/acme/web.git',
    'git@[::1]:acme/web.git',
    'ssh://github.com@127.0.0.1/acme/web',
    'http://127.0.0.1:3000/acme/web',
    'http://2130706433/acme/web',
    'http://0x7f.1/acme/web',
    'http://[::ffff:127.0.0.1]/acme/web',
    'http://[::1]:80/acme/web',
    'https://github.com./acme/web',
    '/srv/git/web',
    'file:///srv/git/web',
  ])('GIT_HOSTS refuses %s', (text) => {
    expect(hosts.problemWith(parseRepositoryAddress(text))).toMatch(/not allowed here; GIT_HOSTS lists/)
  })

  test('GIT_HOSTS allows paths on this machine by the word local', () => {
    expect(hostsOf('local').problemWith(parseRepositoryAddress('/srv/git/web'))).toBeUndefined()
  })

  test('GIT_HOSTS without a list allows everything and resolves nothing', async () => {
    const open = allowedHosts(undefined, () => Promise.reject(new Error('asked')))
    const address = parseRepositoryAddress('http://127.0.0.1/acme/web')
    expect([open.problemWith(address), await open.pin(address)]).toEqual([undefined, undefined])
  })

  test.each(['git hub', 'a=b', 'github.com=', '*.github.com', 'https://github.com'])(
    'the value %j of GIT_HOSTS stops the start',
    (text) => {
      expect(() => listOf(text)).toThrow(/^GIT_HOSTS must be host names/)
    },
  )
})

describe('the address that git connects to', () => {
  const pin = (text: string, list: string, resolved: string[]) =>
    hostsOf(list, resolved).pin(parseRepositoryAddress(text))

  test('the address that git connects to is resolved once and pinned', async () => {
    expect(await pin('git@github.com:acme/web', 'github.com', ['140.82.121.3'])).toEqual({
      host: 'github.com',
      port: undefined,
      address: '140.82.121.3',
    })
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ])(
    'the address that git connects to is refused when a listed name resolves to %s, alone or beside a public address',
    async (address) => {
      for (const resolved of [[address], ['140.82.121.3', address]])
        await expect(pin('https://github.com/acme/web', 'github.com', resolved)).rejects.toMatchObject({
          kind: 'refused',
          reason: expect.stringContaining('private address'),
        })
    },
  )

  test('the address that git connects to is refused when the list names a private address itself, and allowed when the operator pins a name to it', async () => {
    await expect(pin('http://127.0.0.1/acme/web', '127.0.0.1', [])).rejects.toMatchObject({ kind: 'refused' })
    await expect(pin('http://localhost/acme/web', 'localhost', ['127.0.0.1'])).rejects.toMatchObject({
      kind: 'refused',
    })
    expect(await pin('http://forge.corp:81/a/b', 'forge.corp=10.0.0.5', [])).toEqual({
      host: 'forge.corp',
      port: '81',
      address: '10.0.0.5',
    })
  })

  test.each(['8.8.8.8', '140.82.121.3', '2606:4700::1111', '2a00:1450:4001::1'])(
    'the address %s is public',
    (address) => {
      expect(isPrivate(address)).toBe(false)
    },
  )
})

describe('git with GIT_HOSTS', () => {
  test('clones over http from the pinned address and asks no name server', async () => {
    const playground = await openPlayground()
    const source = await playground.makeSource('web')
    const forge = await startForge({ root: join(source, '..') })
    const { port } = new URL(forge.origin)
    const clones = openClones({
      root: join(playground.path, 'clones'),
      mirrorsRoot: join(playground.path, 'mirrors'),
      hosts: allowedHosts(listOf('forge.corp=127.0.0.1')),
    })
    const clone = (host: string) =>
      clones.create({
        name: `of-${host.replace('.', '-')}`,
        address: parseRepositoryAddress(`http://${host}:${port}/web/.git`),
        branch: 'main',
      })
    expect((await clone('forge.corp')).commit).toMatch(/^[0-9a-f]{40}$/)
    await expect(clone('localhost')).rejects.toMatchObject({ kind: 'refused' })
  })
})

test('git follows no redirect, with and without GIT_HOSTS', async () => {
  let reached = 0
  const inner = createServer((_request, response) => {
    reached += 1
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  const target = (inner.address() as AddressInfo).port
  const outer = createServer((request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${target}${request.url}` }).end()
  })
  await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const server of [inner, outer]) server.close()
  })
  const playground = await openPlayground()
  const clones = openClones({ root: join(playground.path, 'c'), mirrorsRoot: join(playground.path, 'm') })
  const address = parseRepositoryAddress(`http://127.0.0.1:${(outer.address() as AddressInfo).port}/acme/web`)
  await expect(clones.create({ name: 'redirected', address, branch: 'main' })).rejects.toMatchObject({
    kind: 'refused',
  })
  expect(reached).toBe(0)
})

describe('POST /sessions with GIT_HOSTS', () => {
  const app = testApp({ environment: { ROLE: 'web', GIT_HOSTS: 'github.com' } })

  test('POST /sessions with GIT_HOSTS answers 422 to a repository of another host and 201 to one of the list', async () => {
    for (const git_root of ['https://evil.test/a/b', 'git@evil.test:a/b', '/tmp/none', 'http://169.254.169.254/latest'])
      expectProblem(await app.post('/sessions', { git_root }), 422, 'Validation failed')
    expect((await app.post('/sessions', { git_root: 'https://github.com/a/b' })).status).toBe(201)
  })
})
