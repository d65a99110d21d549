import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { judgeStored } from '../stored.mjs'
import { until } from '../until.mjs'

export const longAbsence = {
  name: 'R49',
  what: 'a server and a reader of the event stream are away for longer than hosts and events are kept',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random }) => {
    const staying = await cluster.only(seed % 3)
    const away = await cluster.start(`away-${seed}`)
    const seen = (await readEvents(away, {}, () => true)).at(-1).id
    const tags = Array.from({ length: 4 }, (_, index) => `R49.${seed}.${index}`)
    const accepted = tags.map((tag) => ({ tag, number: 1 }))
    const ids = []
    for (const tag of tags) ids.push(await createSession(cluster, away, cluster.effects.prompt(tag, 1)))
    await settled(cluster, ids)
    for (const [index, tag] of tags.entries()) {
      await away.command('enqueue', { id: ids[index], prompt: cluster.effects.prompt(tag, 2) })
      accepted.push({ tag, number: 2 })
    }
    await away.kill()
    // Everything is as old as after a week without this server.
    await cluster.pool.query(`update events set created_at = created_at - interval '8 days'`)
    await cluster.pool.query(`update hosts set seen_at = now() - interval '8 days' where id = $1`, [away.hostId])
    if (staying.length === 0) await cluster.start(`away-${seed}`)
    const host = cluster.hosts()[0]
    const created = random.between(1, 4)
    for (let index = 0; index < created; index += 1) {
      ids.push(await createSession(cluster, host, 'say kept'))
    }
    for (const name of ['prune_hosts', 'prune_events']) await host.command('runPeriodic', { name })
    await until(
      'old events are deleted',
      async () =>
        (await cluster.pool.query(`select from events where created_at < now() - interval '7 days'`)).rowCount,
      (count) => count === 0,
    )
    const known = await cluster.pool.query('select from hosts where id = $1', [away.hostId])
    await until(
      'every message is delivered',
      async () => cluster.effects.lines().filter(({ tag, mark }) => tags.includes(tag) && mark === 'end'),
      ({ length }) => length >= accepted.length,
    )
    await settled(cluster, ids)
    const kept = await positionsAfter(cluster, seen)
    const after = await readEvents(host, { 'last-event-id': seen }, (text) =>
      new RegExp(`^id: ${kept.at(-1)}$`, 'm').test(text),
    )
    if (staying.length > 0) await cluster.start(`away-${seed}`)
    const back = await cluster.pool.query(`select from hosts where id = $1 and seen_at > now() - interval '1 minute'`, [
      away.hostId,
    ])
    await cluster.stop(`away-${seed}`)
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: [
        ...(await judgeStored(cluster, ids.slice(0, tags.length), accepted)),
        ...judgeEvents(after, kept),
        staying.length > 0 && known.rowCount > 0 && 'a server that was away for a week is still known',
        back.rowCount === 0 && 'a server that came back is not recorded',
      ].filter(Boolean),
    }
  },
}

/** The events of a stream, from its start until there is one and `isEnough`. */
async function readEvents(host, headers, isEnough) {
  const closing = new AbortController()
  const response = await host.open('/api/v1/events', { headers, signal: closing.signal })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) text += chunk
  })().catch(() => undefined)
  await until(
    'the stream has sent enough',
    async () => text,
    (received) => received.includes('id:') && isEnough(received),
  )
  closing.abort()
  await reading
  return text.split('\n\n').flatMap((frame) => {
    const id = /^id: (\d+)$/m.exec(frame)?.[1]
    const name = /^event: (.+)$/m.exec(frame)?.[1]
    return id === undefined ? [] : [{ id, name, data: /^data: (.+)$/m.exec(frame)?.[1] }]
  })
}

async function positionsAfter({ pool }, seen) {
  const { rows } = await pool.query('select position from events where position > $1 order by position', [seen])
  return rows.map(({ position }) => String(position))
}

/** The reader is told what it missed, and then gets every event that is left, once and in order. */
function judgeEvents(frames, kept) {
  const events = frames.filter(({ name }) => name !== undefined)
  const [first, ...others] = events
  const received = others.map(({ id }) => id)
  return [
    first?.name !== 'events.missed' && `the stream began with ${first?.name} and not with events.missed`,
    new Set(received).size !== received.length && 'an event arrived twice',
    received.some((id, index) => index > 0 && Number(id) <= Number(received[index - 1])) && 'events are out of order',
    kept.some((id) => !received.includes(id)) && 'a kept event did not arrive',
  ].filter(Boolean)
}
