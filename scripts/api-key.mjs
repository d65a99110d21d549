import { prepare } from './prepare.mjs'

await prepare()

/** @type {typeof import('../packages/server/src/app/api-key-command.ts')} */
const { apiKeyCommand } = await import(new URL('../packages/server/dist/app/api-key-command.js', import.meta.url).href)
await apiKeyCommand(process.argv.slice(2))
