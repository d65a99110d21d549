import { prepare } from './prepare.mjs'

await prepare()

/** @type {typeof import('../packages/server/src/app/rotate-key.ts')} */
const { rotateKeyCommand } = await import(new URL('../packages/server/dist/app/rotate-key.js', import.meta.url).href)
await rotateKeyCommand(process.argv.slice(2))
