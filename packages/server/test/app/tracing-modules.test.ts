import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cloneDatabase } from '../support/database/database.ts'
import { startServer, testFolder } from '../support/processes/server-process.ts'

test('what sends traces is loaded only if a collector is configured', async () => {
  expect((await modulesLoaded({})).filter(isOfExporter)).toEqual([])
  const loaded = await modulesLoaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
  expect(loaded.filter(isOfExporter)).toHaveLength(2)
})

function isOfExporter(module: string): boolean {
  return /\/tracing\/(open-tracing|otlp-exporter)\.js$|opentelemetry/.test(module)
}

/** The modules that a server in a process of its own has loaded when it is up: a hook of Node writes them to a file. */
async function modulesLoaded(environment: Record<string, string>): Promise<string[]> {
  const folder = await testFolder()
  const { url: DATABASE_URL, drop } = await cloneDatabase()
  onTestFinished(drop)
  const list = join(folder, 'loaded')
  const hooks = join(folder, 'hooks.mjs')
  await writeFile(
    hooks,
    `import { appendFileSync } from 'node:fs'
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(list)}, url + '\\n')
      return next(url, context)
    }`,
  )
  const register = join(folder, 'register.mjs')
  await writeFile(register, `import { register } from 'node:module'; register(${JSON.stringify(`file://${hooks}`)})`)
  const server = await startServer({
    home: join(folder, 'home'),
    environment: {
      DATABASE_URL,
      API_KEYS: 'k',
      ROLE: 'web',
      NODE_OPTIONS: `--import=file://${register}`,
      ...environment,
    },
  })
  await server.stop()
  return (await readFile(list, 'utf8')).trimEnd().split('\n')
}
