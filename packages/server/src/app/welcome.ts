import { version } from '../platform/version.ts'
import type { Host } from './compose.ts'
import { sampleRepository } from './sample-repository.ts'

/** The last lines of a start: where it is, where the key is, and a first session to paste. */
export async function welcome({ app, web, keyFile }: Host): Promise<string> {
  if (!web) return `Yardmaster ${version} is working (host ${app.home.hostId}).`
  const repository = await sampleRepository(app.home)
  const key = keyFile === undefined ? '$API_KEY' : `$(cat ${shellQuoted(keyFile)})`
  const body = JSON.stringify({ git_root: repository ?? '<a repository>', prompt: 'say Hello from Yardmaster\nrun ls' })
  return [
    `Yardmaster ${version} is up at ${web.url} (API reference: ${web.url}/docs)`,
    keyFile === undefined ? 'API keys: those of API_KEYS' : `API key: in ${keyFile}`,
    'Agent: sessions that name no runtime use the built-in demo agent, which needs no key',
    'Run a first session:',
    `  curl -s ${web.url}/api/v1/sessions -H "X-API-Key: ${key}" -H 'Content-Type: application/json' -d '${body}'`,
  ].join('\n')
}

function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
