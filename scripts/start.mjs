import { prepare } from './prepare.mjs'
import { buildWebInBackground } from './web-build.mjs'

await prepare()

// In this process, so that its pid is the server's pid and signals reach the server directly.
const { main } = await import(new URL('../packages/server/dist/main.js', import.meta.url).href)
await main()

// After the start: the API must not wait for the pages. Until they are built, the server's page says so.
buildWebInBackground()
