import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isInside } from '../platform/contained-path.ts'
import type { Home } from '../platform/home/home.ts'
import { canEnter, findUser, type SystemUser, systemUser } from '../platform/home/system-user.ts'
import type { Log } from '../platform/log/log.ts'
import { type Confinement, openConfinement } from '../platform/process/confinement.ts'
import { openWayTo } from '../platform/process/open-way.ts'
import { StartupError } from '../platform/startup-error.ts'
import type { Config } from './config.ts'

type Host = { home: Home; hidden: readonly string[] }

type AgentConfinement = {
  confinement: Confinement /** For the log, once the host has started. */
  report(log: Log): void
}

type Lines = { info: string[]; warn: string[] }

/** What agents see of this host: everything but what is ours, and of that what they need. */
export async function openAgentConfinement(config: Config, { home, hidden }: Host): Promise<AgentConfinement> {
  const lines: Lines = { info: [], warn: [] }
  const user = await agentUser(config.AGENT_USER, lines)
  const confinement = await openConfinement({
    user,
    mode: config.AGENT_CONFINEMENT,
    home: home.path,
    stage: home.in('stage'),
    hidden: [...hidden, ...serviceManager()],
    secrets: [resolve('.env')],
    readable: [
      home.in('agents'),
      home.in('sample-repository'),
      ...catalogIn(home, config.CATALOG_PATH),
      ...(await ownProgram()),
      ...config.AGENT_PATHS,
    ],
    userHomes: [homedir(), ...(user?.home ? [user.home] : [])].filter((path) => path !== '/'),
  })
  if (user !== undefined) await openFolders(home, { user, lines, isPlain: confinement.mechanism === 'none' })
  const isWanting = confinement.mechanism === 'none' && config.AGENT_CONFINEMENT !== 'off'
  lines[isWanting ? 'warn' : 'info'].push(confinement.sentence)
  const report = (log: Log) => {
    for (const line of lines.warn) log.warn(line)
    for (const line of lines.info) log.info(line)
  }
  return { confinement, report }
}

/** Undefined: agents run as our own user. */
async function agentUser(name: string | undefined, lines: Lines): Promise<SystemUser | undefined> {
  if (process.geteuid?.() !== 0) {
    if (name === undefined || name === userInfo().username) return undefined
    throw new StartupError(
      'AGENT_USER needs a Yardmaster that runs as root: no other user can start agents as another.',
    )
  }
  lines.warn.push('Yardmaster runs as root and should not: give it a user of its own')
  if (name === 'root') {
    lines.warn.push('agents run as root (AGENT_USER=root): this machine is their only sandbox')
    return undefined
  }
  const onMade = (sentence: string) => void lines.info.push(sentence)
  const user = name === undefined ? await systemUser('agents', { onMade }) : await findUser(name)
  if (user === undefined) throw new StartupError(`AGENT_USER names ${name}, which is no user of this machine.`)
  await refuseTrusted(user)
  lines.info.push(`agents run as the user ${user.name} (${user.uid})`)
  return user
}

async function refuseTrusted({ name, uid }: SystemUser): Promise<void> {
  if (uid === 0) throw new StartupError(`AGENT_USER names ${name}, which is root. If you mean it, set AGENT_USER=root.`)
  if (uid !== (await systemUser('postgres'))?.uid) return
  throw new StartupError(`AGENT_USER names ${name}, the user of the database, which agents must not reach.`)
}

/**
 * A confined agent reaches its folders whatever the permissions of the home and its parents are, so no other user may pass
 * through them: the agents of another home on this machine are the same user. For a plain process the way there is opened, and
 * the way to our own program; it lists nothing on the way.
 */
async function openFolders(
  home: Home,
  { user, lines, isPlain }: { user: SystemUser; lines: Lines; isPlain: boolean },
): Promise<void> {
  const folders = ['clones', 'runtimes', 'questions'].map((name) => home.in(name))
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await chmod(folder, isPlain ? 0o711 : 0o700)
  }
  if (!isPlain) return
  const [clones = ''] = folders
  for (const path of [clones, ...(await ownProgram())]) lines.warn.push(...(await openWayTo(path, user)))
  // Another user than ours passes through the home like anyone: its group is ours.
  if (!(await canEnter(user, clones))) await chmod(home.path, ((await stat(home.path)).mode & 0o777) | 0o001)
  if (await canEnter(user, clones)) return
  throw new StartupError(
    `Agents run as the user ${user.name}, who cannot pass through the folders above ${home.path}, and this host cannot confine agents, which would help. Let that user pass through them, or set YARDMASTER_HOME to another folder.`,
  )
}

/** On request, the service manager of our user starts programs that are not confined. */
function serviceManager(): string[] {
  const folder = process.env.XDG_RUNTIME_DIR || `/run/user/${process.getuid?.()}`
  return ['bus', 'systemd'].map((name) => join(folder, name))
}

/** Hooks and MCP servers of a catalog in the home run from there. Never the home itself, which holds secrets. */
function catalogIn(home: Home, catalog: string | undefined): string[] {
  const folder = catalog === undefined ? home.path : dirname(catalog)
  return isInside(home.path, folder) && folder !== home.path ? [folder] : []
}

/** The built-in agent is a program of this package. */
async function ownProgram(): Promise<string[]> {
  const inPackage = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
  return [await realpath(process.execPath), inPackage('dist'), inPackage('package.json')]
}
