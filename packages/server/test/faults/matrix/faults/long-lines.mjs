import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const lineBytes = 8 * 2 ** 20 - 4096

export const longLines = {
  name: 'R44',
  what: 'eight agents write lines of 8 MB with secrets',
  seeds: 20,
  limitSeconds: 300,
  limits: { 'p99 of /up (ms)': 100 },
  round: async ({ cluster, seed, random, isShort }) => {
    const host = await cluster.up()
    // A tag for each session: turns of different sessions may run at once.
    const tagOf = (number) => `R44.${seed}.${number}`
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const numbers = Array.from({ length: isShort ? 2 : 8 }, (_, index) => index + 1)
    const ids = []
    for (const number of numbers) {
      const piece = random.pick([`key ${secret} `, '[', '\\u001b[1m', '"\\\\"'])
      const write = `run ${commandFor(`${secret} ${piece}`, piece)}`
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tagOf(number), 1, write, 'say after')))
    }
    const waits = []
    let isDone = false
    const all = settled(cluster, ids).finally(() => {
      isDone = true
    })
    while (!isDone) {
      const asked = performance.now()
      await host.get('/up')
      waits.push(performance.now() - asked)
      await wait(10)
    }
    await all
    waits.sort((one, other) => one - other)
    const stored = []
    for (const id of ids) stored.push((await host.get(`/api/v1/sessions/${id}?include_transcript=true`)).body.session)
    return {
      ...judge(
        cluster.effects,
        numbers.map((number) => ({ tag: tagOf(number), number: 1 })),
        cluster.homes(),
      ),
      figures: { 'p99 of /up (ms)': waits[Math.ceil(waits.length * 0.99) - 1] },
      problems: stored.flatMap(({ status, transcript }) =>
        [
          status !== 'needs_input' && `a session is ${status}`,
          transcript.includes(secret) && 'a secret was stored',
          !transcript.includes('[REDACTED:FORGE_TOKEN]') && 'a line is missing or was withheld',
          !transcript.includes('after') && 'the entry after a long line is not stored',
        ].filter(Boolean),
      ),
    }
  },
}

/** A command that appends a line of 8 MB to the agent's own transcript. */
function commandFor(start, piece) {
  const script = `
    const { appendFileSync, readdirSync } = require('fs')
    const folder = process.env.HOME + '/transcripts/'
    const [start, piece] = ${JSON.stringify([start, piece])}
    const content = start + piece.repeat(Math.floor(${lineBytes} / JSON.stringify(piece).length))
    const line = JSON.stringify({ type: 'user', message: { role: 'user', content } })
    appendFileSync(folder + readdirSync(folder).find((name) => name.endsWith('.jsonl')), line + '\\n')
  `
  return `echo ${Buffer.from(script).toString('base64')} | base64 -d | ${process.execPath} -`
}
