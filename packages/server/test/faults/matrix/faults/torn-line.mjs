import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled, startHosts } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const messages = 3

export const tornLine = {
  name: 'R36',
  what: 'an agent is killed in the middle of a write, with messages queued; the server is killed in every other round',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random }) => {
    const [host, ...others] = await startHosts(cluster, seed)
    const tag = `R36.${seed}`
    const tear = `run printf %s '{"type":"assistant","mess' >> $(ls $HOME/transcripts/*.jsonl); kill -9 $PPID`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'sleep 1', tear))
    const accepted = [{ tag, number: 1 }]
    for (let number = 2; number <= messages; number += 1) {
      const prompt = cluster.effects.prompt(tag, number, `sleep ${random.between(1, 10) / 10}`)
      const { status } = await random.pick([host, ...others]).post(`/api/v1/sessions/${id}/enqueued_messages`, {
        content: prompt,
      })
      if (status === 201) accepted.push({ tag, number })
    }
    if (seed % 2 === 0) {
      await wait(random.between(0, 5000))
      await random.pick([host, ...others]).kill()
    }
    const [next] = await startHosts(cluster, seed)
    await settled(cluster, [id])
    const { body } = await next.get(`/api/v1/sessions/${id}?include_transcript=true`)
    const entries = (body?.session?.transcript ?? '').split('\n').filter(Boolean).map(read)
    const prompts = entries.map((entry) => entry?.message?.content).filter((content) => typeof content === 'string')
    return {
      // The agent kills itself in the first prompt, which nothing continues.
      ...judge(cluster.effects, accepted, cluster.homes(), { mayBeInterrupted: true }),
      problems: [
        accepted.length !== messages && 'a message was not accepted',
        entries.includes(undefined) && 'the stored transcript is not JSON',
        ...accepted.map(
          ({ number }) =>
            prompts.filter((prompt) => prompt.startsWith(`run echo ${tag} begin ${number} `)).length !== 1 &&
            `the stored transcript does not have prompt ${number} exactly once`,
        ),
      ].filter(Boolean),
    }
  },
}

function read(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
