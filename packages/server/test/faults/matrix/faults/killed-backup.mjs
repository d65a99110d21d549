import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkBackup } from '../../../../dist/app/backup/read-backup.js'
import { createSession } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

const commands = fileURLToPath(new URL('../../../../../../scripts/', import.meta.url))

export const killedBackup = {
  name: 'R75',
  what: 'backups of a busy host with its own database are killed; the next one is whole and is restored',
  seeds: 20,
  limitSeconds: 300,
  round: async ({ cluster, seed, random, isShort }) => {
    const name = `backed-up-${seed}`
    const host = await cluster.start(name, { DATABASE_URL: '' })
    const home = join(cluster.folder, `home-${name}`)
    const problems = []
    const tag = `R75.${seed}`
    const quick = await createSession(cluster, host, cluster.effects.prompt(tag, 1))
    const busy = await createSession(cluster, host, 'sleep 120')
    await statusOf(host, quick, 'needs_input')
    await statusOf(host, busy, 'running')
    const accepted = []
    let isOver = false
    const work = (async () => {
      for (let number = 1; !isOver; number += 1) {
        const content = `say ${number}`
        const { status } = await host.post(`/api/v1/sessions/${busy}/enqueued_messages`, { content })
        if (status === 201) accepted.push(content)
        await wait(20)
      }
    })()
    for (let attempt = 1; attempt <= (isShort ? 3 : 8); attempt += 1) {
      const file = join(cluster.folder, `killed-${seed}-${attempt}.tar.gz`)
      const child = run('backup.mjs', [file], home)
      await wait(random.between(100, 2500))
      child.process.kill('SIGKILL')
      await child.ended
      if (existsSync(file)) await checkBackup(file).catch(({ message }) => problems.push(message))
    }
    const before = [...accepted]
    const file = join(cluster.folder, `whole-${seed}.tar.gz`)
    const backup = await run('backup.mjs', [file], home).ended
    if (backup.code !== 0) problems.push(`the backup failed: ${backup.output}`)
    isOver = true
    await work
    const { mode } = await stat(file)
    if ((mode & 0o077) !== 0) problems.push('others may read the backup')
    await host.kill()
    const restored = `restored-${seed}`
    const restore = await run('restore.mjs', [file], join(cluster.folder, `home-${restored}`)).ended
    if (restore.code !== 0) problems.push(`the restore failed: ${restore.output}`)
    const left = (await readdir(join(cluster.folder, `home-${restored}`))).filter((each) =>
      /unfinished|lock/.test(each),
    )
    if (left.length > 0) problems.push(`the restore left ${left.join(', ')}`)
    const again = await cluster.start(restored, { DATABASE_URL: '' })
    const kept = await messagesOf(again, busy)
    const missing = before.filter((content) => !kept.has(content))
    if (missing.length > 0) problems.push(`${missing.length} of ${before.length} accepted messages are missing`)
    // The restored host continues where it was.
    const { status } = await again.post(`/api/v1/sessions/${quick}/follow_up`, {
      prompt: cluster.effects.prompt(tag, 2),
    })
    if (status >= 300) problems.push(`a follow-up after the restore answered ${status}`)
    await until(
      'the restored session works',
      async () => cluster.effects.lines().filter((line) => line.tag === tag && line.mark === 'end'),
      ({ length }) => length >= 2,
    )
    await again.stop()
    return {
      ...judge(
        cluster.effects,
        [1, 2].map((number) => ({ tag, number })),
        [],
      ),
      problems,
      figures: { 'accepted before the backup': before.length },
    }
  },
}

function run(command, args, home) {
  const child = spawn(process.execPath, [join(commands, command), ...args], {
    env: { ...process.env, YARDMASTER_HOME: home, DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  return { process: child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, output }))) }
}

function statusOf(host, id, wanted) {
  return until(
    `session ${id} is ${wanted}`,
    async () => (await host.get(`/api/v1/sessions/${id}`)).body.session.status,
    (status) => status === wanted,
  )
}

async function messagesOf(host, id) {
  const contents = new Set()
  for (let page = 1, isMore = true; isMore; page += 1) {
    const { body } = await host.get(`/api/v1/sessions/${id}/enqueued_messages?per_page=100&page=${page}`)
    for (const { content } of body.enqueued_messages) contents.add(content)
    isMore = page < body.pagination.total_pages
  }
  return contents
}
