import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** Large enough that the kill also hits hosts that write it. */
const fileBytes = 2 * 1024 * 1024

/**
 * A prompt that was accepted brings its file along: as the first of a session, to a session at rest, and behind another turn. By the
 * seed the same host starts again, or another one takes over.
 */
export const killBeforeFile = {
  name: 'R85',
  what: 'kill -9 between the acceptance of a prompt that names a file and its delivery, restart or takeover',
  seeds: 20,
  limitSeconds: 240,
  round: async ({ cluster, seed, random }) => {
    const hasOther = seed % 2 === 0
    const [host, other] = await cluster.only(hasOther ? 2 : 1)
    const tags = ['new', 'rested', 'queued'].map((kind) => `R85.${seed}.${kind}`)
    const [first, rested, queued] = tags.map((tag) => fileOf(cluster, tag))
    const accepted = [
      { tag: rested.tag, number: 1 },
      { tag: queued.tag, number: 1 },
    ]
    const restedId = await createSession(cluster, host, cluster.effects.prompt(rested.tag, 1))
    await settled(cluster, [restedId])
    for (const file of [first, rested, queued]) await file.upload(host)
    const queuedId = await createSession(cluster, host, cluster.effects.prompt(queued.tag, 1, 'sleep 2'))
    const toFollow = [
      [restedId, rested],
      [queuedId, queued],
    ]
    for (const [id, file] of toFollow) {
      const { status } = await host.post(`/api/v1/sessions/${id}/follow_up`, { prompt: file.prompt(2) })
      if (status >= 300) throw new Error(`a follow-up was answered ${status}`)
      accepted.push({ tag: file.tag, number: 2 })
    }
    const ids = [restedId, queuedId, await createSession(cluster, host, first.prompt(2))]
    accepted.push({ tag: first.tag, number: 2 })
    await wait(random.between(0, 600))
    await host.kill()
    const next = hasOther ? other : await cluster.start('a')
    await settled(cluster, ids, 150_000)

    // The files are still there, whichever host has the sessions now.
    for (const [index, file] of [rested, queued, first].entries()) {
      const { status } = await next.post(`/api/v1/sessions/${ids[index]}/follow_up`, { prompt: file.prompt(3) })
      if (status >= 300) throw new Error(`a follow-up after the kill was answered ${status}`)
      accepted.push({ tag: file.tag, number: 3 })
    }
    await settled(cluster, ids)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: [first, rested, queued].flatMap((file) => file.problems()),
    }
  },
}

const hangUps = 12

/**
 * The memory for large bodies is shared. Callers with a key hang up in the middle of an upload behind an event stream of their
 * connection, and strangers in the middle of a body that no route reads; an upload after them is received all the same.
 */
export const hungUpUploads = {
  name: 'R86',
  what: 'callers hang up in the middle of large bodies, behind other requests of their connection',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, random }) => {
    const [host] = await cluster.only(1)
    const { hostname, port, host: name } = new URL(host.url)
    const head = (line, ...headers) => [`${line} HTTP/1.1`, `Host: ${name}`, ...headers, '', ''].join('\r\n')
    const key = `X-API-Key: ${host.key}`
    const large = ['Content-Type: application/json', 'Content-Length: 8388608']
    const asKeyHolder = `${head('GET /api/v1/events', key)}${head('POST /api/v1/attachments', key, ...large)}{`
    const asStranger = `${head('GET /icon.svg')}${head('GET /sessions/1', 'Accept: text/html', ...large)}{`
    const sockets = Array.from({ length: hangUps }, (_, index) => {
      const socket = connect(Number(port), hostname, () => socket.write(index % 2 === 0 ? asKeyHolder : asStranger))
      socket.on('error', () => undefined)
      return socket
    })
    await wait(random.between(0, 600))
    for (const socket of sockets) socket.destroy()
    const file = fileOf(cluster, `R86.${seed}`)
    await file.upload(host)
    await settled(cluster, [await createSession(cluster, host, file.prompt(2))])
    return {
      ...judge(cluster.effects, [{ tag: file.tag, number: 2 }], cluster.homes()),
      problems: file.problems(),
    }
  },
}

/** A file, and prompts that name it and have the agent write down the digest of what it got. */
function fileOf({ folder, effects }, tag) {
  const content = randomBytes(fileBytes)
  const digest = createHash('sha256').update(content).digest('hex')
  const digests = join(folder, `${tag}.digests`)
  writeFileSync(digests, '')
  // Agents run as another user if the hosts run as root.
  chmodSync(digests, 0o666)
  let reference
  return {
    tag,
    upload: async (host) => {
      const { status, body } = await host.post('/api/v1/attachments', {
        name: `${tag}.bin`,
        content: content.toString('base64'),
      })
      if (status !== 201) throw new Error(`an upload was answered ${status}`)
      reference = body.attachment.reference
    },
    prompt: (number) => effects.prompt(tag, number, `run sha256sum < ${reference} >> ${digests}`),
    problems: () => {
      const lines = readFileSync(digests, 'utf8').split('\n').filter(Boolean)
      const ended = effects.lines().filter((line) => line.tag === tag && line.mark === 'end' && line.number > 1)
      return [
        lines.some((line) => !line.startsWith(digest)) && `an agent of ${tag} got another file`,
        lines.length < ended.length && `an agent of ${tag} did not get its file`,
      ].filter(Boolean)
    },
  }
}
