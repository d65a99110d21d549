import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

const callers = 10

export const followUpsAtRest = {
  name: 'R42',
  what: `${callers} concurrent follow-ups to a resting session, on two hosts`,
  seeds: 20,
  limitSeconds: 240,
  round: async ({ cluster, seed }) => {
    const hosts = [await cluster.up('a'), await cluster.up('b')]
    const tag = `R42.${seed}`
    const id = await createSession(cluster, hosts[0], cluster.effects.prompt(tag, 0))
    await settled(cluster, [id])
    const sent = Array.from({ length: callers }, (_, index) => index + 1)
    const answers = await Promise.all(
      sent.map((number) =>
        hosts[number % 2].post(`/api/v1/sessions/${id}/follow_up`, { prompt: cluster.effects.prompt(tag, number) }),
      ),
    )
    await settled(cluster, [id])
    const count = (wanted) => answers.filter(({ status }) => status === wanted).length
    // The follow-up that became a turn was accepted first; messages are accepted in the order of their ids.
    const messageId = (number) => answers[number - 1].body?.enqueued_message?.id ?? 0
    const accepted = [0, ...sent.toSorted((one, other) => messageId(one) - messageId(other))]
    return {
      ...judge(
        cluster.effects,
        accepted.map((number) => ({ tag, number })),
        cluster.homes(),
      ),
      problems: [
        (count(200) !== 1 || count(202) !== callers - 1) && `${count(200)} got 200 and ${count(202)} got 202`,
      ].filter(Boolean),
    }
  },
}
