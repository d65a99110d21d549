import { linkMinutes } from '../domain/sign-ins/sign-in.ts'
import { shellQuote } from '../platform/process/shell-quote.ts'
import { version } from '../platform/version.ts'
import { canRun } from '../runtimes/cli.ts'
import type { KeyRing } from './api-key.ts'
import type { Host } from './compose.ts'
import { linkTo } from './link.ts'
import { sampleRepository } from './sample-repository.ts'

/**
 * The last lines of a start: the address, a link to the dashboard, the location of the key, and a command for a first session.
 * `isLogged`: they are kept in a file, which must not hold a link that signs in.
 */
export async function welcome(
  { app, web, keyRing, isWorking, defaultRuntime }: Host,
  { isLogged = false }: { isLogged?: boolean } = {},
): Promise<string> {
  if (!web) return `Yardmaster ${version} is working (host ${app.home.hostId}).`
  const repository = await sampleRepository(app.home)
  const key = keyRing.file === undefined ? '$API_KEY' : `$(cat ${shellQuote(keyRing.file)})`
  const chosen = defaultRuntime ?? ''
  const able = await runtimesThatCanRun(app)
  const body = JSON.stringify({
    agent_runtime: ['demo', chosen].find((name) => able.includes(name)) ?? able[0],
    git_root: repository ?? '<a repository>',
    prompt: 'say Hello from Yardmaster\nrun ls',
  })
  const lines = [
    `Yardmaster ${version} is up at ${web.url} (API reference: ${web.url}/docs)`,
    `Dashboard: ${dashboard(app, web.dashboardUrl, isLogged)}`,
    keyLocation(keyRing),
  ]
  if (!isWorking) return [...lines, 'This host answers requests; turns run where ROLE is worker or all'].join('\n')
  if (keyRing.keys.length === 0) return lines.join('\n')
  if (able.length === 0)
    return [...lines, `Agent: none can run yet; ${web.url}/api/v1/clis/status says what is missing`].join('\n')
  return [
    ...lines,
    `Agent: sessions that name no runtime use ${aboutDefault(chosen, able)}`,
    'Run a first session:',
    `  curl -s ${web.url}/api/v1/sessions -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d ${shellQuote(body)}`,
  ].join('\n')
}

function dashboard({ signInKeys, webAuth, clock }: Host['app'], address: string, isLogged: boolean): string {
  if (webAuth === 'none') return `${address}/ (open to everyone who can reach it: WEB_AUTH is none)`
  const secret = isLogged ? undefined : signInKeys.makeLink(clock.now())
  if (secret === undefined) return `${address}/ (npm run link prints a link that signs you in)`
  return `${linkTo(address, secret)} (signs you in once, within ${linkMinutes} minutes; npm run link prints another)`
}

function aboutDefault(chosen: string, able: readonly string[]): string {
  if (!able.includes(chosen))
    return `${chosen}, which is not installed or not signed in; these can run: ${able.join(', ')}`
  if (chosen !== 'demo') return chosen
  const others = able.filter((name) => name !== 'demo')
  const hint =
    others.length > 0 ? `; these can run too: ${others.join(', ')} (default_runtime in the settings chooses)` : ''
  return `the built-in demo agent, which needs no key${hint}`
}

async function runtimesThatCanRun({ runtimes }: Host['app']): Promise<string[]> {
  const able: string[] = []
  for (const name of runtimes.names()) {
    const cli = runtimes.find(name)?.cli
    if (!cli || (await canRun(cli))) able.push(name)
  }
  return able
}

function keyLocation({ keys, file }: KeyRing): string {
  if (file !== undefined) return `API key: in ${file}`
  if (keys.length === 0) return 'API keys: none, because API_KEYS is blank; every request is refused'
  return 'API keys: those of API_KEYS; replace $API_KEY by one of them'
}
