import { prepare } from './prepare.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

// Everything that `npm start` would build, so that a folder which is copied to other machines starts at once.
await prepare()
if (!isWebBuilt() && !(await buildWeb())) process.exitCode = 1
