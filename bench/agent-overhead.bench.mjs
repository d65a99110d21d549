import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { sampleRepository } from '../packages/server/dist/app/sample-repository.js'
import { cliFolder, cliProgram } from '../packages/server/dist/runtimes/cli.js'
import { pinnedClis } from '../packages/server/dist/runtimes/registry.js'
import { installCli } from '../scripts/install-cli.mjs'
import { bareClaude, bareCodex } from './support/bare-agents.mjs'
import { benchKey, startBenchHost } from './support/host.mjs'
import { startModelServer } from './support/model-server.mjs'
import { atRest, createSession, followUp, median } from './support/sessions.mjs'

/**
 * What Yardmaster adds to the turn of a real CLI: the time from the request until the session rests, minus the time of the
 * bare CLI for the same prompt, as a share of the bare time. A first turn also makes the clone, which the bare CLI finds
 * ready; a later turn continues the conversation. Bare and managed turns alternate.
 *
 * Every agent of ours gets the MCP server of its own session, and connecting to it costs a CLI about 100 ms. So the time
 * beside a bare CLI with the same server is printed too.
 *
 * Judged with a model that takes one second for each of three answers. With a model that answers at once, a turn is hardly
 * more than the start of the CLI: that figure is printed for comparison and judges nothing (docs/decisions/0020).
 * AGENT_BENCH_ROUNDS sets fewer rounds.
 */
const target = 0.05
const rounds = Number(process.env.AGENT_BENCH_ROUNDS ?? 7)
const models = [
  { name: 'one second for each answer', slug: 'slow', prompt: scriptWith('wait 1'), isJudged: true },
  { name: 'no time', slug: 'instant', prompt: scriptWith(), isJudged: false },
]

const agents = [
  { runtime: 'runtime_alpha', model: 'claude-sonnet-5', bareTurn: bareClaude },
  { runtime: 'runtime_beta', model: 'gpt-6.1-sol', bareTurn: bareCodex },
]

const programs = await installPrograms()
const modelServer = await startModelServer()
const { host, stop } = await startBenchHost({
  RUNTIME_ALPHA_COMMAND: programs.runtime_alpha,
  ANTHROPIC_BASE_URL: modelServer.url,
  ANTHROPIC_API_KEY: 'bench-key',
  RUNTIME_BETA_COMMAND: programs.runtime_beta,
  OPENAI_BASE_URL: `${modelServer.url}/v1`,
  OPENAI_API_KEY: 'bench-key',
})
try {
  const repository = await sampleRepository(host.app.home)
  for (const agent of agents) for (const speed of models) await compare(agent, speed, repository)
} finally {
  await stop()
  await modelServer.stop()
}

/** Three answers, of which two call a tool. */
function scriptWith(pause = []) {
  return [pause, 'run ls', pause, 'say There it is', 'run cat README.md', pause, 'say Done'].flat().join('\n')
}

async function compare({ runtime, model, bareTurn }, { name, slug, prompt, isJudged }, repository) {
  const request = { program: programs[runtime], modelUrl: modelServer.url, model, prompt }
  // Creates the mirror and warms the file cache.
  const { id } = await ours({ runtime, model, prompt })
  const mcpServer = { url: `${host.web.url}/mcp?tool_groups=self_session&session_id=${id}`, key: benchKey }
  const first = []
  const later = []
  for (let round = 0; round < rounds; round += 1) {
    const home = host.app.home.in(`bare-${runtime}-${slug}-${round}`)
    await mkdir(home)
    const bareFirst = await bareTurn(request, { home, repository })
    const bareLater = await bareTurn(request, { home, repository, earlier: bareFirst.conversation })
    const equippedHome = `${home}-equipped`
    await mkdir(equippedHome)
    const equipped = { home: equippedHome, repository, mcpServer }
    const equippedFirst = await bareTurn(request, equipped)
    const equippedLater = await bareTurn(request, { ...equipped, earlier: equippedFirst.conversation })
    const managed = await ours({ runtime, model, prompt })
    first.push({ bareMs: bareFirst.ms, equippedMs: equippedFirst.ms, oursMs: managed.firstMs })
    later.push({ bareMs: bareLater.ms, equippedMs: equippedLater.ms, oursMs: managed.laterMs })
  }
  const withModel = `of ${runtime} with a model that takes ${name}`
  report(`The first turn ${withModel}`, first, isJudged)
  report(`A later turn ${withModel}`, later, isJudged)
}

async function ours({ runtime, model, prompt }) {
  const started = performance.now()
  const id = await createSession(host, prompt, { agent_runtime: runtime, config: { model } })
  await untilDone(id)
  const between = performance.now()
  await followUp(host, id, prompt)
  await untilDone(id)
  return { id, firstMs: between - started, laterMs: performance.now() - between }
}

async function untilDone(id) {
  const status = await atRest(host, id)
  if (status !== 'needs_input') throw new Error(`the session is ${status}`)
}

function report(what, pairs, isJudged) {
  // Compares each pair of neighbouring runs: a slow phase of the machine affects both.
  const addedMs = median(pairs.map(({ bareMs, oursMs }) => oursMs - bareMs))
  const share = median(pairs.map(({ bareMs, oursMs }) => (oursMs - bareMs) / bareMs))
  const equippedShare = median(pairs.map(({ equippedMs, oursMs }) => (oursMs - equippedMs) / equippedMs))
  const bareMs = median(pairs.map((pair) => pair.bareMs))
  console.log(
    `${what} takes ${bareMs.toFixed(0)} ms bare and ${addedMs.toFixed(0)} ms more under Yardmaster: ` +
      `${share.toFixed(3)} of it (target: ${isJudged ? `at most ${target}` : 'none, for comparison'}), ` +
      `and ${equippedShare.toFixed(3)} beside the CLI with the same MCP server`,
  )
  if (isJudged && share > target) process.exitCode = 1
}

/** Uses the cache folder of `npm run test:agents`. */
async function installPrograms() {
  const folder = `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/yardmaster/agents`
  const installed = {}
  for (const cli of pinnedClis.filter(({ runtime }) => agents.some((agent) => agent.runtime === runtime))) {
    const program = cliProgram(folder, cli)
    await installCli(folder, { cli, folder: cliFolder(folder, cli), program })
    installed[cli.runtime] = program
  }
  return installed
}
