import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'
import { until } from '../until.mjs'

/** The path of the agent's own transcript, for a command that the agent runs. */
const transcript = '$(ls $HOME/transcripts/*.jsonl)'

const hugeBytes = 100 * 2 ** 20

export const hugeLine = {
  name: 'R21',
  what: 'an agent writes a line of 100 MB',
  seeds: 20,
  limitSeconds: 120,
  limits: { 'memory growth (MB)': 64 },
  round: async ({ cluster, seed, isShort }) => {
    const host = await cluster.up()
    const tag = `R21.${seed}`
    const start =
      '{\\"type\\":\\"assistant\\",\\"message\\":{\\"role\\":\\"assistant\\",\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"'
    const bytes = isShort ? hugeBytes / 4 : hugeBytes
    const write = `run (printf "${start}"; head -c ${bytes} /dev/zero | tr "\\0" x; printf "\\"}]}}\\n") >> ${transcript}`
    // A first turn, so that the memory of an ordinary turn is not counted.
    const warm = await createSession(cluster, host, 'say hello')
    await settled(cluster, [warm])
    const before = await memoryMb(host.pid)
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, write, 'say after'))
    const watch = watchMemory(host.pid)
    await settled(cluster, [id])
    const growth = Math.max(0, (await watch.stop()) - before)
    const { body } = await host.get(`/api/v1/sessions/${id}?include_transcript=true`)
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      figures: { 'memory growth (MB)': growth },
      problems: [
        !isEveryLineJson(body.session.transcript) && 'the stored transcript is not JSON',
        !body.session.transcript.includes('after') && 'the entry after it is not stored',
        body.session.transcript.length > bytes / 2 && 'the line was stored in full',
      ].filter(Boolean),
    }
  },
}

export const brokenText = {
  name: 'R22',
  what: 'an agent writes invalid UTF-8, NUL and a lone surrogate',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const tag = `R22.${seed}`
    const poison = random.pick([
      '\\377\\376',
      '\\\\u0000',
      '\\000',
      '\\\\ud800',
      '\\\\udc00\\\\ud800',
      '\\355\\240\\200',
    ])
    const line = `{\\"type\\":\\"assistant\\",\\"message\\":{\\"role\\":\\"assistant\\",\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"a${poison}b\\"}]}}`
    const write = `run printf "${line}\\n" >> ${transcript}`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, write, 'say after'))
    await settled(cluster, [id])
    const { status, body } = await host.get(`/api/v1/sessions/${id}?include_transcript=true`)
    const stored = body?.session?.transcript ?? ''
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      problems: [
        status !== 200 && `reading it answered ${status}`,
        body?.session?.status !== 'needs_input' && `the session is ${body?.session?.status}`,
        !isEveryLineJson(stored) && 'the stored transcript is not JSON',
        hasNul(stored) && 'a NUL was stored',
        !stored.includes('after') && 'the entry after it is not stored',
      ].filter(Boolean),
    }
  },
}

export const endlessOutput = {
  name: 'R23',
  what: 'an agent prints endlessly',
  seeds: 20,
  limitSeconds: 150,
  limits: { 'p99 of /up (ms)': 100, 'memory growth (MB)': 64 },
  round: async ({ cluster, seed, isShort }) => {
    const host = await cluster.up()
    const tag = `R23.${seed}`
    const seconds = isShort ? 5 : 60
    const warm = await createSession(cluster, host, 'say hello')
    await settled(cluster, [warm])
    const before = await memoryMb(host.pid)
    // Writes directly into the pipe that the host reads from the agent.
    const flood = `run timeout ${seconds} yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa > /proc/$PPID/fd/1`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, flood))
    await until('the turn has begun', async () => cluster.effects.lines().some((line) => line.tag === tag), Boolean)
    const watch = watchMemory(host.pid)
    const waits = []
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      const asked = performance.now()
      await host.get('/up')
      waits.push(performance.now() - asked)
      await wait(20)
    }
    const growth = Math.max(0, (await watch.stop()) - before)
    await settled(cluster, [id])
    waits.sort((one, other) => one - other)
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      figures: { 'p99 of /up (ms)': waits[Math.ceil(waits.length * 0.99) - 1], 'memory growth (MB)': growth },
    }
  },
}

export const partialLine = {
  name: 'R25',
  what: 'a partial transcript line at kill -9, completed later in every other round',
  seeds: 20,
  limitSeconds: 120,
  recoveryLimitSeconds: 10,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const tag = `R25.${seed}`
    const [head, tail] = [
      '{"type":"assistant","message":{"role":"assistant",',
      '"content":[{"type":"text","text":"torn"}]}}\n',
    ]
    const half = `run printf '${head}' >> ${transcript}; sleep 300`
    const id = await createSession(cluster, host, cluster.effects.prompt(tag, 1, 'say whole', half))
    const stored = async (from) =>
      (await from.get(`/api/v1/sessions/${id}?include_transcript=true`)).body?.session?.transcript ?? ''
    const file = await until(
      'the transcript ends in a partial line',
      () => partialFile(host.home, id, head),
      Boolean,
      20_000,
    )
    const early = await until(
      'the entries before it are stored',
      () => stored(host),
      (text) => text.includes('sleep 300'),
      20_000,
    )
    await wait(random.between(0, 1000))
    await host.kill()
    const isCompleted = seed % 2 === 0
    if (isCompleted) await appendFile(file.answer, tail)
    const next = await cluster.start()
    await settled(cluster, [id])
    const recoverySeconds = (performance.now() - next.bootedAt) / 1000
    const late = await stored(next)
    return {
      ...judge(cluster.effects, [{ tag, number: 1 }], cluster.homes()),
      recoverySeconds,
      problems: [
        early.answer.endsWith(head) && 'a partial line was stored',
        !late.startsWith(early.answer.trimEnd()) && 'the stored transcript was shortened or rewritten',
        !isEveryLineJson(late) && 'the stored transcript is not JSON',
        !isCompleted && late.split('"torn_entry"').length !== 2 && 'the torn line is not stored exactly once as torn',
        isCompleted && late.split('"torn"').length !== 2 && 'the completed line is not stored exactly once',
      ].filter(Boolean),
    }
  },
}

/** The agent's own transcript, once it ends in the partial line. */
async function partialFile(home, id, head) {
  const folder = join(home, 'runtimes', `session-${id}`, 'transcripts')
  const [name] = await readdir(folder).catch(() => [])
  if (name === undefined) return undefined
  return (await readFile(join(folder, name), 'utf8')).endsWith(head) ? join(folder, name) : undefined
}

function isEveryLineJson(text) {
  try {
    for (const line of text.split('\n').filter(Boolean)) JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** Linux only; 0 elsewhere. */
async function memoryMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

function watchMemory(pid) {
  let worst = 0
  const sample = async () => {
    worst = Math.max(worst, await memoryMb(pid))
  }
  const timer = setInterval(() => void sample(), 100)
  return {
    stop: async () => {
      await sample()
      clearInterval(timer)
      return worst
    },
  }
}

/** Checks the decoded lines: the text "\\u0000" with an escaped backslash is no NUL. */
function hasNul(stored) {
  return stored
    .split('\n')
    .filter(Boolean)
    .some((line) => JSON.stringify(JSON.parse(line)).replaceAll('\\\\', '').includes('\\u0000'))
}
