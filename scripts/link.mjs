import { prepare } from './prepare.mjs'

await prepare()

/** @type {typeof import('../packages/server/src/app/link.ts')} */
const { linkCommand } = await import(new URL('../packages/server/dist/app/link.js', import.meta.url).href)
await linkCommand()
