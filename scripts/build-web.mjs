import { announce } from './announce.mjs'
import { prepare } from './prepare.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

await prepare({ builds: false })
if (!isWebBuilt()) {
  const end = announce('Building the pages')
  const isDone = await buildWeb()
  end(isDone ? 'done' : 'failed')
  if (!isDone) process.exitCode = 1
}
