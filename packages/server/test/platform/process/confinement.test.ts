import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemUser } from '../../../src/platform/home/system-user.ts'
import { openConfinement } from '../../../src/platform/process/confinement.ts'
import { childEnvironment } from '../../../src/platform/process/environment.ts'
import { findProgram } from '../../../src/platform/process/find-program.ts'
import { type Child, launch } from '../../../src/platform/process/launch.ts'
import { processTable } from '../../../src/platform/process/process-table.ts'
import { newRunMarker } from '../../../src/platform/process/run-marker.ts'
import { SpawnFailed } from '../../../src/platform/process/spawn-failed.ts'
import { sweepMarked } from '../../../src/platform/process/stop.ts'
import { eventually } from '../../support/vitest/eventually.ts'

let home: string
let ours: string
const marker = newRunMarker()

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-confined-')))
  ours = join(home, 'clones/session-1')
  for (const folder of [ours, join(home, 'clones/session-2'), join(home, 'agents')]) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'file'), 'content\n')
  }
  await writeFile(join(home, 'api-key'), 'the key of the server\n', { mode: 0o600 })
})

afterEach(async () => {
  await sweepMarked(marker)
  await rm(home, { recursive: true, force: true })
})

type Options = Partial<Parameters<typeof openConfinement>[0]>

type Run = Options & { lingerMs?: number; as?: { uid: number; gid: number } }

async function start(command: string, args: readonly string[], options: Run = {}) {
  const confinement = await openConfinement({
    mode: 'required',
    home,
    stage: join(home, 'stage'),
    hidden: [],
    readable: [join(home, 'agents')],
    mechanisms: ['namespaces'],
    ...options,
  })
  const program = { command, args, cwd: ours, env: childEnvironment({}), lingerMs: options.lingerMs }
  return launch({
    ...(await confinement.confine({ work: ours, home: ours })(program)),
    marker,
    ...(options.as && { user: options.as }),
  })
}

async function printed(child: Child): Promise<string> {
  const lines: string[] = []
  for await (const { text } of child.lines) lines.push(text)
  await child.exited
  return [...lines, child.stderrTail()].join('\n').trim()
}

const run = async (script: string, options?: Run) => printed(await start('sh', ['-c', script], options))

/** What a program sees of the folder of a secret file, before and after the file gets new content, and what it writes there. */
async function seenOfSecret(change: 'replaced' | 'created', options: Run = {}) {
  const folder = await realpath(await mkdtemp('/var/tmp/yardmaster-secret-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'kept'))
  for (const path of [folder, join(folder, 'kept')]) await chmod(path, 0o777)
  await writeFile(join(folder, 'notes'), 'notes\n')
  await symlink(join(home, 'api-key'), join(folder, 'link'))
  const secret = join(folder, '.env')
  if (change === 'replaced') await writeFile(secret, 'KEY=old\n')
  const script = `cat ${secret}; ls ${folder}; echo more >> ${folder}/kept/new; echo up; read line; cat ${secret}`
  const child = await start('sh', ['-c', script], { ...options, secrets: [secret] })
  const lines: string[] = []
  for await (const { text } of child.lines) {
    lines.push(text)
    if (text !== 'up') continue
    await writeFile(`${secret}.new`, 'KEY=new\n')
    await rename(`${secret}.new`, secret)
    child.stdin?.end('go on\n')
  }
  return { lines, written: await readFile(join(folder, 'kept/new'), 'utf8') }
}

describe('a confined program', () => {
  test('sees of the home only its own folder and what every agent may read', async () => {
    expect(await run(`cd ${home} && find . -type f | sort`)).toBe('./agents/file\n./clones/session-1/file')
    expect(await run(`cat ${home}/api-key`)).toContain('No such file')
    expect(await run('cat ../../api-key ../session-2/file')).not.toMatch(/key of the server|content/)
  })

  test('writes in its own folder, and nowhere else in the home', async () => {
    expect(await run('echo more > new && cat new')).toBe('more')
    expect(await run(`echo x > ${home}/new`)).toContain('Read-only')
    expect(await run(`echo x > ${home}/agents/file`)).toContain('Read-only')
  })

  test('does not see a hidden folder or file elsewhere, nor the socket in it, which may be named as well', async () => {
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-hidden-')))
    const server = createServer().listen(join(elsewhere, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    await writeFile(join(elsewhere, '.env'), 'API_KEYS=secret')
    const hidden = [elsewhere, join(elsewhere, 'socket'), elsewhere]
    expect(await run(`ls -A ${elsewhere}; echo end`, { hidden })).toBe('end')
    expect(await run(`cat ${elsewhere}/.env; echo end`, { hidden: [join(elsewhere, '.env')] })).toBe('end')
    server.close()
    await rm(elsewhere, { recursive: true })
  })

  test.each(['replaced', 'created'] as const)('never sees a secret file that is %s while it runs', async (change) => {
    expect(await seenOfSecret(change)).toEqual({ lines: ['kept', 'notes', 'up'], written: 'more\n' })
  })

  test('sees only its own processes, and not the environment of the server', async () => {
    expect(await run('cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -c VITEST || echo none')).toMatch(/none$/)
    expect(await run(`[ -e /proc/${process.pid}/environ ] && echo seen || echo unseen`)).toBe('unseen')
  })

  test('runs from a folder that only root may enter, beside the covered home', async () => {
    const closed = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-closed-')))
    onTestFinished(() => rm(closed, { recursive: true }))
    await writeFile(join(closed, 'program'), '#!/bin/sh\necho ran; ls -A "$(dirname "$0")"\n', { mode: 0o755 })
    await writeFile(join(closed, 'private'), '')
    const user = await systemUser('agents')
    expect(await printed(await start(join(closed, 'program'), [], { ...(user && { user }) }))).toMatch(
      /^ran\n(private\n)?program/,
    )
  })

  test('works in a home whose name has blanks, quotes, a backslash and a sign of comments', async () => {
    home = join(home, `#odd "name" of\\040 it's\n home`)
    ours = join(home, 'clones/session-1')
    await mkdir(ours, { recursive: true })
    await writeFile(join(home, 'api-key'), 'the key of the server')
    expect(await run('echo mine > new && cat new && ls -A ../.. && cat ../../api-key')).toMatch(
      /^mine\nclones\n.*No such file/,
    )
    home = dirname(home)
  })

  test('gains no privileges and has limits on memory, processes, file size and open files', async () => {
    expect(await run('grep NoNewPrivs /proc/self/status')).toMatch(/1$/)
    const limits = await run('ulimit -Hd; ulimit -Hf; ulimit -Hn')
    expect(limits).not.toContain('unlimited')
    expect(await run('grep "Max processes" /proc/self/limits')).not.toMatch(/unlimited +unlimited/)
  })

  test('gets its input, and reports its exit code and the signal that ended it', async () => {
    const child = await start('cat', [])
    child.stdin?.end('through the pipe\n')
    expect(await printed(child)).toBe('through the pipe')
    expect(await (await start('sh', ['-c', 'exit 7'])).exited).toEqual({ code: 7, signal: null })
    expect(await (await start('sh', ['-c', 'kill -9 $$'])).exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('gets SIGTERM with its grace period when it is stopped', async () => {
    const child = await start('sh', ['-c', 'trap "echo asked; exit 3" TERM; echo up; while :; do sleep 0.05; done'])
    const lines: string[] = []
    for await (const { text } of child.lines) {
      lines.push(text)
      if (text === 'up') void child.stop({ graceMs: 10_000 })
    }
    expect(lines).toEqual(['up', 'asked'])
    expect(await child.exited).toEqual({ code: 3, signal: null })
  })

  test('is found by its marker with all its descendants, and nothing is left when it is stopped', async () => {
    const child = await start('sh', ['-c', 'setsid env -i sleep 1000 & setsid sleep 1000 & echo up; exec sleep 1000'])
    for await (const { text } of child.lines) if (text === 'up') break
    const family = await processTable().findMarked(marker)
    expect(family.length).toBeGreaterThanOrEqual(5)
    await child.stop({ graceMs: 0 })
    expect(await processTable().findMarked(marker)).toEqual([])
    for (const identity of family) expect(await processTable().isRunning(identity)).toBe(false)
  })

  test.each(['required', 'off'] as const)(
    'that forks without end is stopped with all it has started, in mode %s',
    async (mode) => {
      const user = await systemUser('agents')
      // Each process starts the next one and exits, so that no list of processes stays right.
      const chain = 'next() { sleep 0.1; next & }'
      const chains = `${chain}; for n in 1 2 3 4 5 6 7 8 9 10; do next & done; echo up; exec sleep 1000`
      const child = await start('sh', ['-c', chains], { mode, ...(user && { user }) })
      for await (const { text } of child.lines) if (text === 'up') break
      await expect.poll(async () => (await processTable().findMarked(marker)).length).toBeGreaterThan(10)
      expect(await child.stop({ graceMs: 0 })).toMatchObject({ survivors: [] })
      expect(await processTable().findMarked(marker)).toEqual([])
    },
  )

  test('takes its descendants with it when its first process is killed from outside', async () => {
    const child = await start('sh', ['-c', 'setsid sleep 1000 & echo up; exec sleep 1000'])
    for await (const { text } of child.lines) if (text === 'up') break
    process.kill(child.identity.pid, 'SIGKILL')
    await child.exited
    await expect.poll(() => processTable().findMarked(marker)).toEqual([])
  })

  test('is reported as killed when the kernel kills the first process of its namespace', async () => {
    const child = await start('sh', ['-c', 'echo up; exec sleep 1000'])
    for await (const { text } of child.lines) if (text === 'up') break
    const { pid } = child.identity
    process.kill(Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')), 'SIGKILL')
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('has ended with all its descendants when its end is reported, those in other sessions included', async () => {
    const escapees = 'for n in 1 2 3 4 5 6 7 8; do env -i setsid sh -c "trap : TERM HUP; sleep 60" & done'
    const child = await start('sh', ['-c', `${escapees}; until [ -e end ]; do sleep 0.05; done`])
    const findFamily = () => processTable().findMarked(marker, child.identity)
    const family = await eventually(findFamily, ({ length }) => length > 8)
    await writeFile(join(ours, 'end'), '')
    expect(await child.exited).toEqual({ code: 0, signal: null })
    const areRunning = await Promise.all(family.map((one) => processTable().isRunning(one)))
    expect(areRunning).not.toContain(true)
    expect(await child.stop({ graceMs: 0 })).toEqual({ endedBy: 'already_gone', swept: 0, survivors: [] })
  })

  test('leaves its descendants the time that the program asks for', async () => {
    const script = '(sleep 0.3; echo saved > state) & exit 0'
    await (await start('sh', ['-c', script], { lingerMs: 60_000 })).exited
    expect(await run('cat state')).toBe('saved')
  })

  test('that does not exist is reported as missing, as without confinement', async () => {
    const failure = await start('no-such-program', []).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SpawnFailed)
    expect(failure).toMatchObject({ code: 'ENOENT', message: expect.stringContaining('there is no such program') })
  })
})

const hasBubblewrap = (await findProgram({ command: 'bwrap', path: process.env.PATH })) !== undefined

/** The tests run as root, or as an ordinary user anyway. */
describe.each(['namespaces', ...(hasBubblewrap ? (['bubblewrap'] as const) : [])] as const)(
  'started by an ordinary user, by %s, a program',
  (mechanism) => {
    const isRoot = process.geteuid?.() === 0
    const as = isRoot ? { uid: 12_345, gid: 12_345 } : undefined

    beforeEach(async () => {
      if (!as) return
      execFileSync('chown', ['-R', `${as.uid}:${as.gid}`, home])
      // The trial of the mechanism runs as root, who is no longer all-powerful in a namespace of its own.
      execFileSync('chmod', ['-R', 'a+rwX', home])
      vi.spyOn(process, 'geteuid').mockReturnValue(as.uid)
      vi.spyOn(process, 'getegid').mockReturnValue(as.gid)
    })
    afterEach(() => vi.restoreAllMocks())

    const ordinary = { mechanisms: [mechanism], ...(as && { as }) }

    test('stays that user, and sees only its own folder and its own processes', async () => {
      expect(await run(`id -u; cd ${home} && find . -type f | sort`, ordinary)).toBe(
        `${as?.uid ?? process.getuid?.()}\n./agents/file\n./clones/session-1/file`,
      )
      expect(await run(`echo x > ${home}/new; echo more > new && cat new`, ordinary)).toMatch(/more$|^more/)
      expect(await run(`[ -e /proc/${process.pid}/environ ] && echo seen || echo unseen`, ordinary)).toBe('unseen')
    })

    test('never sees a secret file that is replaced while it runs', async () => {
      const { lines, written } = await seenOfSecret('replaced', ordinary)
      expect(lines).toEqual(['kept', 'notes', 'up'])
      expect(written).toBe('more\n')
    })

    test('does not see the shared memory of its user', async () => {
      const [own] = /\d+$/.exec(execFileSync('sh', ['-c', 'ipcmk --shmem 64'], { encoding: 'utf8' }).trim()) ?? ['']
      onTestFinished(() => void execFileSync('sh', ['-c', `ipcrm --shmem-id ${own}`]))
      expect(await run('cat /proc/sysvipc/shm | wc -l', ordinary)).toBe('1')
    })

    test('cannot undo it from inside', async () => {
      expect(
        await run(
          `umount ${home}; unshare --user --map-root-user --mount umount ${home}; cat ${home}/api-key`,
          ordinary,
        ),
      ).not.toContain('the key of')
    })

    test('is stopped with SIGTERM and its grace period, and leaves nothing', async () => {
      const script = 'trap "echo asked; exit 3" TERM; setsid sleep 1000 & echo up; while :; do sleep 0.05; done'
      const child = await start('sh', ['-c', script], ordinary)
      const lines: string[] = []
      for await (const { text } of child.lines) {
        lines.push(text)
        if (text === 'up') void child.stop({ graceMs: 10_000 })
      }
      expect(lines).toEqual(['up', 'asked'])
      expect(await child.exited).toEqual({ code: 3, signal: null })
      await expect.poll(() => processTable().findMarked(marker)).toEqual([])
    })

    test('under strict finds the home and hidden paths private in a folder that AGENT_PATHS names', async () => {
      const wide = await realpath(tmpdir())
      const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-hidden-')))
      onTestFinished(() => rm(elsewhere, { recursive: true }))
      for (const name of ['.env', 'file']) await writeFile(join(elsewhere, name), `content of ${name}\n`)
      execFileSync('chmod', ['755', elsewhere])
      const strict = { ...ordinary, mode: 'strict' as const, hidden: [join(elsewhere, '.env')] }
      for (const readable of [[wide], [wide, home]]) {
        expect(await run(`cat ${elsewhere}/file ${elsewhere}/.env 2>&1`, { ...strict, readable })).not.toContain(
          '.env\n',
        )
        expect(await run(`cat ${elsewhere}/file`, { ...strict, readable })).toBe('content of file')
        expect(
          await run(`cd ${home} && find . -type f; echo mine > ${ours}/new && cat ${ours}/new`, {
            ...strict,
            readable,
          }),
        ).toBe('./clones/session-1/file\nmine')
        await rm(join(ours, 'new'), { force: true })
      }
    })

    test('under strict writes only in its own folder and in temporary folders of its own', async () => {
      const strict = { ...ordinary, mode: 'strict' as const, userHomes: [] }
      expect(await run('echo mine > new && cat new && echo mine > /tmp/new && cat /tmp/new', strict)).toBe('mine\nmine')
      expect(await run(`ls -A /tmp /dev/shm; [ -w / ] && echo writable || echo read-only`, strict)).toMatch(
        /read-only$/,
      )
    })
  },
)

describe('under strict a program', () => {
  test('finds the home and hidden paths private in a folder that AGENT_PATHS names', async () => {
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-hidden-')))
    onTestFinished(() => rm(elsewhere, { recursive: true }))
    for (const name of ['.env', 'file']) await writeFile(join(elsewhere, name), `content of ${name}\n`)
    const strict = { mode: 'strict' as const, hidden: [join(elsewhere, '.env')] }
    for (const readable of [[await realpath(tmpdir())], [await realpath(tmpdir()), home]]) {
      expect(await run(`cat ${elsewhere}/.env ${elsewhere}/file`, { ...strict, readable })).toBe('content of file')
      expect(await run(`cd ${home} && find . -type f`, { ...strict, readable })).toBe('./clones/session-1/file')
    }
    expect(await run(`cd ${home} && find . -type f`, { readable: [home] })).toBe('./clones/session-1/file')
  })

  test('sees the home of the user only as far as it is allowed, and writes nowhere else', async () => {
    const userHome = await realpath(await mkdtemp(join(tmpdir(), 'yardmaster-user-')))
    onTestFinished(() => rm(userHome, { recursive: true }))
    await mkdir(join(userHome, 'tools'))
    await writeFile(join(userHome, 'tools/tool'), '')
    await writeFile(join(userHome, 'private'), '')
    const strict = {
      mode: 'strict' as const,
      userHomes: [userHome],
      readable: [join(userHome, 'tools'), join(home, 'agents')],
    }
    expect(await run(`find ${userHome} -type f; echo x > ${userHome}/tools/new`, strict)).toMatch(
      new RegExp(`^${userHome}/tools/tool\n.*Read-only`),
    )
    expect(await run('touch /usr/local/new /etc/new /var/new /root/new', strict)).toMatch(
      /^(.*Read-only file system\n?){4}$/,
    )
    expect(await run('touch here /tmp/there && ls here /tmp/there', strict)).toBe('/tmp/there\nhere')
    expect(await run('echo to null > /dev/null && echo works', strict)).toBe('works')
  })
})

describe('the mode', () => {
  const base = () => ({ home, stage: join(home, 'stage'), hidden: [], readable: [] })

  test('off starts the program as it is', async () => {
    const { confine, mechanism } = await openConfinement({ ...base(), mode: 'off' })
    const program = { command: 'sh', args: [], cwd: '/', env: {} }
    expect(await confine({ work: home, home })(program)).toEqual(program)
    expect(mechanism).toBe('none')
  })

  test('auto says why a host cannot confine, and starts the program as it is', async () => {
    const { confine, sentence } = await openConfinement({ ...base(), mode: 'auto', mechanisms: [] })
    const program = { command: 'sh', args: [], cwd: '/', env: {} }
    expect(await confine({ work: home, home })(program)).toEqual(program)
    expect(sentence).toMatch(/^Agents are not confined: this host cannot confine a process/)
  })

  test.each(['required', 'strict'] as const)('%s refuses to start on a host that cannot confine', async (mode) => {
    await expect(openConfinement({ ...base(), mode, mechanisms: [] })).rejects.toThrow(
      `AGENT_CONFINEMENT is ${mode}, but this host cannot confine a process`,
    )
  })
})
