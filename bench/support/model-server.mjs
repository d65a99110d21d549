import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * The tests' scripted model in a process of its own, so that it is as quick for whoever asks.
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
    child.once('exit', (code) => reject(new Error(`the model ended with code ${code}`)))
  })
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const { runnerImport } = await import('vite')
  const source = fileURLToPath(
    new URL('../../packages/server/test/support/model-server/model-server.ts', import.meta.url),
  )
  const { module } = await runnerImport(source, { configFile: false, logLevel: 'error' })
  const { url, requests, stop } = await module.startModelServer()
  // What it was asked is kept for tests; nobody looks at it here.
  setInterval(() => requests.splice(0), 1000).unref()
  process.once('disconnect', stop)
  process.send(url)
}
