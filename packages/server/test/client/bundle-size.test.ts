import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../../../client/src/client.ts', import.meta.url))

test('the client bundles to at most 6 kB gzip, with neither zod nor the contract in it', async () => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['source'] },
    build: { write: false, minify: true, target: 'es2022', lib: { entry, formats: ['es'], fileName: 'client' } },
  })
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) => ('output' in each ? each.output : []))
  const [chunk] = outputs.filter((output) => output.type === 'chunk')
  if (!chunk) throw new Error('vite built no chunk')
  expect(Object.keys(chunk.modules).filter((path) => !path.includes('/packages/client/src/'))).toEqual([])
  expect(chunk.imports).toEqual([])
  expect(gzipSync(chunk.code).length).toBeLessThanOrEqual(6 * 1024)
})
