import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * Starts the tests' scripted model in a separate process, so that it answers all clients at the same speed.
 *
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export function startModelServer() {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['serve'])
    const exited = new Promise((settle) => child.once('exit', settle))
    child.once('message', (url) =>
      resolve({
        url: String(url),
        stop: async () => {
          child.disconnect()
          await exited
        },
      }),
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the model process exited with code ${code}`)))
  })
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runnerImport } = await import('vite')
  const source = fileURLToPath(
    new URL('../../packages/server/test/support/model-server/model-server.ts', import.meta.url),
  )
  const { module } = await runnerImport(source, { configFile: false, logLevel: 'error' })
  const { url, requests, stop } = await module.startModelServer()
  // The model keeps its requests for tests. Drop them: benchmarks do not read them.
  setInterval(() => requests.splice(0), 1000).unref()
  process.once('disconnect', stop)
  process.send(url)
}
