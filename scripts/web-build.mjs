import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { digestOf, filesIn } from './build-packages.mjs'
import { repositoryRoot as root } from './repository-root.mjs'
import { runChild } from './run-child.mjs'

const web = 'packages/web'
export const webDist = `${root}/${web}/dist`
const stampFile = `${webDist}/.build-stamp`

/** Whether the pages were built from the current sources. */
export function isWebBuilt() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digestSources()
}

/** Builds the pages beside the ones in use and then exchanges them, so that a running server never sees half of a build. */
export async function buildWeb() {
  // Computed before the build: a file that changes during it makes the build stale.
  const digest = digestSources()
  const next = `${webDist}.${process.pid}`
  const vite = `${root}/node_modules/vite/bin/vite.js`
  const args = ['build', '--config', `${web}/vite.config.ts`, '--outDir', next, '--emptyOutDir', '--logLevel', 'warn']
  try {
    const { exitCode, output } = await runChild(process.execPath, [vite, ...args], { cwd: root, captures: true })
    if (exitCode !== 0) {
      console.error(output.trimEnd())
      return false
    }
    compress(next)
    writeFileSync(`${next}/.build-stamp`, digest)
    exchange(next)
    return true
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

/** In a process of its own, which ends with this one. It prints why a build failed; the server runs on without pages. */
export function buildWebInBackground() {
  if (isWebBuilt()) return
  const child = spawn(process.execPath, [`${root}/scripts/build-web.mjs`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  child.on('error', (problem) => console.error(`The pages could not be built: ${problem.message}`))
  process.on('exit', () => child.kill())
}

/** Under names of their own, so that a server that cannot compress still sends few bytes. */
function compress(/** @type {string} */ folder) {
  for (const file of filesIn(folder).filter((name) => /\.(js|css|html|svg|json|webmanifest)$/.test(name))) {
    const content = readFileSync(`${folder}/${file}`)
    if (content.length < 1024) continue
    writeFileSync(`${folder}/${file}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(
      `${folder}/${file}.br`,
      brotliCompressSync(content, {
        params: { [zlib.BROTLI_PARAM_QUALITY]: 11, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length },
      }),
    )
  }
}

/** Keeps the files of the last build: a tab that was opened before may still ask for one. */
function exchange(/** @type {string} */ next) {
  const assets = `${webDist}/assets`
  const current = new Set(existsSync(`${next}/assets`) ? readdirSync(`${next}/assets`) : [])
  if (existsSync(assets) && existsSync(`${webDist}/manifest.json`)) {
    for (const file of filesOfManifest(`${webDist}/manifest.json`)) {
      const name = file.replace(/^assets\//, '')
      for (const each of [name, `${name}.gz`, `${name}.br`]) {
        if (!current.has(each) && existsSync(`${assets}/${each}`))
          renameSync(`${assets}/${each}`, `${next}/assets/${each}`)
      }
    }
  }
  const old = `${next}.old`
  mkdirSync(webDist, { recursive: true })
  renameSync(webDist, old)
  renameSync(next, webDist)
  rmSync(old, { recursive: true, force: true })
}

function filesOfManifest(/** @type {string} */ file) {
  /** @type {Record<string, { file: string, css?: string[], assets?: string[] }>} */
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  return Object.values(manifest).flatMap(({ file, css = [], assets = [] }) => [file, ...css, ...assets])
}

function digestSources() {
  const folders = [`${web}/src`, `${web}/public`, 'packages/client/src', 'packages/contract/src']
  const files = folders.flatMap((folder) => filesIn(`${root}/${folder}`).map((file) => `${folder}/${file}`))
  return digestOf(root, ['package-lock.json', `${web}/index.html`, `${web}/vite.config.ts`, ...files])
}
