import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))

/** Vendors, their products and their variables. What is known of them belongs to a driver in `runtimes/`. */
const vendor = /anthropic|claude|openai|codex|runtime_(alpha|beta)/i

test.each(['app', 'surfaces', 'domain'])('%s/ names no vendor of an agent', (layer) => {
  const files = readdirSync(join(source, layer), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((name) => vendor.test(readFileSync(join(source, layer, name), 'utf8')))).toEqual([])
})

test('beside the drivers, only the registry knows which there are, and no file names a vendor', () => {
  const shared = readdirSync(join(source, 'runtimes')).filter((name) => name.endsWith('.ts'))
  const importsDrivers = shared.filter((name) => {
    return /from '\.\/\w+\/driver\.ts'/.test(readFileSync(join(source, 'runtimes', name), 'utf8'))
  })
  expect(importsDrivers).toEqual(['registry.ts'])
  expect(shared.filter((name) => vendor.test(readFileSync(join(source, 'runtimes', name), 'utf8')))).toEqual([])
})
