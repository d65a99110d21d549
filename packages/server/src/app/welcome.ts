import { shellQuote } from '../platform/process/shell-quote.ts'
import { version } from '../platform/version.ts'
import type { KeyRing } from './api-key.ts'
import type { Host } from './compose.ts'
import { sampleRepository } from './sample-repository.ts'

/** The last lines of a start: the address, the location of the key, and a command for a first session. */
export async function welcome({ app, web, keyRing, isWorking, defaultRuntime }: Host): Promise<string> {
  if (!web) return `Yardmaster ${version} is working (host ${app.home.hostId}).`
  const repository = await sampleRepository(app.home)
  const key = keyRing.file === undefined ? '$API_KEY' : `$(cat ${shellQuote(keyRing.file)})`
  const body = JSON.stringify({
    agent_runtime: app.runtimes.find('demo') ? 'demo' : defaultRuntime,
    git_root: repository ?? '<a repository>',
    prompt: 'say Hello from Yardmaster\nrun ls',
  })
  const lines = [`Yardmaster ${version} is up at ${web.url} (API reference: ${web.url}/docs)`, keyLocation(keyRing)]
  if (!isWorking) return [...lines, 'This host answers requests; turns run where ROLE is worker or all'].join('\n')
  if (keyRing.keys.length === 0) return lines.join('\n')
  return [
    ...lines,
    defaultRuntime === 'demo'
      ? 'Agent: sessions that name no runtime use the built-in demo agent, which needs no key'
      : `Agent: sessions that name no runtime use ${defaultRuntime}`,
    'Run a first session:',
    `  curl -s ${web.url}/api/v1/sessions -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d ${shellQuote(body)}`,
  ].join('\n')
}

function keyLocation({ keys, file }: KeyRing): string {
  if (file !== undefined) return `API key: in ${file}`
  if (keys.length === 0) return 'API keys: none, because API_KEYS is blank; every request is refused'
  return 'API keys: those of API_KEYS; replace $API_KEY by one of them'
}
