import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createSession, settled } from '../cluster.mjs'
import { judge } from '../effects.mjs'

/** Overwrites the start of every object file of the clone in place, as an agent can with its own files. */
const edit = [
  'run for f in $(find .git/objects -type f); do chmod u+w $f',
  'printf overwritten | dd of=$f conv=notrunc status=none; done',
].join('; ')

const check = 'run git fsck --full && git checkout --force HEAD -- . && grep -q hello README.md || touch $HOME/damaged'

export const editedPacks = {
  name: 'R40',
  what: 'sessions edit the packs of their clones in place while others clone and check out',
  seeds: 20,
  limitSeconds: 120,
  round: async ({ cluster, seed, random }) => {
    const host = await cluster.up()
    const accepted = []
    const ids = []
    for (let index = 0; index < 4; index += 1) {
      const tag = `R40.${seed}.${index}`
      const isEditor = index === 0 || random.pick([true, false])
      const work = isEditor ? edit : check
      ids.push(await createSession(cluster, host, cluster.effects.prompt(tag, 1, work)))
      accepted.push({ tag, number: 1 })
      if (isEditor) await settled(cluster, [ids.at(-1)])
    }
    await settled(cluster, ids)
    const damaged = await Promise.all(cluster.homes().map((home) => findDamaged(home)))
    return {
      ...judge(cluster.effects, accepted, cluster.homes()),
      problems: damaged.flat().map((path) => `${path} says that a check-out was not what the repository has`),
    }
  },
}

/** The sessions of a home that found damage. */
async function findDamaged(home) {
  const sessions = await readdir(join(home, 'runtimes')).catch(() => [])
  const places = sessions.map((session) => join(home, 'runtimes', session, 'damaged'))
  const found = await Promise.all(
    places.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  )
  return found.flat()
}
