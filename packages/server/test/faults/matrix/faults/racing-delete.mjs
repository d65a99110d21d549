import { setTimeout as wait } from 'node:timers/promises'
import { agentsUp, createSession, startHosts } from '../cluster.mjs'

const retrySeconds = 60

export const racingDelete = {
  name: 'R35',
  what: 'refresh and fork racing a delete, while the agent creates and deletes files',
  seeds: 20,
  limitSeconds: 180,
  round: async ({ cluster, seed, random }) => {
    const hosts = await startHosts(cluster, seed)
    const churn = 'for n in 1 2 3 4 5 6 7 8 9; do mkdir -p d$n; echo x > d$n/f; rm -r d$n; done'
    const ids = []
    for (let index = 0; index < 3; index += 1) {
      ids.push(await createSession(cluster, random.pick(hosts), `run while :; do ${churn}; done`))
    }
    await agentsUp(cluster, ids, 60_000)
    // The first line is stored by now, so there is something to fork.
    await wait(1000)
    const answers = []
    let retries = 0
    /** A busy host answers 503 and has changed nothing: the caller tries again. */
    const ask = async (method, path, body) => {
      const until = performance.now() + retrySeconds * 1000
      let answer = await random.pick(hosts)[method](path, body)
      while (answer.status === 503 && performance.now() < until) {
        retries += 1
        await wait(1000)
        answer = await random.pick(hosts)[method](path, body)
      }
      answers.push({ status: answer.status, path, why: answer.body?.message })
    }
    for (const id of ids) {
      // Without a delete every fork succeeds.
      await ask('post', `/api/v1/sessions/${id}/fork`, { message_index: 0 })
    }
    const forks = answers.filter(({ status }) => status !== 201)
    const races = ids.flatMap((id) => [
      ...Array.from({ length: 4 }, async () => {
        await wait(random.between(0, 300))
        await ask('post', `/api/v1/sessions/${id}/fork`, { message_index: 0 })
      }),
      ...Array.from({ length: 8 }, async () => {
        await wait(random.between(0, 300))
        await ask('post', `/api/v1/sessions/${id}/refresh`)
      }),
      wait(random.between(0, 300)).then(() => ask('delete', `/api/v1/sessions/${id}`)),
    ])
    await Promise.all(races)
    const faults = answers.filter(({ status }) => status === 0 || status >= 500)
    return {
      problems: [
        ...forks.map(({ status, why }) => `a fork beside a working agent answered ${status}: ${why}`),
        ...faults.map(({ status, path, why }) => `${path} answered ${status}: ${why}`),
      ],
      figures: { 'answers of 503': retries },
    }
  },
}
