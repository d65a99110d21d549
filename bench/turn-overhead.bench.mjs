import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { startBenchHost } from './support/host.mjs'
import { atRest, createSession, median } from './support/sessions.mjs'

/**
 * What Yardmaster adds to a turn: the time from the request until the session rests, minus the time of the bare agent for
 * the same prompt, as a share of a turn of one second. Bare and managed turns alternate.
 */
const target = 0.25
const rounds = 20
const prompt = 'sleep 1'

const agent = fileURLToPath(new URL('../packages/server/dist/runtimes/demo/agent.js', import.meta.url))
const { host, stop } = await startBenchHost()
try {
  await sampleRepository(host.app.home)
  const folder = host.app.home.in('bare-agent')
  await mkdir(folder)
  await ours() // creates the mirror
  const added = []
  for (let round = 0; round < rounds; round += 1) {
    const bare = await bareTurn(folder, round)
    added.push(((await ours()) - bare) / 1000)
  }
  const share = median(added)
  console.log(`A turn of one second takes ${share.toFixed(2)} s more under Yardmaster (target: at most ${target})`)
  if (share > target) process.exitCode = 1
} finally {
  await stop()
}

async function ours() {
  const started = performance.now()
  await atRest(host, await createSession(host, prompt))
  return performance.now() - started
}

function bareTurn(folder, round) {
  const started = performance.now()
  const child = spawn(process.execPath, [agent, `conversation-${round}`, folder], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.write(`${JSON.stringify({ type: 'prompt', prompt })}\n`)
  return new Promise((resolve) => child.once('exit', () => resolve(performance.now() - started)))
}
