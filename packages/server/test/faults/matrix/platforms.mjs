import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
import { settled } from './cluster.mjs'
import { judge } from './effects.mjs'
import { createTrigger, withLab } from './triggers.mjs'
import { until } from './until.mjs'

/** A stand-in for a system that we do not own. */
export const importRemote = async (name) => {
  const source = fileURLToPath(new URL(`../../support/remote/${name}.ts`, import.meta.url))
  return (await runnerImport(source, { configFile: false, logLevel: 'error' })).module
}

/** Long enough ago that no agent at work can have opened an issue of that time. */
const ageMs = 300_000

/**
 * Stand-ins for the chat platform and the forge, hosts that use them, and a trigger for each kind of event. Each event has a
 * prompt of its own, so that the effects file shows how often it fired.
 */
export async function openPlatforms(cluster, tag) {
  const { startChatServer, signedByChat } = await importRemote('chat-server')
  const { startForgeServer, signedByForge } = await importRemote('forge-server')
  const [chat, forge] = [await startChatServer(), await startForgeServer()]
  chat.addChannel('C1', 'alerts')
  const environment = await withLab(cluster, { ...chat.environment, ...forge.environment })
  const names = ['p', 'q']
  const accepted = []
  const labelled = []
  const webhooks = []

  const prompt = () => {
    const number = accepted.length + 1
    accepted.push({ tag: `${tag}.${number}`, number: 1 })
    return cluster.effects.prompt(`${tag}.${number}`, 1)
  }
  const sending = (path, event, sign) => {
    const body = JSON.stringify(event)
    webhooks.push((host) => send(`${host.url}/api/v1${path}`, body, sign(body)))
  }
  const happen = {
    message: () => {
      const ts = chat.post('C1', { user: 'U1', text: prompt() })
      sending('/webhooks/chat', chat.eventOf('C1', ts), signedByChat)
    },
    issue: () => {
      const item = forge.open('acme/issues', { body: prompt(), at: new Date(Date.now() - ageMs) })
      const headers = signing(signedByForge, 'issues')
      sending('/webhooks/forge', forge.eventOf(item, 'opened'), headers)
    },
    label: () => {
      const item = forge.open('acme/labels', { kind: 'pull_request', body: prompt(), at: secondsAgo(60) })
      forge.label(item, 'ready', secondsAgo(50))
      labelled.push(item)
      sending('/webhooks/forge', forge.eventOf(item, 'labeled', 'ready'), signing(signedByForge, 'pull_request'))
    },
  }
  return {
    kinds: Object.keys(happen),
    happen: (kind) => happen[kind](),
    webhooks,
    /** Removes each label and adds it again, without a webhook. The items have other prompts now. */
    labelAgain: () => {
      for (const item of labelled) {
        item.body = prompt()
        forge.unlabel(item, 'ready', secondsAgo(40))
        forge.label(item, 'ready', secondsAgo(30))
      }
    },
    up: (count = 1) => Promise.all(names.slice(0, count).map((name) => cluster.up(name, environment))),
    /** Creates the triggers and has them polled once, for their baseline. */
    arm: async (host) => {
      const conditions = [
        ['chat', { event_type: 'new_message', channel_id: 'C1' }],
        ['forge_issue', { repos: ['acme/issues'] }],
        ['forge_label', { repos: ['acme/labels'], labels: ['ready'] }],
      ]
      for (const [condition_type, configuration] of conditions) {
        const template = '{{text|raw}}\nsay {{link}} {{repo}}'
        const more = { name: `${tag} ${condition_type}`, coalesce_window_seconds: 0 }
        await createTrigger(host, template, { condition_type, configuration }, more)
      }
      await cluster.pool.query(
        "update trigger_conditions set armed_at = now() - interval '10 minutes' where condition_type = 'forge_issue'",
      )
      await poll(host)
    },
    poll,
    /** Polls until every event has a session whose turns have ended, and compares the events with what the agents did. */
    judge: async (host) => {
      const ask = async () => {
        await poll(host)
        const { rows } = await cluster.pool.query(
          `select sessions.id::int from sessions
           join triggers on triggers.id = (sessions.metadata ->> 'trigger_id')::bigint
           where triggers.name like $1`,
          [`${tag} %`],
        )
        return rows
      }
      const { answer } = await until('every event has fired', ask, (rows) => rows.length >= accepted.length)
      await settled(
        cluster,
        answer.map(({ id }) => id),
      )
      const sessions = (await ask()).length
      return {
        ...judge(cluster.effects, accepted, cluster.homes()),
        problems: [sessions !== accepted.length && `${sessions} sessions for ${accepted.length} events`].filter(
          Boolean,
        ),
      }
    },
    close: async () => {
      await cluster.pool.query('delete from triggers where name like $1', [`${tag} %`])
      for (const name of names) await cluster.stop(name)
      await Promise.all([chat.close(), forge.close()])
    },
  }
}

function secondsAgo(seconds) {
  return new Date(Date.now() - seconds * 1000)
}

/** A poll that its host does not survive has no answer. */
async function poll(host) {
  await Promise.all(['pollChat', 'pollForge'].map((command) => host.command(command, {})))
}

/** One delivery id for all attempts, as the forge repeats a delivery. */
function signing(sign, event) {
  const delivery = crypto.randomUUID()
  return (body) => sign(body, { event, delivery })
}

/** The status, or 0 without an answer. The forge's 409 says that the delivery was accepted before. */
async function send(url, body, headers) {
  try {
    const { status } = await fetch(url, { method: 'POST', body, headers })
    return status === 409 ? 200 : status
  } catch {
    return 0
  }
}
